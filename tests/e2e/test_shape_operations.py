"""Shapes that a program computes: the sizes of results, what is refused, and mlir-opt's opinion."""

import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError, SourceError

SHAPE = "!tosa.shape<1>"


def _program(*lines, result="tensor<?x?xf32>"):
    """A program that takes the abs of %x, a `tensor<X>`, and reshapes it by the shape %s."""
    rank = result.count("x")
    body = "\n".join(f"  {line}" for line in lines)
    return f"""\
func.func @main(%x: tensor<X>) -> {result} {{
  %n = tosa.dim %x {{axis = 0 : i32}} : (tensor<X>) -> {SHAPE}
  %d = tosa.dim %x {{axis = 1 : i32}} : (tensor<X>) -> {SHAPE}
{body}
  %a = tosa.abs %x : (tensor<X>) -> tensor<X>
  %r = tosa.reshape %a, %s : (tensor<X>, !tosa.shape<{rank}>) -> {result}
  return %r : {result}
}}
"""


def _const(name, value):
    values = f"dense<[{value}]> : tensor<1xindex>"
    return f"%{name} = tosa.const_shape {{values = {values}}} : () -> {SHAPE}"


def _binary(name, operator, a, b):
    return f"%{name} = tosa.{operator}_shape %{a}, %{b} : ({SHAPE}, {SHAPE}) -> {SHAPE}"


def _unary(name, operator, a):
    return f"%{name} = tosa.{operator}_shape %{a} : ({SHAPE}) -> {SHAPE}"


def _concat(*names):
    operands = ", ".join(f"%{name}" for name in names)
    types = ", ".join([SHAPE] * len(names))
    return f"%s = tosa.concat_shape {operands} : ({types}) -> !tosa.shape<{len(names)}>"


PROGRAMS = {
    "heads": (
        _program(
            _const("h", 4),
            _binary("e", "div_floor", "d", "h"),
            _concat("n", "h", "e"),
            result="tensor<?x?x?xf32>",
        ),
        lambda n, d: (n, 4, d // 4),
        [(3, 8), (1, 4), (5, 0), (0, 12)],
        [(3, 9), (1, 3)],
    ),
    "the other way round": (
        _program(_concat("d", "n")),
        lambda n, d: (d, n),
        [(3, 8), (1, 1), (0, 7)],
        [],
    ),
    "joined": (
        _program(_binary("s", "mul", "n", "d"), result="tensor<?xf32>"),
        lambda n, d: (n * d,),
        [(3, 8), (1, 1), (0, 7)],
        [],
    ),
    "a size inferred": (
        _program(_const("m", -1), _concat("d", "m")),
        lambda n, d: (d, n),
        [(3, 8), (1, 1), (0, 7)],
        [(7, 0)],
    ),
    "sums": (
        _program(
            _const("one", 1),
            _binary("p", "add", "n", "one"),
            _binary("q", "sub", "d", "one"),
            _concat("p", "q"),
        ),
        lambda n, d: (n + 1, d - 1),
        [(3, 4), (9, 10), (0, 1)],
        [(3, 5), (0, 0)],
    ),
    "larger and smaller": (
        _program(_binary("p", "max", "n", "d"), _binary("q", "min", "n", "d"), _concat("p", "q")),
        lambda n, d: (max(n, d), min(n, d)),
        [(3, 8), (8, 3), (0, 7)],
        [],
    ),
    "rest": (
        _program(
            _const("two", 2),
            _binary("half", "div_ceil", "d", "two"),
            _binary("odd", "mod", "d", "two"),
            _binary("rest", "sub", "two", "odd"),
            _binary("m", "mul", "n", "rest"),
            _concat("half", "m"),
        ),
        lambda n, d: (-(-d // 2), n * (2 - d % 2)),
        [(3, 8), (5, 1), (4, 2)],
        [(3, 9)],
    ),
    "powers of two": (
        _program(
            _unary("l", "log2_floor", "n"),
            _unary("p", "exp2", "l"),
            _unary("c", "log2_ceil", "n"),
            _unary("q", "exp2", "c"),
            _binary("k", "div_floor", "q", "p"),
            _concat("p", "k", "d"),
            result="tensor<?x?x?xf32>",
        ),
        lambda n, d: (n, 1, d),
        [(4, 3), (1, 5), (64, 1)],
        [(5, 3), (0, 3)],
    ),
}


@pytest.fixture(name="compiled")
def _compiled(tmp_path):
    """A function that compiles a program for %x of a shape, dynamic if there is none."""

    def compile_(name, sizes=("?", "?")):
        path = tmp_path / "m.mlir"
        path.write_text(PROGRAMS[name][0].replace("X", "x".join(map(str, sizes)) + "xf32"))
        return hwc.compile(str(path))

    return compile_


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_result_has_the_computed_sizes(compiled, name):
    _, shape, fitting, refused = PROGRAMS[name]
    program = compiled(name)
    for sizes in fitting:
        x = np.random.default_rng(1).standard_normal(sizes, np.float32)
        result = program(x).outputs[0]
        np.testing.assert_array_equal(result, np.abs(x).reshape(shape(*sizes)), strict=True)
    for sizes in refused:
        with pytest.raises(DispatchError, match=r"m\.mlir:\d+:\d+: error: 'tosa\."):
            program(np.zeros(sizes, np.float32))


@pytest.mark.parametrize("name", PROGRAMS)
def test_they_fold_in_a_static_program(compiled, name):
    _, shape, fitting, refused = PROGRAMS[name]
    x = np.random.default_rng(1).standard_normal(fitting[0], np.float32)
    static = compiled(name, x.shape)
    np.testing.assert_array_equal(
        static(x).outputs[0], np.abs(x).reshape(shape(*x.shape)), strict=True
    )
    assert not static.package.shape_program.steps
    for sizes in refused:
        with pytest.raises(SourceError, match=r"m\.mlir:\d+:\d+: error: 'tosa\."):
            compiled(name, sizes)


def test_the_error_says_where_a_size_was_computed(compiled, tmp_path):
    path = tmp_path / "m.mlir"
    with pytest.raises(DispatchError) as refused:
        compiled("sums")(np.zeros((0, 0), np.float32))
    assert str(refused.value) == (
        f"{path}:9:8: error: 'tosa.reshape': got the computed size -1 "
        f"('tosa.sub_shape' at {path}:6:8), expected 0 to 2147483647"
    )
