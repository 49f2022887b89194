"""The upstream lowering computes the right thing: run by IREE, compared with NumPy."""

# ruff: noqa: E501 - MLIR text has long lines

import itertools
import re

import numpy as np
import pytest
from e2e.test_shape_operations import PROGRAMS as SHAPE_PROGRAMS
from unit.backend.programs import generate

import hwc
from hwc.pipeline import CHECKED_PORTABLE
from hwc.shapes.steps import KINDS, Learned
from hwc.transforms.portable_checks import WRITERS

F32 = np.float32


def test_dynamic_broadcasts(run_portable):
    run = run_portable("""\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.sub %0, %c : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
""")
    rng = np.random.default_rng(1)
    for bits in range(32):
        rows, columns = (3, 1), (4, 1)
        shapes = [(rows[bits & 1], columns[bits >> 1 & 1])]
        shapes += [(rows[bits >> 2 & 1], columns[bits >> 3 & 1]), (rows[bits >> 4 & 1], 4)]
        a, b, c = (rng.standard_normal(shape).astype(F32) for shape in shapes)
        np.testing.assert_array_equal(run(a, b, c)[0], a + b - c)


def test_integers(run_portable):
    run = run_portable("""\
func.func @main(%b: tensor<6xi8>, %s: tensor<6xi8>, %w: tensor<6xi32>, %f: tensor<6xf32>)
    -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi32>, tensor<6xi8>, tensor<6xi32>, tensor<2x3xi8>) {
  %0 = tosa.negate %b {input1_zp = 3 : i32, output_zp = -2 : i32} : (tensor<6xi8>) -> tensor<6xi8>
  %1 = tosa.arithmetic_right_shift %b, %s {round = true} : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  %2 = tosa.mul %w, %w {shift = 5 : i8} : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %3 = tosa.cast %f : (tensor<6xf32>) -> tensor<6xi8>
  %4 = tosa.cast %f : (tensor<6xf32>) -> tensor<6xi32>
  %5 = tosa.reshape %b {new_shape = array<i64: 2, -1>} : (tensor<6xi8>) -> tensor<2x3xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<6xi8>, tensor<6xi8>, tensor<6xi32>, tensor<6xi8>, tensor<6xi32>, tensor<2x3xi8>
}
""")
    b = np.array([-128, -3, -1, 0, 5, 127], np.int8)
    s = np.array([7, 1, 2, 0, 1, 3], np.int8)
    w = np.array([-(2**31), -7, 3, 0, 40000, 2**31 - 1], np.int32)
    f = np.array([np.nan, np.inf, -np.inf, 2.5, -3.5, 127.4], F32)
    negated, shifted, product, narrow, wide, reshaped = run(b, s, w, f)
    wide_b, wide_s, wide_w = (x.astype(np.int64) for x in (b, s, w))
    np.testing.assert_array_equal(negated, np.clip(1 - wide_b, -128, 127))
    rounding = np.where(wide_s > 0, wide_b >> np.maximum(wide_s - 1, 0) & 1, 0)
    np.testing.assert_array_equal(shifted, (wide_b >> wide_s) + rounding)
    np.testing.assert_array_equal(product, (wide_w * wide_w + 16 >> 5).astype(np.int32))
    np.testing.assert_array_equal(narrow, [0, 127, -128, 2, -4, 127])
    np.testing.assert_array_equal(wide, [0, 2**31 - 1, -(2**31), 2, -4, 127])
    np.testing.assert_array_equal(reshaped, b.reshape(2, 3))


def test_functions_and_dynamic_reshape(run_portable):
    run = run_portable("""\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<2x?xf32>, tensor<?xf32>) {
  %0 = tosa.sigmoid %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  %2 = tosa.reciprocal %b : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<2x?xf32>, tensor<?xf32>
}
""")
    a = np.linspace(-8, 8, 24, dtype=F32).reshape(4, 6)
    b = np.array([1, -2, 0.1], F32)
    sigmoid, reciprocal = run(a, b)
    np.testing.assert_allclose(sigmoid, (1 / (1 + np.exp(-a))).reshape(2, 12), rtol=1e-5)
    np.testing.assert_allclose(reciprocal, 1 / b, rtol=1e-6)


