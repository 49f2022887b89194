"""Operands that are constants as a rule: given at run time, per channel, in chains."""

from pathlib import Path

import numpy as np
import pytest
from e2e.support.reference import rescale

import hwc
from hwc.errors import DispatchError

PROGRAMS = Path(__file__).parent / "programs"
FLAGS = "per_channel = {}, input_unsigned = false, output_unsigned = false"
MODE = "rounding_mode = SINGLE_ROUND"


def rescaled(source, result, per_channel, scale32=True):
    """A rescale whose parameters are all arguments."""
    count, kind = ("?" if per_channel else 1), ("i32" if scale32 else "i16")
    x, y, point = f"tensor<?x?x{source}>", f"tensor<?x?x{result}>", f"tensor<1x{source}>"
    types = f"{x}, tensor<{count}x{kind}>, tensor<{count}xi8>, {point}, tensor<1x{result}>"
    names = ("%x", "%m", "%s", "%i", "%o")
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types.split(", "), strict=True))
    flags = f"scale32 = {str(scale32).lower()}, {MODE}, {FLAGS.format(str(per_channel).lower())}"
    return f"""func.func @main({arguments}) -> {y} {{
  %r = tosa.rescale {", ".join(names)} {{{flags}}} : ({types}) -> {y}
  return %r : {y}
}}
"""


@pytest.mark.parametrize("shift", [0, 1, 31, 40, 63])
def test_the_shift_of_mul(shift):
    rng = np.random.default_rng(shift)
    a = rng.integers(-(2**31), 2**31, (7, 40)).astype(np.int32)
    b = rng.integers(-(2**31), 2**31, (1, 40)).astype(np.int32)
    (got,) = hwc.compile(PROGRAMS / "mul_shift.mlir", "tiny")(
        a, b, np.array([shift], np.int8)
    ).outputs
    half = 1 << (shift - 1) if shift else 0
    expected = (a.astype(np.int64) * b + half) >> shift
    np.testing.assert_array_equal(got, expected.astype(np.int32))


@pytest.mark.parametrize(("shift", "taken"), [(64, 0), (-1, 63), (127, 63), (-128, 0)])
def test_a_shift_of_mul_at_run_time_has_six_bits(shift, taken):
    program = hwc.compile(PROGRAMS / "mul_shift.mlir", "tiny")
    a = np.array([[-(2**31), 2**31 - 1, -7, 12345678]], np.int32)
    got, expected = (program(a, a, np.array([s], np.int8)) for s in (shift, taken))
    np.testing.assert_array_equal(got.outputs[0], expected.outputs[0])


UNREAD = """
func.func @main(%x: tensor<?xi16>, %p: tensor<1xi16>, %q: tensor<1xi16>, %s: tensor<1xi8>) ->
    (tensor<?xi16>, tensor<?xi32>) {
  %n = tosa.negate %x, %p, %q : (tensor<?xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<?xi16>
  %m = tosa.mul %x, %x, %s : (tensor<?xi16>, tensor<?xi16>, tensor<1xi8>) -> tensor<?xi32>
  return %n, %m : tensor<?xi16>, tensor<?xi32>
}
"""


@pytest.mark.parametrize("type_", ["i16", "f16", "f32"])
def test_what_has_to_be_0_is_not_read_at_run_time(type_):
    text = UNREAD if type_ == "i16" else UNREAD.replace("i16", type_).replace("i32", type_)
    dtype = {"i16": np.int16, "f16": np.float16, "f32": np.float32}[type_]
    x = np.array([1, -2, 3], dtype)
    ones = np.ones(1, dtype), np.ones(1, dtype), np.ones(1, np.int8)
    negated, product = hwc.compile(text, "tiny")(x, *ones).outputs
    np.testing.assert_array_equal(negated, -x)
    np.testing.assert_array_equal(product, x * x)


def test_the_zero_points_of_negate():
    program = hwc.compile(PROGRAMS / "negate_points.mlir", "tiny")
    a = np.arange(-128, 128).astype(np.int8)
    for i, o in ((0, 0), (-128, -128), (127, 127), (-3, 5)):
        (got,) = program(a, np.array([i], np.int8), np.array([o], np.int8)).outputs
        np.testing.assert_array_equal(got, np.clip(i + o - a.astype(int), -128, 127))
    with pytest.raises(DispatchError, match="2 .* 1"):
        program(a, np.zeros(2, np.int8), np.zeros(1, np.int8))


@pytest.mark.parametrize("scale32", [False, True])
def test_every_parameter_of_rescale_at_run_time(scale32):
    program = hwc.compile(rescaled("i8", "i16", False, scale32), "accel")
    rng = np.random.default_rng(2)
    x = rng.integers(-128, 128, (5, 77)).astype(np.int8)
    for shift, zero in ((2, 0), (15, -128), (33, 127)):
        multiplier = 1 << 30 if scale32 else 32767
        kind = np.int32 if scale32 else np.int16
        points = np.array([zero], np.int8), np.zeros(1, np.int16)
        scale = np.array([multiplier], kind), np.array([shift], np.int8)
        (got,) = program(x, *scale, *points).outputs
        np.testing.assert_array_equal(got, rescale("i16", multiplier, shift, zero)(x))


def test_channels_are_broadcast_not_copied():
    """Each multiplier and each shift crosses the bus once; the last dimension chooses them."""
    program = hwc.compile(rescaled("i32", "i8", True), "accel")
    rng = np.random.default_rng(3)
    x = rng.integers(-(2**31), 2**31, (60, 50)).astype(np.int32)
    m = rng.integers(0, 2**31, 50).astype(np.int32)
    s = rng.integers(20, 63, 50).astype(np.int8)
    result = program(x, m, s, np.zeros(1, np.int32), np.array([-4], np.int8))
    for c in range(50):
        expected = rescale("i8", int(m[c]), int(s[c]), 0, -4)(x[:, c])
        np.testing.assert_array_equal(result.outputs[0][:, c], expected)
    assert result.counters["bytes_read"] == 4 * 3000 + 5 * 50 + 1
    with pytest.raises(DispatchError, match="50 .* 49|49 .* 50"):
        program(x, m[:49], s[:49], np.zeros(1, np.int32), np.zeros(1, np.int8))


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_a_quantised_chain_is_one_kernel(target):
    program = hwc.compile(PROGRAMS / "quantised.mlir", target)
    rng = np.random.default_rng(4)
    x, y = (rng.integers(-128, 128, (30, 900)).astype(np.int8) for _ in "xy")
    result = program(x, y)
    up = rescale("i32", 1518500249, 20, -5)
    total = up(x) + up(y)
    expected = np.clip(rescale("i8", 1518500249, 41, 0, -5)(total), -100, 90)
    np.testing.assert_array_equal(result.outputs[0], expected)
    assert result.counters["bytes_read"] == 2 * x.size
    assert result.counters["bytes_written"] == x.size
