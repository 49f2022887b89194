"""Why a judge differs from the machine at special values.

A reason holds for operands, not for an operator: it says where the judge differs, and what the
definition in ONNX's documents gives there. A machine that computes anything else is not excused.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erf
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from e2e.support.onnx_edge_values import DTYPES, FLOATS, Case


class Difference(NamedTuple):
    """An element that differs: its operands, what the machine computes and what the judge does.

    The operands are empty if the shapes or types of the results differ.
    """

    case: Case
    judge: str
    operands: tuple[Any, ...]
    got: Any
    wanted: Any
    text: str

    @property
    def type(self) -> str:
        """The element type of the result."""
        return self.case.result[0]

    def attribute(self, name: str, default: float) -> float:
        """Return a numeric attribute, as the f32 that the model holds."""
        return float(np.float32(self.case.attributes.get(name, default)))


class Reason(NamedTuple):
    """A reason for differences of a judge, '' for both: `holds` says for which."""

    judge: str
    why: str
    holds: Callable[[Difference], bool]


def reason_for(difference: Difference) -> str | None:
    """Return why a judge differs; None if nothing explains it."""
    if difference.got is None:
        return None
    with np.errstate(all="ignore"):
        for reason in REASONS.get(difference.case.name, ()):
            if reason.judge in {"", difference.judge} and reason.holds(difference):
                return reason.why
    return None


def ordered(values: Any) -> Any:
    """Return whole numbers in the order of floats, 1 apart for neighbours, -0 before 0."""
    bits = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
    return np.where(bits < 0, -1 - (bits & ((1 << (8 * values.dtype.itemsize - 1)) - 1)), bits)


def _is(d: Difference, exact: float, ulps: int = 0) -> bool:
    """Whether the machine's result is the number nearest to `exact`, or within `ulps` of it."""
    own, right = (np.array([each]).astype(DTYPES[d.type]) for each in (d.got, exact))
    if np.isnan(right.astype(np.float64))[0]:
        return bool(np.isnan(own.astype(np.float64))[0])
    return bool(abs(ordered(own) - ordered(right))[0] <= ulps)


def _x(d: Difference) -> float:
    return float(d.operands[0])


def _zero(value: Any, *, negative: bool) -> bool:
    return bool(float(value) == 0 and np.signbit(np.float64(value)) == negative)


def _is_exponential(d: Difference) -> bool:
    """Whether the machine's Elu, Celu or Selu is right."""
    x = _x(d)
    alpha, gamma = d.attribute("alpha", 1.0), 1.0
    if d.case.name == "Selu":
        old = d.case.version < 6  # noqa: PLR2004 - the defaults have more digits since then
        alpha = d.attribute("alpha", 1.6732 if old else 1.6732632)
        gamma = d.attribute("gamma", 1.0507 if old else 1.050701)
    over = x / alpha if d.case.name == "Celu" else x
    low = alpha * float(np.expm1(over))
    return _is(d, gamma * (low if x < 0 or _zero(x, negative=True) else x), 4)


def _exponential(d: Difference) -> bool:
    return (_x(d) < 0 or _zero(_x(d), negative=True)) and _is_exponential(d)


def _first_selu(d: Difference) -> bool:
    return d.case.version < 6 and not d.case.attributes and _is_exponential(d)  # noqa: PLR2004


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(np.float64(-x))))


def _gelu(d: Difference) -> float:
    x = _x(d)
    if d.case.attributes:
        return 0.5 * x * (1 + float(np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))
    return 0.5 * x * (1 + erf(x / 2**0.5))


def _steps(exact: Callable[[Difference], float]) -> Callable[[Difference], bool]:
    """Return whether the result is right to f32's precision, relative to the operand."""

    def holds(d: Difference) -> bool:
        right = exact(d)
        near = abs(float(d.got) - right) <= 2.0**-21 * max(abs(_x(d)), abs(right))
        return np.isfinite(_x(d)) and (near or _is(d, right, 4))

    return holds


def _softplus(d: Difference) -> float:
    return float(np.logaddexp(0.0, np.float64(_x(d))))


