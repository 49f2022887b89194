"""Shapes that a program computes: the sizes of results, and what is refused."""

import re

import numpy as np
import pytest
from e2e.support.mlir_tools import MLIR_OPT, run_tool

import hwc
from hwc.errors import DispatchError, SourceError
from hwc.frontend.source import Source
from hwc.pipeline import PORTABLE, run

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


def _upstream(*lines, result="tensor<?x?xf32>"):
    """A program that computes the sizes %n and %d of the abs of %x with `tensor` and `arith`."""
    body = "\n".join(f"  {line}" for line in lines)
    return f"""\
func.func @main(%x: tensor<X>) -> {result} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<X>
  %d = tensor.dim %x, %c1 : tensor<X>
  %a = tosa.abs %x : (tensor<X>) -> tensor<X>
{body}
  return %r : {result}
}}
"""


_HALVES = _upstream(
    "%h = arith.ceildivui %d, %c2 : index",
    "%b = tensor.cast %a : tensor<X> to tensor<?x?xf32>",
    "%r = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, %h, 2] : tensor<?x?xf32> into "
    "tensor<?x?x2xf32>",
    result="tensor<?x?x2xf32>",
)
_WHOLE = _upstream(
    "%b = tensor.cast %a : tensor<X> to tensor<?x?xf32>",
    "%r = tensor.collapse_shape %b [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>",
    result="tensor<?xf32>",
)
_CHOSEN = _upstream(
    "%flat = arith.cmpi ult, %n, %d : index",
    "%wide = arith.index_cast %n : index to i64",
    "%two = arith.constant 2 : i64",
    "%double = arith.shli %wide, %two : i64",
    "%four = arith.index_cast %double : i64 to index",
    "%e = arith.divui %d, %c2 : index",
    "%f = arith.divui %e, %c2 : index",
    "%p = arith.select %flat, %four, %n : index",
    "%q = arith.select %flat, %f, %d : index",
    "%s = tensor.from_elements %p, %q : tensor<2xindex>",
    "%r = tensor.reshape %a(%s) : (tensor<X>, tensor<2xindex>) -> tensor<?x?xf32>",
)

_OUTER = _upstream(
    "%b = tensor.cast %a : tensor<X> to tensor<?x?xf32>",
    "%p = tensor.expand_shape %b [[0, 1], [2]] output_shape [%n, 1, %d] : tensor<?x?xf32> into "
    "tensor<?x1x?xf32>",
    "%q = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, %d, 1] : tensor<?x?xf32> into "
    "tensor<?x?x1xf32>",
    "%r = tosa.maximum %p, %q : (tensor<?x1x?xf32>, tensor<?x?x1xf32>) -> tensor<?x?x?xf32>",
    result="tensor<?x?x?xf32>",
)

