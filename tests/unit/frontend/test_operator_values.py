"""The values of every operator, for every element type: IREE on the upstream lowering, and NumPy.

The references are written from the TOSA specification with 64-bit integers and float64.
"""

import math

import numpy as np
import pytest
from element_types import DTYPES, FLOATS, WIDTHS

from hwc.dialects.tosa_table import OPERATORS

POINTS = 64


def limits(element):
    half = 2 ** (WIDTHS[element] - 1)
    return -half, half - 1


def inputs(element):
    """Two operands, shift amounts and a condition; extremes first."""
    rng = np.random.default_rng(7)
    condition = rng.integers(0, 2, POINTS).astype(bool)
    if element == "i1":
        return [rng.integers(0, 2, POINTS).astype(bool) for _ in range(3)] + [condition]
    if element in FLOATS:
        a, b = (rng.uniform(-4, 4, POINTS).astype(DTYPES[element]) for _ in range(2))
        a[:4], b[:4] = [np.inf, -0.0, 2.5, -3.5], [1.0, 0.0, 2.5, -0.5]
        return [a, b, b, condition]
    low, high = limits(element)
    a, b = (rng.integers(low, high + 1, POINTS) for _ in range(2))
    a[:4], b[:4] = [low, high, 0, -1], [high, low, 1, -1]
    shifts = rng.integers(0, WIDTHS[element], POINTS)
    shifts[:2] = [0, WIDTHS[element] - 1]
    return [x.astype(DTYPES[element]) for x in (a, b, shifts)] + [condition]


def clz(a, width):
    return [width - int(x & (2**width - 1)).bit_length() for x in a]


def erf(a):
    return [math.erf(x) for x in a]


def integer_reference(name, element, a, b, s, c):
    """The exact result, which the caller wraps to the result's type."""
    width = WIDTHS[element]
    unsigned = a & (2**width - 1)
    with np.errstate(all="ignore"):
        return {
            "abs": lambda: abs(a),
            "add": lambda: a + b,
            "arithmetic_right_shift": lambda: (
                (a >> s) + np.where(s > 0, a >> np.maximum(s - 1, 0) & 1, 0)
            ),
            "bitwise_and": lambda: a & b,
            "bitwise_not": lambda: ~a,
            "bitwise_or": lambda: a | b,
            "bitwise_xor": lambda: a ^ b,
            "clamp": lambda: np.clip(a, -1, 6),
            "clz": lambda: np.array(clz(a, width)),
            "equal": lambda: a == b,
            "greater": lambda: a > b,
            "greater_equal": lambda: a >= b,
            "identity": lambda: a,
            "intdiv": lambda: np.trunc(a / b).astype(np.int64),
            "logical_left_shift": lambda: a << s,
            "logical_right_shift": lambda: unsigned >> s,
            "maximum": lambda: np.maximum(a, b),
            "minimum": lambda: np.minimum(a, b),
            "mul": lambda: a * b,
            "rescale": lambda: (a + 1) >> 1,
            "negate": lambda: -a if element == "i32" else np.clip(-a, *limits(element)),
            "select": lambda: np.where(c, a, b),
            "sub": lambda: a - b,
            "table": lambda: table(element, a),
        }[name]()


def table(element, a):
    """The entries for an i8; what is between two of them for an i16."""
    entries = np.array(TABLES[element], np.int64)
    if element == "i8":
        return entries[a + 128]
    index, rest = divmod(a + 32768, 128)
    return 128 * entries[index] + (entries[index + 1] - entries[index]) * rest