def _largest(type_: str, x: float) -> float:
    return float(np.copysign(float(ml_dtypes.finfo(DTYPES[type_]).max), x))


def _clips(d: Difference) -> bool:
    """An infinity without a bound at its side becomes the largest number."""
    return np.isinf(_x(d)) and _is(d, _largest(d.type, _x(d)))


def _saturates(d: Difference) -> bool:
    """A float outside of the integer type."""
    if d.type in FLOATS or DTYPES[d.type].kind != "i":
        return False
    limits, x = np.iinfo(DTYPES[d.type]), _x(d)
    whole = np.trunc(x)
    outside = bool(whole < limits.min or whole > limits.max)
    return outside and int(d.got) == int(limits.min if x < 0 else limits.max)


def _no_number(d: Difference) -> bool:
    return bool(np.isnan(_x(d))) and DTYPES[d.type].kind == "i" and int(d.got) == 0


def _beyond(d: Difference) -> bool:
    """A number above the largest f8, which is a NaN without saturation."""
    unsaturated = d.case.attributes.get("saturate") == 0 and d.type == "f8E4M3FN"
    return unsaturated and abs(_x(d)) > 448 and bool(np.isnan(float(d.got)))  # noqa: PLR2004


def _quotient(d: Difference) -> float:
    """The quotient in the type of the scale."""
    scale = d.operands[1]
    exact = np.float32(float(np.float32(_x(d)))) / np.float32(float(scale))
    return float(np.array([exact]).astype(scale.dtype)[0])


def _is_quantised(d: Difference) -> bool:
    """Whether the machine quantises right; a NaN becomes the smallest integer."""
    zero = float(d.operands[2]) if len(d.operands) > 2 else 0.0  # noqa: PLR2004
    limits = np.iinfo(DTYPES[d.type])
    whole = float(np.rint(_quotient(d)) + zero)
    return int(d.got) == (limits.min if np.isnan(whole) else np.clip(whole, limits.min, limits.max))


def _wraps(d: Difference) -> bool:
    whole = _quotient(d)
    return not abs(whole) < 2.0**31 - 2.0**16 and _is_quantised(d)


def _in_f32(d: Difference) -> bool:
    return d.operands[1].dtype == np.float16 and _is_quantised(d)


def _stays(d: Difference) -> bool:
    """An infinity that is cast to the type it has."""
    return d.operands[0].dtype == DTYPES[d.type] and np.isinf(_x(d)) and float(d.got) == _x(d)


def _of_batch(d: Difference) -> bool:
    """The machine's batch normalisation is right: (x - mean) (scale / sqrt(variance + e)) + b."""
    x, scale, bias, mean, variance = (np.float32(float(each)) for each in d.operands)
    epsilon = np.float32(d.attribute("epsilon", 1e-5))
    factor = np.float32(scale / np.sqrt(np.float32(variance + epsilon)))
    return _is(d, float(np.float32(np.float32(np.float32(x - mean) * factor) + bias)), 2)


def _training(d: Difference) -> bool:
    return 9 <= d.case.version < 14 and _of_batch(d)  # noqa: PLR2004 - where it trains


def _moved_bias(d: Difference) -> bool:
    """ONNX Runtime computes x f + (bias - mean f)."""
    x, scale, bias, mean, variance = (float(each) for each in d.operands)
    factor = scale / np.sqrt(np.float64(variance + d.attribute("epsilon", 1e-5)))
    terms = [abs(x * factor), abs(mean * factor), abs(bias)]
    theirs = np.float64(x * factor) + (bias - np.float64(mean * factor))
    size = max(each for each in (*terms, 1e-300) if not np.isnan(each))
    limits = ml_dtypes.finfo(DTYPES[d.type])
    error = abs(float(d.wanted) - theirs)
    overflows = size > 0.5 * float(ml_dtypes.finfo(np.float32).max)
    return _of_batch(d) and bool(
        overflows
        or (np.isnan(d.wanted) and np.isnan(theirs))
        or error <= 4 * float(limits.eps) * size + float(limits.smallest_subnormal)
    )