PROGRAMS = {
    "halves": (
        _HALVES,
        lambda n, d: (n, d // 2, 2),
        [(3, 8), (1, 2), (0, 6), (4, 0)],
        [(3, 5), (1, 1)],
    ),
    "the whole": (_WHOLE, lambda n, d: (n * d,), [(3, 8), (1, 1), (0, 6)], []),
    "one of two shapes": (
        _CHOSEN,
        lambda n, d: (4 * n, d // 4) if n < d else (n, d),
        [(3, 8), (8, 3), (5, 5), (0, 0)],
        [(3, 6)],
    ),
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
        with pytest.raises(DispatchError, match=r"m\.mlir:\d+:\d+: error: '(tosa|tensor|arith)\."):
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
        with pytest.raises(SourceError, match=r"m\.mlir:\d+:\d+: error: '(tosa|tensor|arith)\."):
            compiled(name, sizes)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_specialised_program_is_tosa_and_gives_the_same(compiled, name):
    _, shape, fitting, refused = PROGRAMS[name]
    program = compiled(name)
    for sizes in fitting:
        if 0 in sizes:
            continue
        text = program.specialize(x=sizes)
        assert not re.search(r"\?|tensor\.|arith\.|_shape %", text), text
        x = np.random.default_rng(1).standard_normal(sizes, np.float32)
        expected = np.abs(x).reshape(shape(*sizes))
        np.testing.assert_array_equal(hwc.compile(text)(x).outputs[0], expected, strict=True)
        partly = program.specialize(x=(None, sizes[1]))
        np.testing.assert_array_equal(hwc.compile(partly)(x).outputs[0], expected, strict=True)
        if MLIR_OPT is not None:
            run_tool(MLIR_OPT, text)
            run_tool(MLIR_OPT, partly)
    for sizes in refused:
        with pytest.raises(SourceError):
            program.specialize(x=sizes)


@pytest.mark.parametrize("name", ["heads", "powers of two", "one of two shapes"])
def test_the_portable_text_gives_the_same_in_iree(name):
    iree = pytest.importorskip("e2e.support.iree")
    text, shape, fitting, _ = PROGRAMS[name]
    source = Source("m.mlir", text.replace("X", "?x?xf32"))
    judge = iree.Judge(str(run(source, until="linalg", then=(PORTABLE,)).module), "auto")
    for sizes in fitting:
        if 0 not in sizes:
            x = np.random.default_rng(1).standard_normal(sizes, np.float32)
            expected = np.abs(x).reshape(shape(*sizes))
            np.testing.assert_array_equal(judge(x)[0], expected, strict=True)


TAKES_A_SHAPE = """\
func.func @main(%x: tensor<?x?xf32>, %s: tensor<3xi32>, %k: i32)
  -> (tensor<?x?x?xf32>, tensor<?xi32>) {
  %a = tosa.abs %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = tensor.reshape %a(%s) : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  %1 = arith.index_cast %k : i32 to index
  %2 = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %3 = tensor.from_elements %1 : tensor<1xindex>
  %4 = tensor.reshape %2(%3) : (tensor<2x3xi32>, tensor<1xindex>) -> tensor<?xi32>
  return %0, %4 : tensor<?x?x?xf32>, tensor<?xi32>
}
"""


def test_the_host_reads_sizes_from_arguments(tmp_path):
    path = tmp_path / "m.mlir"
    path.write_text(TAKES_A_SHAPE)
    program = hwc.compile(str(path))
    x = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
    for shape in ([3, 2, 2], [12, 1, 1], [1, 1, 12]):
        outputs = program(x, np.array(shape, np.int32), 6).outputs
        np.testing.assert_array_equal(outputs[0], np.abs(x).reshape(shape), strict=True)
        np.testing.assert_array_equal(outputs[1], np.arange(1, 7, dtype=np.int32), strict=True)
    for shape, k, message in (
        ([3, 2, 3], 6, "cannot reshape 12 elements, shape (3, 4), into 18 elements"),
        (
            [3, -2, -2],
            6,
            "got the computed size -2 (element [1] of argument 1 (%s)), expected",
        ),
        ([3, 2, 2], 5, "cannot reshape 6 elements, shape (2, 3), into 5 elements, shape (5,)"),
    ):
        with pytest.raises(DispatchError, match=re.escape(message)):
            program(x, np.array(shape, np.int32), k)
    with pytest.raises(DispatchError, match=re.escape("sizes depend on the elements of argument")):
        program.symbols([(3, 4), (3,), ()])


def test_ones_between_dimensions_make_an_outer_maximum(tmp_path):
    """a[i][j] with a[i][k], all sizes dynamic: one kernel, and no check but that of the sizes."""
    path = tmp_path / "m.mlir"
    path.write_text(_OUTER.replace("X", "?x?xf32"))
    program = hwc.compile(str(path))
    for sizes in ((3, 8), (1, 1), (0, 4), (4, 1)):
        x = np.random.default_rng(1).standard_normal(sizes, np.float32)
        expected = np.maximum(np.abs(x)[:, None, :], np.abs(x)[:, :, None])
        np.testing.assert_array_equal(program(x).outputs[0], expected, strict=True)
    assert len(program.package.shape_program.steps) == 2


def test_the_error_says_where_a_size_was_computed(compiled, tmp_path):
    path = tmp_path / "m.mlir"
    with pytest.raises(DispatchError) as refused:
        compiled("sums")(np.zeros((0, 0), np.float32))
    assert str(refused.value) == (
        f"{path}:9:8: error: 'tosa.reshape': got the computed size -1 "
        f"('tosa.sub_shape' at {path}:6:8), expected 0 to 2147483647"
    )
