"""`hwc specialize`, `Program.specialize` and `--emit tosa`: text that other tools of TOSA take."""

from __future__ import annotations

import random

import numpy as np
import pytest
from e2e.support import reference
from e2e.support.mlir_tools import MLIR_OPT, TOSA_OPT, reference_model, run_tool
from e2e.support.tosa_text import one_operator
from element_types import DTYPES
from unit.backend.programs import generate

import hwc
from hwc.cli.compare import Tolerance, difference
from hwc.cli.main import main
from hwc.compiler import specialize
from hwc.frontend.source import Source

needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
needs_reference_model = pytest.mark.skipif(TOSA_OPT is None, reason="tosa-tools is not installed")

PROGRAM = """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %0: tensor<f32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %1 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = tosa.mul %1, %0 : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %3 = tosa.reshape %2 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %2, %3 : tensor<?x?xf32>, tensor<?xf32>
}
"""  # noqa: E501 - MLIR text has long lines


@pytest.fixture(name="command")
def _command(tmp_path, capsys):
    """Run `hwc COMMAND` on PROGRAM and return the exit code, the output and the errors."""
    source = tmp_path / "m.mlir"
    source.write_text(PROGRAM)

    def run(name, *options):
        code = main([name, str(source), *map(str, options)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.replace(str(tmp_path), "")

    return run


def test_a_static_program(command, tmp_path):
    code, out, _ = command("specialize", "--dims", "a=4x3,b=3")
    assert code == 0
    assert "?" not in out
    assert "-> (tensor<4x3xf32>, tensor<12xf32>)" in out
    assert command("specialize", "--dims", "a=4x3,b=3", "-o", tmp_path / "s.mlir")[:2] == (0, "")
    assert (tmp_path / "s.mlir").read_text() == out
    arrays = [np.ones((4, 3), np.float32), np.arange(3, dtype=np.float32), np.float32(2)]
    for got, expected in zip(
        hwc.compile(out)(*arrays).outputs, hwc.compile(PROGRAM)(*arrays).outputs, strict=True
    ):
        np.testing.assert_array_equal(got, expected)


def test_from_python_as_from_the_command_line(command):
    program = hwc.compile(PROGRAM)
    assert program.specialize(a=(4, 3), b=(3,)) == command("specialize", "--dims", "a=4x3,b=3")[1]
    partly = program.specialize(a=(4, None), arg2=())
    assert partly == command("specialize", "--dims", "%a=4x?,arg2=scalar")[1]
    assert "%a: tensor<4x?xf32>, %b: tensor<?xf32>" in partly


NAMED = """\
func.func @main(%a: T {hwc.symbols = ["n", "d"]}, %b: T {hwc.symbols = ["m", "d"]}, %c: T) -> T
    attributes {hwc.assume = ["m == n", "d % 8 == 0"]} {
  %0 = tosa.add %a, %b : (T, T) -> T
  %1 = tosa.sub %0, %c {hwc.strict} : (T, T) -> T
  return %1 : T
}
""".replace("T", "tensor<?x?xf32>")


def test_names_facts_and_strict_dimensions_decide_further_sizes():
    program = hwc.compile(NAMED)
    rows = program.specialize(a=(4, None))
    assert rows.count("tensor<4x?xf32>") == 3 + 1 + 2 * 3 + 1
    assert "?" not in program.specialize(n=(1,), d=(8,))
    assert program.specialize(n=(1,), d=(8,)) == program.specialize(b=(1, 8))
    for dims, message in (
        (
            {"d": (7,)},
            "the fact 'a.1 == 7' of function @main requires 'd', dimension 1 of %a",
        ),
        ({"n": (1,), "c": (5, 8)}, "'tosa.sub' does not broadcast: strict"),
        ({"n": (1, 2)}, "'n' is the name of one size, got 1x2"),
        ({"q": (1,)}, "function @main has no argument %q"),
    ):
        with pytest.raises(hwc.UserError, match=message):
            program.specialize(**dims)


@needs_mlir_opt
@pytest.mark.parametrize("dims", [{}, {"a": (4, None)}, {"b": (3,)}, {"a": (None, 1)}])
def test_a_partly_static_program_can_be_compiled_again(dims):
    """The new shapes of its reshapes are computed, by operators that upstream and hwc read."""
    program = hwc.compile(PROGRAM)
    text = program.specialize(**dims)
    assert "-1" not in text
    run_tool(MLIR_OPT, text)
    shapes = {"a": (4, 1), "b": (3,), **dims}
    shape = [size or other for size, other in zip(shapes["a"], (4, 1), strict=True)]
    arrays = [np.ones(shape, np.float32), np.arange(3, dtype=np.float32), np.float32(2)]
    for got, expected in zip(
        hwc.compile(text)(*arrays).outputs, program(*arrays).outputs, strict=True
    ):
        np.testing.assert_array_equal(got, expected)


def test_a_package_does_not_hold_the_text(tmp_path):
    hwc.compile(PROGRAM).save(tmp_path / "m.hwx")
    with pytest.raises(hwc.UserError, match=r"-: error: a package does not hold the text"):
        hwc.load(tmp_path / "m.hwx").specialize(a=(4, 3))


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ("a=4x", "dims: error: got 'a=4x', expected an argument and its sizes, as in a=4x?"),
        (f"a={'9' * 5000}x1", "dims: error: got 'a=999"),
        ("=4", "dims: error: got '=4', expected an argument and its sizes, as in a=4x?"),
        ("a=4x3,a=4x3", "dims: error: argument %a is given twice"),
        ("q=4", "/m.mlir:1:1: error: function @main has no argument %q"),
        ("a=4", "/m.mlir:1:1: error: argument %a cannot have the sizes 4: it is declared as ?x?"),
        ("a=4x0", "/m.mlir:2:8: error: 'tosa.add' has a tensor without elements, tensor<4x0xf32>"),
        (
            "a=4x3,b=2",
            "/m.mlir:2:8: error: the operands of 'tosa.add' do not broadcast: dimension 1 is 3 in "
            "operand 0 (4x3) and 2 in operand 1 (2)",
        ),
    ],
)
def test_refused(command, tmp_path, dims, message):
    code, out, err = command("specialize", "--dims", dims, "-o", tmp_path / "s.mlir")
    assert (code, out) == (1, "")
    assert err.startswith(message)
    assert not (tmp_path / "s.mlir").exists()


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ("n=3,a=4x?", "'n' cannot be 3: it is dimension 0 of argument %a, which is 4"),
        ("d=9", "'d' cannot be 9: it is dimension 1 of argument %a, which is 8"),
    ],
)
def test_a_name_and_an_argument_that_disagree(dims, message):
    text = """\
func.func @main(%a: tensor<?x8xf32> {hwc.symbols = ["n", "d"]}) -> tensor<?x8xf32> {
  %0 = tosa.abs %a : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""
    with pytest.raises(hwc.UserError, match=f"m.mlir:1:1: error: {message}"):
        specialize(Source("m.mlir", text), dims)
    assert "tensor<5x8xf32>" in hwc.compile(text).specialize(n=5)


@pytest.mark.parametrize(
    ("sizes", "got"), [(-1, "-1"), (4.0, "4.0"), ((4, "x"), "4xx"), (True, "True"), ([[4]], "4")]
)
def test_sizes_of_other_kinds(sizes, got):
    message = rf"got 'q={got}', expected an argument|has no argument %q"
    with pytest.raises(hwc.UserError, match=message):
        hwc.compile(PROGRAM).specialize(q=sizes)


def test_what_operators_require_together_is_refused():
    """Each operator alone takes the sizes; the first requires %a to be 4, the second 1 or 3."""
    program = hwc.compile("""\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = tosa.add %a, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