def _other_order(d: Difference) -> bool:
    """The reference computes scale (x - mean) / sqrt(variance + e) + bias in the type itself."""
    x, scale, bias, mean, variance = (float(each) for each in d.operands)
    root = np.sqrt(np.float64(variance + d.attribute("epsilon", 1e-5)))
    terms = abs(scale * (x - mean)), abs(x - mean), abs(scale * (x - mean) / root), abs(bias)
    limits = ml_dtypes.finfo(DTYPES[d.type])
    top, size = float(limits.max), max(each for each in (*terms, 1e-300) if not np.isnan(each))
    apart = abs(float(d.wanted) - float(d.got))
    return _of_batch(d) and bool(size > 0.5 * top or apart <= 4 * float(limits.eps) * size)


def _overflows(d: Difference) -> bool:
    """A sum or product of quantised operands of 2^31 or more."""
    a, scale_a, zero_a, b, scale_b, zero_b, scale, zero = (float(each) for each in d.operands)
    exact = (a - zero_a) * scale_a * (b - zero_b) * scale_b / scale
    if d.case.name == "QLinearAdd":  # in two steps, of which the first may overflow
        first, second = scale_a / scale, scale_b / scale
        inner = float(np.float32(b * second + zero - first * zero_a - second * zero_b))
        exact = a * first + inner
    limits = np.iinfo(DTYPES[d.type])
    return exact > 2.0**31 - 2**8 and int(d.got) == limits.max and int(d.wanted) == limits.min


def _first(d: Difference, count: int) -> bool:
    """Whether the result is the operand that the condition chooses, with its sign."""
    chosen = d.operands[1 if d.operands[0] else 2]
    return count == 3 and float(d.got) == 0 and np.signbit(d.got) == np.signbit(chosen)  # noqa: PLR2004


def _zeros(name: str) -> Callable[[Difference], bool]:
    """0 and -0: -0 counts as less."""

    def holds(d: Difference) -> bool:
        both = sorted(bool(np.signbit(each)) for each in d.operands) == [False, True]
        return both and _zero(d.got, negative=name == "Min") and not any(map(float, d.operands))

    return holds


_CANCELS = Reason(
    "", "exp(x) - 1 is computed as such, and cancels; here expm1 is used", _exponential
)
_ROUNDED = "rounds after each step, and 1 + f(x) cancels; here all steps are in f32"
_ZEROS = "either 0 or -0 of the two, by their order; here 0 is more than -0"
_OUTSIDE = "a float outside of the integer type is undefined in ONNX; here the nearest integer"
_OWN_TYPE = "a cast to the type itself saturates infinities; here it changes nothing"
_WIDE = "2^31 or more becomes the smallest integer; here the largest"

