"""Whole programs that go wrong easily."""

from pathlib import Path

import numpy as np
import pytest
from e2e.support.tosa_text import dynamic, one_operator

import hwc

PROGRAMS = Path(__file__).parent / "programs"
TARGETS = ("accel", "tiny", "wide")


def f32(*values):
    return np.array(values, np.float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("a", "b", "c"), [(1, 1, 5), (5, 5, 5), (5, 1, 1), (1, 4, 4), (1, 1, 1)])
def test_two_results_whose_sizes_may_differ(target, a, b, c):
    program = hwc.compile(PROGRAMS / "two_results.mlir", target)
    rng = np.random.default_rng(1)
    a, b, c = (rng.standard_normal(n, dtype=np.float32) for n in (a, b, c))
    t, u = program(a, b, c).outputs
    np.testing.assert_array_equal(t, a + b)
    np.testing.assert_array_equal(u, (a + b) * c)


@pytest.mark.parametrize("target", TARGETS)
def test_a_narrow_intermediate_wraps_inside_a_fused_kernel(target):
    program = hwc.compile(PROGRAMS / "narrow.mlir", target)
    (dispatch,) = program.package.dispatches
    assert len(dispatch.kernels) == 1
    (output,) = program(np.array([100, -100, 3], np.int8), np.array([100], np.int8)).outputs
    assert output.tolist() == [-28, 0, 51]


def test_a_buffer_given_twice_as_an_input():
    shape = (dynamic(2), "f32")
    program = hwc.compile(one_operator("sub", [shape, shape], shape))
    a = np.random.default_rng(0).standard_normal((5, 7), dtype=np.float32)
    np.testing.assert_array_equal(program(a, a).outputs[0], a - a)
    np.testing.assert_array_equal(program(a, a[:1]).outputs[0], a - a[:1])
    np.testing.assert_array_equal(program(a[:, ::-1], a).outputs[0], a[:, ::-1] - a)


def test_an_argument_returned_and_a_result_returned_twice():
    program = hwc.compile(
        "func.func @main(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {\n"
        "  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>\n"
        "  return %a, %0, %0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>\n}\n"
    )
    a = f32(-1, 2, -3)
    same, first, second = program(a).outputs
    np.testing.assert_array_equal(same, a)
    np.testing.assert_array_equal(first, [1, 2, 3])
    np.testing.assert_array_equal(second, [1, 2, 3])
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(same, a)


def test_a_constant_returned():
    program = hwc.compile(
        "func.func @main() -> tensor<2x2xi16> {\n"
        '  %0 = "tosa.const"() {values = dense<[[1, 2], [3, -4]]> : tensor<2x2xi16>} : () -> '
        "tensor<2x2xi16>\n"
        "  return %0 : tensor<2x2xi16>\n}\n"
    )
    assert program().outputs[0].tolist() == [[1, 2], [3, -4]]


def reshape(wanted, source="?x?"):
    sizes = "x".join(str(s) for s in wanted)
    return (
        f"func.func @main(%a: tensor<{source}xf32>, %b: tensor<{sizes}xf32>) -> "
        f"tensor<{sizes}xf32> {{\n"
        f"  %s = tosa.const_shape {{values = dense<{list(wanted)}> : "
        f"tensor<{len(wanted)}xindex>}} : () -> !tosa.shape<{len(wanted)}>\n"
        f"  %0 = tosa.abs %a : (tensor<{source}xf32>) -> tensor<{source}xf32>\n"
        f"  %1 = tosa.reshape %0, %s : (tensor<{source}xf32>, !tosa.shape<{len(wanted)}>) -> "
        f"tensor<{sizes}xf32>\n"
        f"  %2 = tosa.add %1, %b : (tensor<{sizes}xf32>, tensor<{sizes}xf32>) -> "
        f"tensor<{sizes}xf32>\n"
        f"  return %2 : tensor<{sizes}xf32>\n}}\n"
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_reshape_is_a_view_and_is_checked(target):
    program = hwc.compile(reshape((4, 5)), target)
    rng = np.random.default_rng(4)
    b = rng.standard_normal((4, 5), dtype=np.float32)
    for shape in ((4, 5), (2, 10), (20, 1), (1, 20)):
        a = rng.standard_normal(shape, dtype=np.float32)
        (output,) = program(a, b).outputs
        np.testing.assert_array_equal(output, np.abs(a).reshape(4, 5) + b)
    with pytest.raises(hwc.DispatchError, match=r"'tosa.reshape'.*15 elements.*20 elements"):
        program(np.zeros((3, 5), np.float32), b)


def test_compiling_twice_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        hwc.compile(PROGRAMS / "chain.mlir", "accel").save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_what_compile_takes(tmp_path):
    text = (PROGRAMS / "add.mlir").read_text()
    by_text = hwc.compile(text)
    by_path = hwc.compile(PROGRAMS / "add.mlir")
    by_name = hwc.compile(str(PROGRAMS / "add.mlir"))
    assert by_text.package.dispatches == by_path.package.dispatches == by_name.package.dispatches
    assert by_text.package.source_name == "-"
    tiny = hwc.compile(text, by_text.target)
    assert tiny.package == by_text.package
    with pytest.raises(hwc.UserError, match=r"no\.mlir: error: cannot read: No such file"):
        hwc.compile(tmp_path / "no.mlir")
    with pytest.raises(hwc.UserError, match="unknown target 'huge'"):
        hwc.compile(text, "huge")
    (tmp_path / "bad.mlir").write_bytes(b"func.func\n\xff")
    with pytest.raises(hwc.UserError, match=r"bad\.mlir:2: error: not UTF-8"):
        hwc.compile(tmp_path / "bad.mlir")
