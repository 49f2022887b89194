"""The front end's time grows with the program, not with its square."""

import time

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


def seconds(length):
    start = time.process_time()
    run(Source("chain.mlir", chain(length)), until="linalg")
    return time.process_time() - start


def test_chains():
    seconds(10)  # imports
    short, long = min(seconds(50) for _ in range(3)), seconds(1000)
    assert short < 0.4
    assert long < 60 * short
    assert long < 5