REASONS: dict[str, tuple[Reason, ...]] = {
    **dict.fromkeys(("Celu", "Elu"), (_CANCELS,)),
    "Selu": (
        Reason("reference", "opset 1: has the defaults of opset 6, with more digits", _first_selu),
        _CANCELS,
    ),
    "BatchNormalization": (
        Reason("reference", "opset 9: computes statistics of the batch, as in training", _training),
        Reason("reference", "multiplies by the scale first, and rounds each step", _other_order),
        Reason(
            "onnxruntime",
            "computes x f + (bias - mean f) with f = scale / sqrt(variance + epsilon); "
            "here (x - mean) f + bias, as ONNX says",
            _moved_bias,
        ),
    ),
    **dict.fromkeys(
        ("Cast", "CastLike"),
        (
            Reason("", _OUTSIDE, _saturates),
            Reason("", "a NaN as an integer is undefined in ONNX; here 0", _no_number),
            Reason(
                "onnxruntime",
                "rounds numbers above 448 down without saturation; ONNX says NaN",
                _beyond,
            ),
            Reason("reference", _OWN_TYPE, _stays),
        ),
    ),
    "Clip": (
        Reason(
            "",
            "leaves infinities where a bound is left out; ONNX's default is the largest number",
            _clips,
        ),
    ),
    "Div": (
        Reason(
            "reference",
            "an integer divided by 0: undefined in ONNX; here -1",
            lambda d: int(d.operands[1]) == 0 and int(d.got) == -1,
        ),
    ),
    "Gelu": (
        Reason("reference", _ROUNDED, _steps(_gelu)),
        Reason("onnxruntime", "approximates in other steps; 1 + f(x) cancels", _steps(_gelu)),
    ),
    "LeakyRelu": (
        Reason(
            "reference",
            "0 times alpha where x is 0; ONNX defines x for x >= 0",
            lambda d: _x(d) >= 0 and _is(d, _x(d)),
        ),
        Reason(
            "reference",
            "f16 rounds alpha, and the product again; here once",
            lambda d: d.type == "f16" and _x(d) < 0 and _is(d, d.attribute("alpha", 0.01) * _x(d)),
        ),
    ),
    "Max": (Reason("", _ZEROS, _zeros("Max")),),
    "Min": (Reason("", _ZEROS, _zeros("Min")),),
    "Mish": (
        Reason("reference", _ROUNDED, _steps(lambda d: _x(d) * float(np.tanh(_softplus(d))))),
    ),
    "Mod": (
        Reason(
            "reference",
            "an integer modulo 0: not defined by ONNX; here the first operand",
            lambda d: int(d.operands[1]) == 0 and int(d.got) == int(d.operands[0]),
        ),
    ),
    "PRelu": (
        Reason(
            "reference",
            "computes 0 times the slope where x is 0; ONNX defines x for x >= 0",
            lambda d: _x(d) >= 0 and _is(d, _x(d)),
        ),
        Reason(
            "onnxruntime",
            "f16: 0 for x times 0 where x < 0; here -0, as in its f32",
            lambda d: d.type == "f16" and _x(d) < 0 and _is(d, _x(d) * float(d.operands[1])),
        ),
    ),
    **dict.fromkeys(("QLinearAdd", "QLinearMul"), (Reason("onnxruntime", _WIDE, _overflows),)),
    "QuantizeLinear": (
        Reason("reference", "converts to i32, where 2^31 and a NaN wrap; ONNX saturates", _wraps),
        Reason(
            "onnxruntime", "f16: divides in f32; ONNX divides in the type of the scale", _in_f32
        ),
    ),
    "Relu": (
        Reason(
            "",
            "-0 for -0 in some types; ONNX defines max(0, x); here 0",
            lambda d: _x(d) == 0 and _zero(d.got, negative=False),
        ),
    ),
    "Sign": (
        Reason(
            "reference",
            "bf16: -0 for -0, in f32 and f16 it is 0; here 0",
            lambda d: d.type == "bf16" and _x(d) == 0 and _zero(d.got, negative=False),
        ),
        Reason(
            "onnxruntime",
            "f16: 0 for a NaN, in f32 it is a NaN; here a NaN",
            lambda d: bool(np.isnan(_x(d)) and np.isnan(d.got)),
        ),
    ),
    "Softplus": (Reason("reference", _ROUNDED, _steps(_softplus)),),
    "Sum": (
        Reason(
            "reference",
            "begins with 0, so that the sum of -0 and -0 is 0; here -0",
            lambda d: all(_zero(each, negative=True) for each in (*d.operands, d.got)),
        ),
    ),
    "Swish": (
        Reason(
            "reference",
            _ROUNDED,
            _steps(lambda d: _x(d) * _sigmoid(d.attribute("alpha", 1) * _x(d))),
        ),
        Reason(
            "onnxruntime",
            "approximates the sigmoid, with a larger error",
            _steps(lambda d: _x(d) * _sigmoid(d.attribute("alpha", 1) * _x(d))),
        ),
    ),
    "Tanh": (
        Reason(
            "onnxruntime",
            "approximates by a quotient, with a larger error near 0",
            lambda d: abs(_x(d)) < 1 and _is(d, float(np.tanh(_x(d))), 4),
        ),
    ),
    "Where": (
        Reason(
            "onnxruntime",
            "adds the two operands, one of them masked: -0 becomes 0",
            lambda d: _first(d, len(d.operands)),
        ),
    ),
}
"""The reasons by operator."""
