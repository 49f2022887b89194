"""References and the error measure for the transcendental instructions.

Two references: NumPy's float64 functions (a few units of 2^-53, that is below 1e-8 ulp of float32),
fast enough for millions of points, and mpmath at 300 bits, which judges the worst of them again.
The unit of error is the one of the TOSA 1.0 specification: for a true result r,
2^(max(ilog2(|r|), -126) - 23). An infinite result counts as 2^128, and so does a true result
beyond that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

F64Array = NDArray[np.float64]
F32Array = NDArray[np.float32]

_INFINITY = 2.0**128
_MIN_EXPONENT = -126


@dataclass(frozen=True)
class Reference:
    """One function: in float64 on arrays, in mpmath on numbers, and where it is defined.

    `domain` takes float32 operands and tells where all of them are finite, the function is real
    and has no pole. `symmetric` functions are odd or even.
    """

    double: Callable[..., F64Array]
    exact: Callable[..., Any]
    domain: Callable[..., NDArray[np.bool_]]
    operands: int = 1
    symmetric: bool = False


def _positive(x: F32Array) -> NDArray[np.bool_]:
    return np.isfinite(x) & (x > 0)


def _nonzero(x: F32Array) -> NDArray[np.bool_]:
    return np.isfinite(x) & (x != 0)


def _power(x: F32Array, y: F32Array) -> NDArray[np.bool_]:
    return np.isfinite(x) & np.isfinite(y) & (x != 0) & ((x > 0) | (np.floor(y) == y))


def _erf(x: F64Array) -> F64Array:
    return np.fromiter(map(math.erf, x.tolist()), np.float64, x.size)


REFERENCES: dict[str, Reference] = {
    "exp": Reference(np.exp, mpmath.exp, np.isfinite),
    "log": Reference(np.log, mpmath.log, _positive),
    "log2": Reference(np.log2, lambda x: mpmath.log(x, 2), _positive),
    "log10": Reference(np.log10, mpmath.log10, _positive),
    "sin": Reference(np.sin, mpmath.sin, np.isfinite, symmetric=True),
    "cos": Reference(np.cos, mpmath.cos, np.isfinite, symmetric=True),
    "tanh": Reference(np.tanh, mpmath.tanh, np.isfinite, symmetric=True),
    "sigmoid": Reference(
        lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (1 + mpmath.exp(-x)), np.isfinite
    ),
    "erf": Reference(_erf, mpmath.erf, np.isfinite, symmetric=True),
    "rsqrt": Reference(lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x), _positive),
    "recip": Reference(lambda x: 1 / x, lambda x: 1 / x, _nonzero, symmetric=True),
    "pow": Reference(np.power, mpmath.power, _power, operands=2),
}
"""Every transcendental instruction, its name without `.f32`."""


def double_result(name: str, operands: list[F32Array]) -> F64Array:
    """Evaluate the float64 reference on finite float32 operands of the function's domain."""
    with np.errstate(all="ignore"):
        return REFERENCES[name].double(*(x.astype(np.float64) for x in operands))


def ulp_errors(result: F32Array, reference: F64Array) -> F64Array:
    """Measure |result - reference| in ulp; infinite where a result is NaN."""
    true = np.clip(reference, -_INFINITY, _INFINITY)
    given = np.clip(result.astype(np.float64), -_INFINITY, _INFINITY)
    exponent = np.maximum(np.frexp(true)[1] - 1, _MIN_EXPONENT)
    errors = np.abs(given - true) * np.ldexp(1.0, 23 - exponent)
    return np.where(np.isnan(errors), np.inf, errors)


def exact_error(name: str, operands: list[float], result: float) -> float:
    """Measure one result against mpmath at 300 bits, in ulp."""
    with mpmath.workprec(300):
        true = REFERENCES[name].exact(*(mpmath.mpf(x) for x in operands))
        limit = mpmath.mpf(_INFINITY)
        true = max(-limit, min(limit, true))
        given = max(-limit, min(limit, mpmath.mpf(result)))
        exponent = _MIN_EXPONENT
        if true:
            exponent = max(int(mpmath.floor(mpmath.log(abs(true), 2))), _MIN_EXPONENT)
        return float(abs(given - true) * mpmath.mpf(2) ** (23 - exponent))