""")
    program.specialize(b=(1,), c=(4,))
    with pytest.raises(hwc.UserError, match="-:3:8: error: 'tosa.add' requires dimension 0 of "):
        program.specialize(b=(1,), c=(3,))


@needs_mlir_opt
def test_emit_tosa_is_what_upstream_reads(command):
    out = command("compile", "--emit", "tosa")[1]
    run_tool(MLIR_OPT, out)
    with pytest.raises(ValueError, match="'tosa.add' op"):
        run_tool(MLIR_OPT, PROGRAM)


@needs_mlir_opt
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed):
    """Upstream takes the specialised program, and it computes the same as the dynamic one."""
    rng = random.Random(seed)
    size = (rng.randint(1, 6), rng.choice((3, 8, 20)), rng.randint(1, 4))
    random_program = generate(seed + 7000, *size, rng.choice((0.5, 0.9, 1.0)))
    program = hwc.compile(random_program.text)
    shapes = {f"a{i}": array.shape for i, array in enumerate(random_program.arguments)}
    text = program.specialize(**shapes)
    assert "?" not in text
    run_tool(MLIR_OPT, text)
    for got, expected in zip(
        hwc.compile(text)(*random_program.arguments).outputs, random_program.results, strict=True
    ):
        np.testing.assert_array_equal(got, expected)


SPECIFIED = {
    **dict.fromkeys(("abs", "clz", "maximum", "minimum", "equal", "greater"), {"i32", "f32"}),
    **dict.fromkeys(("add", "sub", "greater_equal"), {"i32", "f32"}),
    "clamp": {"i8", "f32"},
    "mul": {"i8", "i16", "i32", "f32"},
}
"""Element types of the profiles where hwc takes more; see TOSA 1.0, supported data types."""


def specified(case):
    """Whether TOSA 1.0 defines the operator for these types."""
    kind = case.types[-1]
    if case.operator.startswith("bitwise") or case.operator in ("identity", "select"):
        return kind != "i1" or case.operator in ("identity", "select")
    if case.operator == "mul" and kind in ("i8", "i16"):
        return case.result == "i32"
    if case.operator == "cast":
        both = {kind, case.result}
        return kind != case.result and not ("i1" in both and both & {"f16", "f32"})
    return kind in SPECIFIED.get(case.operator, {kind})


@needs_reference_model
@pytest.mark.parametrize("case", [c for c in reference.cases() if specified(c)], ids=str)
def test_the_reference_model_agrees(case):
    """Every operator, dynamic with operands of different ranks, specialised to sizes."""
    ranks = [2, 1, 0][: len(case.types)]
    shapes = [(3, 5), (5,), ()][: len(case.types)]
    operands = [((None,) * rank, kind) for rank, kind in zip(ranks, case.types, strict=True)]
    text = one_operator(
        case.operator, operands, ((None, None), case.result), case.attributes, case.constants
    )
    rng = np.random.default_rng(3)
    arrays = [values(kind, shape, rng) for kind, shape in zip(case.types, shapes, strict=True)]
    program = hwc.compile(text)
    names = [f"{chr(ord('a') + i)}" for i in range(len(shapes))]
    static = program.specialize(**dict(zip(names, shapes, strict=True)))
    (output,) = program(*arrays).outputs
    (expected,) = reference_model(static, arrays)
    assert difference(output, expected, Tolerance(ulp=4 * case.ulp, atol=1e-6 * case.ulp)) is None


def values(kind, shape, rng):
    """Arguments for which TOSA 1.0 defines the result: no overflow, no division by zero."""
    if kind == "f32":
        return np.asarray(rng.uniform(0.1, 4, shape), np.float32)
    if kind == "i1":
        return np.asarray(rng.integers(0, 2, shape), np.bool_)
    return np.asarray(rng.integers(1, 7, shape), DTYPES[kind])


def test_what_the_caller_said_about_sizes_holds_for_the_specialised_program():
    program = hwc.compile(PROGRAM, assume=["a.0 != 4"])
    assert program.specialize(a=(3, 3), b=(3,))
    with pytest.raises(hwc.UserError, match=r"to be both not 4 .*and 4"):
        program.specialize(a=(4, 3), b=(3,))


def test_sizes_that_a_strict_program_refuses():
    """In the specialised text both sizes are static, and a static 1 expands."""
    text = PROGRAM.replace("%b: tensor<?xf32>", "%b: tensor<?x?xf32>").replace(
        "%b : (tensor<?x?xf32>, tensor<?xf32>)", "%b : (tensor<?x?xf32>, tensor<?x?xf32>)"
    )
    assert hwc.compile(text).specialize(a=(4, 3), b=(1, 3))
    strict = hwc.compile(text, broadcast="strict")
    assert strict.specialize(a=(4, 3), b=(4, 3))
    with pytest.raises(hwc.UserError, match=r"-:2:8: error: 'tosa.add' does not broadcast: strict"):
        strict.specialize(a=(4, 3), b=(1, 3))


@pytest.mark.parametrize("broadcast", ["hwc.strict", "strict"])
def test_a_size_that_becomes_1_does_not_expand_in_a_strict_operator(broadcast):
    """What it meets may have any size, as far as the compiler knows: a reshape gives it."""
    text = """\
