"""Every special function of one operand in f16 and bf16: all results are correctly rounded.

The reference is float64. Where its error could decide, mpmath does.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from sim.semantics import execute
from sim.semantics.formats import FORMATS, floats

BITS = 1 << 16
NARROW = ("f16", "bf16")
UNARY = ("exp", "log", "log2", "log10", "sin", "cos", "tanh", "sigmoid", "erf", "rsqrt", "recip")

MARGIN = 2.0**-44
"""More than the relative error of the reference in float64."""


def rounded(exact, format_):
    """Round a number of mpmath to a format with rational arithmetic, to nearest even."""
    sign, significand, power, _ = exact._mpf_
    number = Fraction(int(significand)) * Fraction(2) ** int(power)
    if number == 0:
        return 0.0
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > number
    unit = Fraction(2) ** (max(exponent, format_.min_exponent) - format_.fraction_bits)
    magnitude = round(number / unit) * unit
    beyond = magnitude >= Fraction(2) ** (format_.max_exponent + 1)
    return math.copysign(math.inf if beyond else float(magnitude), -1 if sign else 1)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("type_", NARROW)
def test_every_result_is_correctly_rounded(type_, name, reference):
    format_, function = FORMATS[type_], reference.REFERENCES[name]
    operands = floats(format_.lanes(np.arange(BITS, dtype=np.uint32)))
    operands = operands[function.domain(operands)]
    got = floats(execute(f"{name}.{type_}", [operands.view(np.int32)]))
    with np.errstate(all="ignore"):
        exact = function.double(operands.astype(np.float64))
        expected = format_.round(exact)
        near = format_.round(exact * (1 + MARGIN)) != format_.round(exact * (1 - MARGIN))
    assert np.count_nonzero(near) < 10
    for i in np.flatnonzero(near):
        with mpmath.workprec(300):
            expected[i] = rounded(function.exact(mpmath.mpf(float(operands[i]))), format_)
    np.testing.assert_array_equal(got, expected)
