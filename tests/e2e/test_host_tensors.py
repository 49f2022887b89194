"""Tensors that the host fills for a call: sizes as elements, and positions in a dynamic loop."""

# ruff: noqa: E501 - MLIR text has long lines

import numpy as np
import pytest
from e2e.support.mlir_tools import MLIR_OPT, run_tool

import hwc
from hwc.errors import DispatchError, SourceError
from hwc.frontend.source import Source
from hwc.pipeline import CHECKED_PORTABLE, run
from isa.target import load_target

MEAN = """\
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %t = tensor.from_elements %i : tensor<1xi32>
  %s = tensor.splat %f : tensor<f32>
  %0 = tosa.mul %x, %s : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %1 = tosa.cast %t : (tensor<1xi32>) -> tensor<1xf32>
  %2 = tosa.sub %0, %1 : (tensor<?x?xf32>, tensor<1xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
"""
SIZES = """\
func.func @main(%x: tensor<?x?xf32>) -> (tensor<3xi32>, tensor<2x1xi16>, i32, tensor<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %k = arith.subi %n, %d : index
  %less = arith.cmpi slt, %n, %d : index
  %i = arith.index_cast %n : index to i32
  %j = arith.index_cast %k : index to i32
  %s = arith.index_cast %n : index to i16
  %m = arith.constant -7 : i32
  %0 = tensor.from_elements %j, %m, %i : tensor<3xi32>
  %1 = tensor.from_elements %s, %s : tensor<2x1xi16>
  %2 = tensor.from_elements %less : tensor<1xi1>
  return %0, %1, %j, %2 : tensor<3xi32>, tensor<2x1xi16>, i32, tensor<1xi1>
}
"""
BRANCH = """\
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %less = arith.cmpi slt, %n, %c4 : index
  %0 = arith.negf %x : tensor<?x?xf32>
  %1 = arith.select %less, %x, %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""
POSITIONS = """\
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0:2 = linalg.generic
      {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.index_cast %i : index to i32
    %2 = arith.index_cast %j : index to i16
    %3 = arith.extsi %2 : i16 to i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.sitofp %4 : i32 to f32
    %6 = arith.addf %p, %5 : f32
    %7 = arith.sitofp %1 : i32 to f32
    linalg.yield %6, %7 : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %8 = linalg.generic {indexing_maps = [#swap, #swap], iterator_types = ["parallel", "parallel"]}
      ins(%0#1 : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %1 = arith.index_cast %i : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.addf %p, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x?xf32>
  return %0#0, %8 : tensor<?x?xf32>, tensor<?x?xf32>
}
"""
IOTA = """\
func.func @main(%x: tensor<?xi8>) -> (tensor<?xi32>, tensor<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi8>
  %m = arith.addi %n, %n : index
  %e = tensor.empty(%m) : tensor<?xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<?xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %1 = arith.index_cast %i : index to i32
    linalg.yield %1 : i32
  } -> tensor<?xi32>
  %s = tensor.expand_shape %0 [[0, 1]] output_shape [%n, 2] : tensor<?xi32> into tensor<?x2xi32>
  %2 = tosa.abs %s : (tensor<?x2xi32>) -> tensor<?x?xi32>
  return %0, %2 : tensor<?xi32>, tensor<?x?xi32>
}
"""
WIDE = """\
func.func @main(%x: tensor<?xf32>) -> (i32, i8, i1, i1, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i64
  %k = arith.trunci %three : i64 to i32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %l = arith.index_cast %n : index to i64
  %m = arith.trunci %l : i64 to i8
  %less = arith.cmpi slt, %l, %three : i64
  %odd = arith.remsi %l, %three : i64
  %b = arith.trunci %odd : i64 to i1
  %f = arith.sitofp %k : i32 to f32
  %s = tensor.splat %f : tensor<f32>
  %0 = tosa.mul %x, %s : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %k, %m, %less, %b, %0 : i32, i8, i1, i1, tensor<?xf32>
}
"""


def _mean(x):
    return (x * np.float32(x.shape[1]) - np.float32(x.shape[1]),)


def _sizes(x):
    n, d = x.shape
    return (
        np.array([n - d, -7, n], np.int32),
        np.array([[n], [n]], np.int16),
        np.array(n - d, np.int32),
        np.array([n < d]),
    )


def _positions(x, y):
    rows, columns = (np.arange(size, dtype=np.float32) for size in x.shape)
    return x + np.outer(rows, columns), np.add.outer(rows, columns)


def _iota(x):
    counted = np.arange(2 * len(x), dtype=np.int32)
    return counted, counted.reshape(-1, 2)


PROGRAMS = {
    "mean": (MEAN, _mean, 1),
    "sizes": (SIZES, _sizes, 1),
    "branch": (BRANCH, lambda x: (x if len(x) < 4 else -x,), 1),
    "positions": (POSITIONS, _positions, 2),
}
SHAPES = [(3, 5), (5, 3), (1, 1), (0, 4), (4, 0), (1, 300), (70, 1)]


def numbers(*shape):
    return np.random.default_rng(4).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_numpy_and_of_the_static_program(tmp_path, name, target):
    text, function, count = PROGRAMS[name]
    path = tmp_path / "m.hwx"
    hwc.compile(text, target).save(path)
    program = hwc.load(path)
    for shape in SHAPES:
        arguments = [numbers(*shape)] * count
        expected = function(*arguments)
        static = text.replace("?x?", f"{shape[0]}x{shape[1]}")
        for outputs in (
            program(*arguments).outputs,
            hwc.compile(static, target)(*arguments).outputs,
        ):
            for output, array in zip(outputs, expected, strict=True):
                np.testing.assert_array_equal(output, array, strict=True)


@pytest.mark.parametrize("size", [0, 1, 2, 9, 1000])
def test_positions_of_a_computed_size(size):
    for output, array in zip(
        hwc.compile(IOTA)(np.zeros(size, np.int8)).outputs,
        _iota(np.zeros(size, np.int8)),
        strict=True,
    ):
        np.testing.assert_array_equal(output, array, strict=True)


def test_a_size_is_read_once_and_nothing_is_stored_for_each_element():
    x = numbers(3, 300)
    result = hwc.compile(MEAN)(x)
    assert result.counters["bytes_read"] <= x.nbytes + 2 * 4
    assert result.counters["bytes_written"] == x.nbytes


def test_equal_tensors_of_the_host_are_one_buffer():
    kinds = [b.kind for b in hwc.compile(POSITIONS).package.buffers]
    assert kinds.count("positions") == 2
    assert "values" not in kinds


def test_a_static_program_has_constants_and_immediates():
    program = hwc.compile(SIZES.replace("?x?", "3x5"))
    assert not program.package.shape_program.steps
    assert not [b for b in program.package.buffers if b.kind == "values"]
    mean = hwc.compile(MEAN.replace("?x?", "3x5"))
    assert {b.kind for b in mean.package.buffers} == {"input", "output"}


def test_a_size_that_facts_prove_is_a_constant():
    program = hwc.compile(MEAN, assume=["x.1 == 6"])
    assert "values" not in {b.kind for b in program.package.buffers}
    x = numbers(2, 6)
    np.testing.assert_array_equal(program(x).outputs[0], _mean(x)[0])


def test_a_number_that_does_not_fit_is_refused_before_anything_runs():
    text = """\
func.func @main(%x: tensor<?xf32>) -> tensor<?xi8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i8
  %0 = tensor.splat %i[%n] : tensor<?xi8>
  return %0 : tensor<?xi8>
}
"""
    program = hwc.compile(text)
    np.testing.assert_array_equal(program(numbers(127)).outputs[0], np.full(127, 127, np.int8))
    with pytest.raises(DispatchError, match="-:4:8: error: 'arith.index_cast': .*128"):
        program(numbers(128))


def test_a_scalar_of_a_type_that_the_machine_does_not_have():
    text = """\
func.func @main(%x: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  return %f : f32
}
"""
    with pytest.raises(
        SourceError, match=r"'arith.sitofp' has element type i64(?s:.*)help: .*use i32"
    ):
        hwc.compile(text)


def test_scalars_that_the_host_computes_with_i64():
    program = hwc.compile(WIDE)
    for size in (0, 1, 4, 127):
        x = numbers(size)
        outputs = program(x).outputs
        expected = [np.int32(3), np.int8(size), np.bool_(size < 3), np.bool_(size % 3)]
        for output, number in zip(outputs, expected, strict=False):
            np.testing.assert_array_equal(output, np.array(number), strict=True)
        np.testing.assert_array_equal(outputs[-1], x * np.float32(3))
    with pytest.raises(DispatchError, match=r"-:7:8: error: 'arith.trunci': 130 does not fit"):
        program(numbers(130))
    with pytest.raises(DispatchError, match=r"-:10:8: error: 'arith.trunci': 2 is not a boolean"):
        program(numbers(5))


def test_a_known_number_that_is_not_a_boolean_is_refused():
    text = WIDE.replace("%odd : i64 to i1", "%three : i64 to i1")
    with pytest.raises(SourceError, match=r"-:10:8: error: 'arith.trunci': 3 is not a boolean"):
        hwc.compile(text)


def test_casts_without_a_sign():
    """A negative number is refused; what fits is the same as with a sign."""
    x = numbers(3, 5)
    text = SIZES.replace("arith.index_cast ", "arith.index_castui ")
    program = hwc.compile(text)
    with pytest.raises(DispatchError, match=r"-:9:8: error: 'arith.index_castui': .*-2"):
        program(x)
    for output, array in zip(program(x.T).outputs, _sizes(x.T), strict=True):
        np.testing.assert_array_equal(output, array, strict=True)
    assert hwc.compile(
        MEAN.replace("index_cast ", "index_castui ")
    ).package.shape_program.steps == (hwc.compile(MEAN).package.shape_program.steps)
    text = POSITIONS.replace("arith.index_cast ", "arith.index_castui ")
    for output, array in zip(hwc.compile(text)(x, x).outputs, _positions(x, x), strict=True):
        np.testing.assert_array_equal(output, array, strict=True)


def test_one_float_of_a_tensor_is_refused():
    text = """\
func.func @main(%t: tensor<4xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.extract %t[%c0] : tensor<4xf32>
  %s = tensor.splat %e[%n] : tensor<?xf32>
  return %s : tensor<?xf32>
}
"""
    with pytest.raises(
        SourceError, match=r"computes elements with one f32 of a tensor(?s:.*)help: pass"
    ):
        hwc.compile(text)


def test_specialised_programs():
    program = hwc.compile(SIZES)
    whole = program.specialize(x=(3, 5))
    assert "dense<[-2, -7, 3]> : tensor<3xi32>" in whole
    partly = program.specialize(x=(3, None))
    assert "tensor.from_elements" in partly
    x = numbers(3, 5)
    for text in (whole, partly):
        for output, array in zip(hwc.compile(text)(x).outputs, _sizes(x), strict=True):
            np.testing.assert_array_equal(output, array, strict=True)


@pytest.mark.parametrize("stage", ["linalg", "kernel", "vector"])
def test_the_text_of_a_later_stage_makes_the_same_results(stage):
    text = str(run(Source("m.mlir", POSITIONS), target=load_target("accel"), until=stage).module)
    x = numbers(3, 5)
    for output, array in zip(hwc.compile(text)(x, x).outputs, _positions(x, x), strict=True):
        np.testing.assert_array_equal(output, array)


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("text", [MEAN, SIZES, BRANCH, POSITIONS, IOTA, WIDE])
def test_upstream_accepts_the_portable_program(text):
    module = run(Source("m.mlir", text), until="linalg", then=(CHECKED_PORTABLE,)).module
    assert MLIR_OPT is not None
    run_tool(MLIR_OPT, str(module))