MIXED = """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %z: tensor<f32>) -> (tensor<?x?xf32>, tensor<f32>) {
  %0 = tosa.add %z, %a : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.sub %0, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = tosa.sub %1, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = tosa.reshape %z {new_shape = array<i64: 1, 1>} : (tensor<f32>) -> tensor<1x1xf32>
  %4 = tosa.reshape %3 {new_shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  return %2, %4 : tensor<?x?xf32>, tensor<f32>
}
"""


@pytest.mark.parametrize("stages", [(), (CHECKED_PORTABLE,)])
def test_as_the_package_for_every_size(run_portable, stages):
    """Also for rank 0 with rank n, and a size 1 that meets a size 0."""
    run, program = run_portable(MIXED, *stages), hwc.compile(MIXED)
    rng = np.random.default_rng(2)
    for rows, columns, size in itertools.product((0, 1, 3), (0, 1, 4), (0, 1, 4)):
        if size not in (1, columns) and columns != 1:
            continue
        shapes = (rows, columns), (size,), ()
        arrays = [np.asarray(rng.standard_normal(shape), F32) for shape in shapes]
        for got, expected in zip(run(*arrays), program(*arrays).outputs, strict=True):
            np.testing.assert_array_equal(got, expected)


BROADCASTS = """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<4xf32>, tensor<2x?xf32>) {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.sub %0, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  %2 = tosa.reshape %c {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<4xf32>, tensor<2x?xf32>
}
"""

FACTS = """\
func.func @main(%a: tensor<?x?xf32> {hwc.symbols = ["n", "d"]}, %b: tensor<?x?xf32> {hwc.symbols = ["m", "d"]},
    %c: tensor<?xf32> {hwc.nonexpanding = array<i64: 0>}) -> tensor<?x?xf32>
    attributes {hwc.assume = ["m in {1, n}", "d % 4 == 0", "2 <= n <= 5", "d != 8"]} {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.sub %0, %c : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""

CALLS = {
    "broadcasts": (
        BROADCASTS,
        ([(1,), (4,), (3,)], [(1,), (4,), (5,), (0,)], [(1, 4), (3, 3), (0, 5)]),
        3,
    ),
    "facts": (
        FACTS,
        ([(1, 4), (3, 4), (5, 8), (6, 4)], [(1, 4), (3, 4), (3, 5), (5, 8)], [(4,), (1,)]),
        5,
    ),
    **{
        name: (text.replace("X", "?x?xf32"), ([*fitting, *refused, (7, 6)],), len(refused) > 0)
        for name, (text, _, fitting, refused) in SHAPE_PROGRAMS.items()
    },
}
"""Programs, shapes of each argument, and at least how many ways there are to be refused."""


@pytest.mark.parametrize("name", CALLS)
def test_checks_refuse_what_the_package_refuses(run_portable, name):
    text, shapes, kinds = CALLS[name]
    run, program = run_portable(text, CHECKED_PORTABLE), hwc.compile(text)
    reasons = set()
    for call in itertools.product(*shapes):
        arrays = [np.ones(shape, F32) for shape in call]
        try:
            expected = program(*arrays).outputs
        except hwc.DispatchError as error:
            message = str(error)
            located = re.search(r"error: ('[^']*')", message)
            with pytest.raises(RuntimeError, match=re.escape(located[1]) if located else "size"):
                run(*arrays)
            reasons.add(located[1] if located else "argument")
        else:
            for got, wanted in zip(run(*arrays), expected, strict=True):
                np.testing.assert_array_equal(got, wanted)
    assert len(reasons) >= kinds, reasons


def test_every_kind_of_step_has_a_check():
    """Sizes are learned only in the package of a model, which is no program in MLIR."""
    assert set(WRITERS) == set(KINDS.values()) - {Learned}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(run_portable, seed):
    random_program = generate(seed + 300, 1 + seed, 10, 3, (0.5, 0.9, 1.0)[seed % 3])
    results = run_portable(random_program.text, CHECKED_PORTABLE)(*random_program.arguments)
    for got, expected in zip(results, random_program.results, strict=True):
        np.testing.assert_array_equal(np.asarray(got).view(expected.dtype), expected)