func.func @main(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>, %one: tensor<1xf32>) -> tensor<?x?xf32> {
  %s = tosa.const_shape {values = dense<[-1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %r = tosa.reshape %x, %s : (tensor<?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  %0 = tosa.add %r, %z {hwc.strict} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.add %0, %one : (tensor<?x?xf32>, tensor<1xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""
    language = {} if broadcast == "hwc.strict" else {"broadcast": broadcast}
    if language:
        text = text.replace(" {hwc.strict}", "")
    one = np.ones(1, np.float32)
    program = hwc.compile(text, **language)
    partly = program.specialize(z=(None, 1))
    specialised = hwc.compile(partly, **language)
    x, z = np.ones((1, 1), np.float32), np.ones((4, 1), np.float32)
    for compiled in (program, specialised):
        assert compiled(x, z, one).outputs[0].tolist() == [[3.0]] * 4
        with pytest.raises(hwc.UserError, match=r"-:\d+:\d+: error: 'tosa.add|'tensor.cast"):
            compiled(np.ones((2, 3), np.float32), z, one)


def test_a_result_of_linalg_has_the_sizes_of_its_destination():
    text = PROGRAM.replace(
        "%1 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>",
        "%1 = linalg.broadcast ins(%b : tensor<?xf32>) outs(%a : tensor<?x?xf32>) dimensions = [0]",
    )
    static = hwc.compile(text).specialize(a=(4, 3), b=(3,))
    assert "?" not in static
    arrays = [np.ones((4, 3), np.float32), np.arange(3, dtype=np.float32), np.float32(2)]
    np.testing.assert_array_equal(
        hwc.compile(static)(*arrays).outputs[0], np.broadcast_to(arrays[1] * 2, (4, 3))
    )


def test_an_operator_of_a_library(tmp_path, capsys):
    library = tmp_path / "my.mlir"
    library.write_text(
        "func.func private @my.popcount(%x: i32) -> i32 {\n"
        "  %0 = math.ctpop %x : i32\n  return %0 : i32\n}\n"
    )
    source = tmp_path / "m.mlir"
    source.write_text(
        "func.func @main(%a: tensor<?xi32>) -> tensor<?xi32> {\n"
        '  %0 = tosa.custom %a {domain_name = "my", implementation_attrs = "", operator_name = '
        '"popcount"} : (tensor<?xi32>) -> tensor<?xi32>\n  return %0 : tensor<?xi32>\n}\n'
    )
    text = hwc.compile(source, libraries=[library]).specialize(a=(3,))
    assert "-> tensor<3xi32>\n" in text
    assert main(["specialize", str(source), "--dims", "a=3", "--library", str(library)]) == 0
    assert capsys.readouterr().out == text
    (output,) = hwc.compile(text, libraries=[library])(np.array([1, 3, 7], np.int32)).outputs
    assert output.tolist() == [1, 2, 3]
