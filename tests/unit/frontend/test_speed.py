"""The front end's work grows with the program, not with its square."""

from work import calls_in

from hwc.frontend.source import Source
from hwc.pipeline import run


def chain(length):
    type_ = "tensor<?x?x?xf32>"
    lines = [f"func.func @main(%v: {type_}, %b: {type_}) -> {type_} {{"]
    value = "%v"
    for i in range(length):
        name = ("add", "mul", "sub", "maximum")[i % 4]
        lines.append(f"  %{i} = tosa.{name} {value}, %b : ({type_}, {type_}) -> {type_}")
        value = f"%{i}"
    return "\n".join([*lines, f"  return {value} : {type_}", "}"])


def calls(length):
    return calls_in(lambda: run(Source("chain.mlir", chain(length)), until="linalg"))


def test_chains():
    calls(10)  # imports
    short, long = calls(50), calls(500)
    assert long < 11 * short
