"""The meaning of every operator, in NumPy and independent of the simulator.

Integers are computed in int64 and wrapped to their width; transcendentals in float64 and
rounded once, so that they may be compared within the 1 ulp that the machine promises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS, WIDTHS
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One operator with its types: how to write it, what it means, how exact it has to be."""

    operator: str
    types: tuple[str, ...]
    result: str
    meaning: Callable[..., Array]
    attributes: str = ""
    constants: tuple[tuple[str, str], ...] = ()
    ulp: int = 0
    shift_operand: bool = False
    keeps_nan_bits: bool = False

    def __str__(self) -> str:
        extra = "".join(c if c.isalnum() else "_" for c in self.attributes)[:30]
        more = "_".join(value for value, _ in self.constants)
        return "-".join(filter(None, [self.operator, *self.types, self.result, extra, more]))


def wrap(element_type: str) -> Callable[[Array], Array]:
    """Wrap int64 to a width, keeping the low bits."""
    return lambda x: np.asarray(x).astype(DTYPES[element_type])


def wide(x: Array) -> Array:
    return x.astype(np.int64)


def _binary_wrapping(op: Callable[[Array, Array], Array], element_type: str) -> Any:
    return lambda a, b: wrap(element_type)(op(wide(a), wide(b)))


def _via_f64(function: Callable[..., Array]) -> Callable[..., Array]:
    def meaning(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(function(*(x.astype(np.float64) for x in operands))).astype(
                np.float32
            )

    return meaning


def _f32(function: Callable[..., Array]) -> Callable[..., Array]:
    def meaning(*operands: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(*operands)

    return meaning


def _larger(a: Array, b: Array) -> Array:
    """The larger, +0 being larger than -0; operands are no NaN where it matters."""
    return np.where((a > b) | ((a == b) & ~np.signbit(a)), a, b)


def maximum(a: Array, b: Array, ignore: bool = False) -> Array:
    """IEEE 754 maximum, or maximumNumber if NaN is ignored."""
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    result = _larger(a, b)
    if ignore:
        return np.where(nan_a, b, np.where(nan_b, a, result))
    return np.where(nan_a | nan_b, np.float32(np.nan), result)


def minimum(a: Array, b: Array, ignore: bool = False) -> Array:
    return -maximum(-a, -b, ignore)


def _clamp(low: float, high: float, ignore: bool) -> Callable[[Array], Array]:
    def meaning(x: Array) -> Array:
        bounds = np.float32(low), np.float32(high)
        result = np.minimum(np.maximum(x, bounds[0]), bounds[1])
        return np.where(np.isnan(x) & ignore, bounds[0], result)

    return meaning


def _logical_right(width: int) -> Callable[[Array, Array], Array]:
    return lambda a, b: (a & ((1 << width) - 1)) >> b


def _arithmetic_right(rounding: bool) -> Callable[[Array, Array], Array]:
    def meaning(a: Array, b: Array) -> Array:
        return (a >> b) + (((a >> np.maximum(b - 1, 0)) & 1) * (b > 0) if rounding else 0)

    return meaning


def _clz(width: int) -> Callable[[Array], Array]:
    def one(value: int) -> int:
        return width - (value & ((1 << width) - 1)).bit_length()

    return np.vectorize(one, otypes=[DTYPES[f"i{width}"]])


def _divide(a: Array, b: Array) -> Array:
    a, b = np.broadcast_arrays(wide(a), wide(b))
    safe = np.where(b == 0, 1, b)
    quotient = np.abs(a) // np.abs(safe) * np.sign(a) * np.sign(safe)
    return wrap("i32")(np.where(b == 0, -1, quotient))


def _negate(element_type: str, zero: int = 0, output_zero: int = 0) -> Callable[[Array], Array]:
    info = np.iinfo(DTYPES[element_type])

    def meaning(x: Array) -> Array:
        result = -(wide(x) - zero) + output_zero
        if element_type == "i32":
            return wrap("i32")(result)
        return wrap(element_type)(np.clip(result, info.min, info.max))

    return meaning


def _scaled_product(shift: int) -> Callable[[Array, Array], Array]:
    def meaning(a: Array, b: Array) -> Array:
        return wrap("i32")((wide(a) * wide(b) + (1 << (shift - 1))) >> shift)

    return meaning


def rescale(
    result: str,
    multiplier: int | Array,
    shift: int | Array,
    zero: int = 0,
    output_zero: int = 0,
    rounding: str = "SINGLE_ROUND",
    unsigned: str = "",
) -> Callable[[Array], Array]:
    """TOSA's rescale; `unsigned` is `input`, `output` or empty; arrays are per channel."""

    def meaning(x: Array) -> Array:
        bits = 8 * np.dtype(DTYPES[result]).itemsize
        value = wide(x) & ((1 << 8 * x.itemsize) - 1) if unsigned == "input" else wide(x)
        value = value - zero
        half = np.full(x.shape, 1 << (shift - 1), np.int64)
        if rounding == "DOUBLE_ROUND":
            half += np.where(value < 0, -1, 1) * np.where(np.greater(shift, 31), 1 << 30, 0)
        scaled = wrap("i32")((value * multiplier + half) >> shift)
        low = 0 if unsigned == "output" else -(1 << (bits - 1))
        return wrap(result)(np.clip(wide(scaled) + output_zero, low, low + (1 << bits) - 1))

    return meaning


def table(x: Array, entries: Array) -> Array:
    """TOSA's table, section "TABLE": of i8 an entry, of i16 a point between two entries."""
    entries = entries.astype(np.int64)
    if x.dtype == np.int8:
        return np.asarray(entries[wide(x) + 128], np.int8)
    index, rest = np.divmod(wide(x) + 32768, 128)
    base, after = entries[index], entries[index + 1]
    return np.asarray(base * 128 + (after - base) * rest, np.int32)


def cast(source: str, result: str) -> Callable[[Array], Array]:
    """TOSA's cast; to i1 it compares with 0, NaN becomes integer 0."""

    def meaning(x: Array) -> Array:
        if result == "i1":
            return x != 0
        if source in FLOATS and result in INTEGERS:
            info = np.iinfo(DTYPES[result])
            with np.errstate(invalid="ignore"):
                whole = np.rint(np.nan_to_num(x.astype(np.float64), nan=0.0))
            return np.clip(whole, info.min, info.max).astype(DTYPES[result])
        # NumPy may round an integer to a float twice, and warns of infinite results.
        given = x.astype(np.float64) if result in FLOATS and source in INTEGERS else x
        with np.errstate(over="ignore", invalid="ignore"):
            return given.astype(DTYPES[result])

    return meaning


def _logistic(x: Array) -> Array:
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def cases() -> Iterator[Case]:
    """Yield every operator with every element type it is compiled for."""
    yield from _float_cases()
    yield from _integer_cases()
    yield from _bit_cases()
    for kind in DTYPES:
        yield Case("identity", (kind,), kind, lambda x: x, keeps_nan_bits=True)
        yield Case("select", ("i1", kind, kind), kind, np.where, keeps_nan_bits=True)
        for result in DTYPES:
            yield Case("cast", (kind,), result, cast(kind, result), keeps_nan_bits=True)
        if kind != "i1":
            for name, compare in (
                ("equal", np.equal),
                ("greater", np.greater),
                ("greater_equal", np.greater_equal),
            ):
                yield Case(name, (kind, kind), "i1", compare)


def _float_cases() -> Iterator[Case]:
    f32 = ("f32",)
    erf = np.vectorize(math.erf, otypes=[np.float64])
    for name, function in (
        ("cos", np.cos),
        ("sin", np.sin),
        ("erf", erf),
        ("exp", np.exp),
        ("log", np.log),
        ("reciprocal", np.reciprocal),
        ("rsqrt", lambda x: 1 / np.sqrt(x)),
        ("sigmoid", _logistic),
        ("tanh", np.tanh),
    ):
        yield Case(name, f32, "f32", _via_f64(function), ulp=1)
    yield Case("pow", f32 * 2, "f32", _via_f64(np.power), ulp=1)
    for name, function in (("abs", np.abs), ("ceil", np.ceil), ("floor", np.floor)):
        yield Case(name, f32, "f32", _f32(function))
    zeros = (("0.0", "f32"), ("0.0", "f32"))
    yield Case("negate", f32, "f32", np.negative, constants=zeros)
    yield Case("add", f32 * 2, "f32", _f32(np.add))
    yield Case("sub", f32 * 2, "f32", _f32(np.subtract))
    yield Case("mul", f32 * 2, "f32", _f32(np.multiply), constants=(("0", "i8"),))
    for name, function in (("maximum", maximum), ("minimum", minimum)):
        yield Case(name, f32 * 2, "f32", function)
        number = partial(function, ignore=True)
        yield Case(name, f32 * 2, "f32", number, "nan_mode = #tosa.nan_mode<IGNORE>")
    bounds = "min_val = -1.5 : f32, max_val = 6.0 : f32"
    yield Case("clamp", f32, "f32", _clamp(-1.5, 6.0, False), bounds)
    ignore = bounds + ", nan_mode = #tosa.nan_mode<IGNORE>"
    yield Case("clamp", f32, "f32", _clamp(-1.5, 6.0, True), ignore)


def _integer_cases() -> Iterator[Case]:
    for kind, width in WIDTHS.items():
        two = (kind, kind)
        yield Case("abs", (kind,), kind, lambda x, k=kind: wrap(k)(np.abs(wide(x))))
        yield Case("add", two, kind, _binary_wrapping(np.add, kind))
        yield Case("sub", two, kind, _binary_wrapping(np.subtract, kind))
        no_shift = (("0", "i8"),)
        yield Case("mul", two, kind, _binary_wrapping(np.multiply, kind), constants=no_shift)
        if kind != "i32":
            product = _binary_wrapping(np.multiply, "i32")
            yield Case("mul", two, "i32", product, constants=no_shift)
        yield Case("maximum", two, kind, np.maximum)
        yield Case("minimum", two, kind, np.minimum)
        zeros = (("0", kind), ("0", kind))
        yield Case("negate", (kind,), kind, _negate(kind), constants=zeros)
        bounds = f"min_val = -5 : {kind}, max_val = 100 : {kind}"
        yield Case("clamp", (kind,), kind, lambda x: np.clip(x, -5, 100), bounds)
        yield Case("clz", (kind,), kind, _clz(width))
        for rounding in (False, True):
            shift = _binary_wrapping(_arithmetic_right(rounding), kind)
            attribute = f"round = {str(rounding).lower()}"
            yield Case("arithmetic_right_shift", two, kind, shift, attribute, shift_operand=True)
        for name, shift in (
            ("logical_left_shift", np.left_shift),
            ("logical_right_shift", _logical_right(width)),
        ):
            yield Case(name, two, kind, _binary_wrapping(shift, kind), shift_operand=True)
    yield Case("intdiv", ("i32", "i32"), "i32", _divide)
    for shift in (1, 7, 31, 62):
        scaled = _scaled_product(shift)
        yield Case("mul", ("i32", "i32"), "i32", scaled, constants=((str(shift), "i8"),))
    yield from _rescale_cases()
    zero_points = (("-3", "i8"), ("5", "i8"))
    yield Case("negate", ("i8",), "i8", _negate("i8", -3, 5), constants=zero_points)


def _rescale_cases() -> Iterator[Case]:
    for source, result in product(INTEGERS, INTEGERS):
        kinds = {8: (-7, 3), 16: (0, 0), 32: (0, 0)}
        zero, output_zero = kinds[WIDTHS[source]][0], kinds[WIDTHS[result]][1]
        rows = [(1 << 30, 33, "SINGLE_ROUND", ""), (1518500249, 36, "DOUBLE_ROUND", "")]
        rows += [(23170, 15, "INEXACT_ROUND", "")]
        if "i32" not in (source, result):
            rows += [(1 << 30, 30, "SINGLE_ROUND", which) for which in ("input", "output")]
        for multiplier, shift, rounding, unsigned in rows:
            own = [zero, output_zero]
            for i, (which, kind) in enumerate((("input", source), ("output", result))):
                if unsigned == which:
                    own[i] = 1 << (WIDTHS[kind] - 1)
            scale32 = multiplier >= 1 << 15
            constants = (
                (str(multiplier), "i32" if scale32 else "i16"),
                (str(shift), "i8"),
                *(
                    (str(int(wrap(k)(np.int64(z)))), k)
                    for z, k in zip(own, (source, result), strict=True)
                ),
            )
            attributes = (
                f"rounding_mode = #tosa.rounding_mode<{rounding}>, per_channel = false, "
                f"scale32 = {str(scale32).lower()}, "
                f"input_unsigned = {str(unsigned == 'input').lower()}, "
                f"output_unsigned = {str(unsigned == 'output').lower()}"
            )
            meaning = rescale(result, multiplier, shift, *own, rounding, unsigned)
            yield Case("rescale", (source,), result, meaning, attributes, constants)


def _bit_cases() -> Iterator[Case]:
    for kind in ("i1", *INTEGERS):
        for name, function in (
            ("bitwise_and", np.bitwise_and),
            ("bitwise_or", np.bitwise_or),
            ("bitwise_xor", np.bitwise_xor),
        ):
            yield Case(name, (kind, kind), kind, function)
        yield Case("bitwise_not", (kind,), kind, np.invert)
    for name, function in (
        ("logical_and", np.logical_and),
        ("logical_or", np.logical_or),
        ("logical_xor", np.logical_xor),
    ):
        yield Case(name, ("i1", "i1"), "i1", function)
    yield Case("logical_not", ("i1",), "i1", np.logical_not)