BOOLEANS = {
    "bitwise_and": np.logical_and,
    "bitwise_or": np.logical_or,
    "bitwise_xor": np.logical_xor,
    "equal": np.equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

FLOAT_RESULTS = {
    "abs": lambda a, b, c: abs(a),
    "add": lambda a, b, c: a + b,
    "ceil": lambda a, b, c: np.ceil(a),
    "clamp": lambda a, b, c: np.clip(a, -1.0, 6.0),
    "cos": lambda a, b, c: np.cos(a),
    "equal": lambda a, b, c: a == b,
    "erf": lambda a, b, c: erf(a),
    "exp": lambda a, b, c: np.exp(a),
    "floor": lambda a, b, c: np.floor(a),
    "greater": lambda a, b, c: a > b,
    "greater_equal": lambda a, b, c: a >= b,
    "identity": lambda a, b, c: a,
    "log": lambda a, b, c: np.log(a),
    "maximum": lambda a, b, c: np.maximum(a, b),
    "minimum": lambda a, b, c: np.minimum(a, b),
    "mul": lambda a, b, c: a * b,
    "negate": lambda a, b, c: -a,
    "pow": lambda a, b, c: np.power(a, b),
    "reciprocal": lambda a, b, c: 1 / a,
    "rsqrt": lambda a, b, c: 1 / np.sqrt(a),
    "select": lambda a, b, c: np.where(c, a, b),
    "sigmoid": lambda a, b, c: 1 / (1 + np.exp(-a)),
    "sin": lambda a, b, c: np.sin(a),
    "sub": lambda a, b, c: a - b,
    "tanh": lambda a, b, c: np.tanh(a),
}

RESCALE = [("i32", 1 << 30), ("i8", 31), ("", 0), ("", 0)]
"""Types and values of the parameters: half of a number; zero points have the data's types."""

TABLES = {
    "i8": [(7 * n * n) % 251 - 125 for n in range(256)],
    "i16": [(977 * n * n) % 65521 - 32760 for n in range(513)],
}
"""A table for each type that has one."""

NEAR = {"f32": (3e-5, 1e-6), "f16": (2e-3, 1e-3)}
"""Relative and absolute distance from the reference."""

TRANSCENDENTAL = {
    *("cos", "erf", "exp", "log", "reciprocal", "rsqrt", "sigmoid", "sin", "tanh"),
}

FRACTION_BITS = {"f32": 23, "f16": 10}


def pow_bound(a, b, exact, result):
    """How far a power may be off, as section "Precision" of TOSA 1.0 says.

    IREE takes the logarithm in the type itself, and an error of y * ln(x) grows with the power.
    """
    with np.errstate(all="ignore"):
        a, b, exact = (x.astype(np.float64) for x in (a, b, exact))
        z = b * np.log(a)
        m = absolute_error(z, 5.5, np.abs(0.55 * b), result)
        steps = (3 if result == "f32" else 1) + 2 * np.abs(z + m)
        return np.abs(exact * np.expm1(m)) + absolute_error(exact, steps, 0, result)


def absolute_error(magnitude, steps, lower, result):
    """The specification's ABS_ERROR: `steps` times what the last bit of `magnitude` is worth."""
    least = np.maximum(np.finfo(result.replace("f", "float")).smallest_normal, lower / steps)
    return 2.0 ** -FRACTION_BITS[result] * np.maximum(np.abs(magnitude), least) * steps


def reference(name, element, arrays, result):
    """The expected array of type `result`."""
    a, b, s, c = arrays
    if name == "cast":
        return cast(a, element, result)
    if element in FLOATS:
        with np.errstate(all="ignore"):
            return np.asarray(
                FLOAT_RESULTS[name](a.astype(np.float64), b.astype(np.float64), c)
            ).astype(DTYPES[result])
    if element == "i1":
        if name in BOOLEANS:
            return BOOLEANS[name](a, b)
        return {"select": np.where(c, a, b), "identity": a}.get(name, ~a)
    wide = [x.astype(np.int64) for x in (a, b, s)]
    exact = integer_reference(name, element, *wide, c)
    if name == "rescale":
        exact = np.clip(exact, *limits(result))
    return exact.astype(DTYPES[result])


def cast(a, element, result):
    if element in FLOATS and result in WIDTHS:
        low, high = limits(result)
        rounded = np.nan_to_num(np.rint(a.astype(np.float64)), nan=0.0)
        return np.clip(rounded, low, high).astype(DTYPES[result])
    with np.errstate(over="ignore"):
        return a.astype(DTYPES[result])


def cases(element):
    for name, rule in OPERATORS.items():
        if name != "div":
            for result in rule.types.get(element, ()):
                if result in DTYPES:
                    yield name, result


def program(element):
    """One function that returns the result of every operator that takes `element`."""
    tensor = f"tensor<{POINTS}x{element}>"
    condition = f"tensor<{POINTS}xi1>"
    lines, results, types = [], [], []
    for number, (name, result) in enumerate(cases(element)):
        more = RESCALE if name == "rescale" else []
        more = [
            (f"tensor<1x{kind or (element, result)[i - 2]}>", value)
            for i, (kind, value) in enumerate(more)
        ]
        if name == "table":
            more = [(f"tensor<{len(TABLES[element])}x{element}>", TABLES[element])]
        for i, (of, value) in enumerate(more):
            constant = f"dense<{value}> : {of}"
            lines.append(f'  %k{number}_{i} = "tosa.const"() {{values = {constant}}} : () -> {of}')
        operands = ["%a", "%s" if "shift" in name else "%b"][: OPERATORS[name].arity]
        if OPERATORS[name].condition:
            operands = ["%c", "%a", "%b"]
        low, high = ("-1.0", "6.0") if element in FLOATS else ("-1", "6")
        attributes = {
            "clamp": f"{{min_val = {low} : {element}, max_val = {high} : {element}}}",
            "arithmetic_right_shift": "{round = true}",
            "rescale": "{scale32 = true, rounding_mode = #tosa.rounding_mode<SINGLE_ROUND>, "
            "per_channel = false, input_unsigned = false, output_unsigned = false}",
        }.get(name, "")
        types_in = [condition if operand == "%c" else tensor for operand in operands]
        operands += [f"%k{number}_{i}" for i in range(len(more))]
        given = ", ".join([*types_in, *(of for of, _ in more)])
        out = f"tensor<{POINTS}x{result}>"
        text = f'"tosa.{name}"({", ".join(operands)}) {attributes} : ({given}) -> {out}'
        lines.append(f"  %r{number} = {text}")
        results.append(f"%r{number}")
        types.append(out)
    arguments = f"%a: {tensor}, %b: {tensor}, %s: {tensor}, %c: {condition}"
    body = "\n".join(lines)
    end = f"  return {', '.join(results)} : {', '.join(types)}\n}}\n"
    return f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n{body}\n{end}"


@pytest.mark.parametrize("element", DTYPES)
def test_every_operator(element, run_portable):
    arrays = inputs(element)
    got = run_portable(program(element))(*arrays)
    for (name, result), values in zip(cases(element), got, strict=True):
        expected = reference(name, element, arrays, result)
        actual = np.asarray(values).astype(DTYPES[result])
        message = f"{name}: {element} -> {result}"
        if name == "pow":
            # IREE's pow is its own about zeros and negative numbers, and infinite ones are equal.
            chosen = (arrays[0] > 0) & np.isfinite(expected)
            a, b, near, exact = (x[chosen] for x in (*arrays[:2], actual, expected))
            bound = pow_bound(a, b, exact, result)
            off = np.abs(near.astype(np.float64) - exact.astype(np.float64))
            assert (off <= bound).all(), f"{message}: {np.max(off / bound)} of the bound"
        elif name in TRANSCENDENTAL:
            np.testing.assert_allclose(actual, expected, *NEAR[result], err_msg=message)
        else:
            np.testing.assert_array_equal(actual, expected, err_msg=message)
