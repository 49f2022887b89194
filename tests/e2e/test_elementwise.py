"""`arith` and `math` on tensors with dynamic sizes: every operation that is compiled, and NumPy."""

import math

import numpy as np
import pytest
from element_types import DTYPES

import hwc
from hwc.errors import DispatchError
from hwc.frontend.scalar_operations import BEHAVIOUR

FLOATS = np.array(
    [[0, -0.0, 1, -1.5], [2.5, -2.5, 3.5, 1e-40], [np.inf, -np.inf, np.nan, 7]], np.float32
)
OTHER = np.array([[1, 2, -0.0, 3], [2.5, 0.5, -1, 2], [1, np.inf, 2, np.nan]], np.float32)
POSITIVE = np.array([[0.5, 1, 2, 3.25], [1e-3, 7, 100, 0.75]], np.float32)
MIN, MAX = -(2**31), 2**31 - 1
INTEGERS = np.array([[MIN, -7, -1, 0], [1, 7, 1000, MAX]], np.int32)
DIVISORS = np.array([[3, 2, MIN, -2], [MAX, -3, 7, -1]], np.int32)
SHIFTS = np.array([[0, 1, 31, 5], [7, 30, 2, 3]], np.int32)
ULP = 1e-6


def special(function):
    return np.vectorize(function, otypes=[np.float64])


def unsigned(a):
    return a.astype(np.int64) & (2**32 - 1)


def counted(function):
    """Apply a function of a non-negative Python integer to every element."""
    return np.vectorize(lambda x: function(int(x) & (2**32 - 1)))


def halves(a, b):
    product = [
        [int(x) * int(y) for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)
    ]
    low = np.array([[p & (2**32 - 1) for p in row] for row in product], np.uint32)
    high = np.array([[p >> 32 & (2**32 - 1) for p in row] for row in product], np.uint32)
    return low.view(np.int32), high.view(np.int32)


def _int(kind):
    return f"tensor<?x?xi{kind}>"


F, I, B, C = "tensor<?x?xf32>", _int(32), _int(8), _int(1)  # noqa: E741
H = "tensor<?x?xf16>"
ff, ii = (FLOATS, OTHER), (INTEGERS, DIVISORS)
classes = (FLOATS,)

# For each operation: the text after its name, the operands, and the results.
CASES = {
    "arith.addf": (f"%a, %b : {F}", ff, [np.add]),
    "arith.addi": (f"%a, %b : {I}", ii, [np.add]),
    "arith.addui_extended": (
        f"%a, %b : {I}, {C}",
        ii,
        [np.add, lambda a, b: unsigned(a) + unsigned(b) >= 2**32],
    ),
    "arith.andi": (f"%a, %b : {I}", ii, [np.bitwise_and]),
    "arith.bitcast": (f"%a : {F} to {I}", classes, [lambda a: a.view(np.int32)]),
    "arith.ceildivsi": (f"%a, %b : {I}", ii, [lambda a, b: -(-a.astype(np.int64) // b)]),
    "arith.ceildivui": (f"%a, %b : {I}", ii, [lambda a, b: -(-unsigned(a) // unsigned(b))]),
    "arith.cmpf": (f"ult, %a, %b : {F}", ff, [lambda a, b: ~(a >= b)]),
    "arith.cmpi": (f"sle, %a, %b : {I}", ii, [np.less_equal]),
    "arith.divf": (f"%a, %b : {F}", ff, [np.divide]),
    "arith.divsi": (f"%a, %b : {I}", ii, [lambda a, b: np.trunc(a / b.astype(np.float64))]),
    "arith.divui": (f"%a, %b : {I}", ii, [lambda a, b: unsigned(a) // unsigned(b)]),
    "arith.extf": (f"%a : {H} to {F}", (FLOATS.astype(np.float16),), [lambda a: a]),
    "arith.extsi": (f"%a : {B} to {I}", (INTEGERS.astype(np.int8),), [lambda a: a]),
    "arith.extui": (f"%a : {B} to {I}", (INTEGERS.astype(np.int8),), [lambda a: a.view(np.uint8)]),
    "arith.floordivsi": (f"%a, %b : {I}", ii, [lambda a, b: a.astype(np.int64) // b]),
    "arith.fptosi": (f"%a : {F} to {I}", (POSITIVE,), [np.trunc]),
    "arith.fptoui": (f"%a : {F} to {I}", (POSITIVE,), [np.trunc]),
    "arith.maximumf": (f"%a, %b : {F}", ff, [np.maximum]),
    "arith.maxnumf": (f"%a, %b : {F}", ff, [np.fmax]),
    "arith.maxsi": (f"%a, %b : {I}", ii, [np.maximum]),
    "arith.maxui": (f"%a, %b : {I}", ii, [lambda a, b: np.maximum(unsigned(a), unsigned(b))]),
    "arith.minimumf": (f"%a, %b : {F}", ff, [np.minimum]),
    "arith.minnumf": (f"%a, %b : {F}", ff, [np.fmin]),
    "arith.minsi": (f"%a, %b : {I}", ii, [np.minimum]),
    "arith.minui": (f"%a, %b : {I}", ii, [lambda a, b: np.minimum(unsigned(a), unsigned(b))]),
    "arith.mulf": (f"%a, %b : {F}", ff, [np.multiply]),
    "arith.muli": (f"%a, %b : {I}", ii, [lambda a, b: halves(a, b)[0]]),
    "arith.mulsi_extended": (
        f"%a, %b : {I}",
        ii,
        [lambda a, b: halves(a, b)[0], lambda a, b: halves(a, b)[1]],
    ),
    "arith.mului_extended": (
        f"%a, %b : {I}",
        ii,
        [lambda a, b: halves(a, b)[0], lambda a, b: halves(unsigned(a), unsigned(b))[1]],
    ),
    "arith.negf": (f"%a : {F}", (OTHER,), [np.negative]),
    "arith.ori": (f"%a, %b : {I}", ii, [np.bitwise_or]),
    "arith.remf": (f"%a, %b : {F}", ff, [np.fmod]),
    "arith.remsi": (f"%a, %b : {I}", ii, [np.fmod]),
    "arith.remui": (f"%a, %b : {I}", ii, [lambda a, b: unsigned(a) % unsigned(b)]),
    "arith.select": (f"%a, %b, %c : {C}, {F}", (FLOATS > 0, FLOATS, OTHER), [np.where]),
    "arith.shli": (f"%a, %b : {I}", (INTEGERS, SHIFTS), [np.left_shift]),
    "arith.shrsi": (f"%a, %b : {I}", (INTEGERS, SHIFTS), [np.right_shift]),
    "arith.shrui": (f"%a, %b : {I}", (INTEGERS, SHIFTS), [lambda a, b: unsigned(a) >> b]),
    "arith.sitofp": (f"%a : {I} to {F}", (INTEGERS,), [lambda a: a]),
    "arith.subf": (f"%a, %b : {F}", ff, [np.subtract]),
    "arith.subi": (f"%a, %b : {I}", ii, [np.subtract]),
    "arith.truncf": (f"%a : {F} to {H}", (OTHER / 3,), [lambda a: a.astype(np.float16)]),
    "arith.trunci": (f"%a : {I} to {B}", (INTEGERS,), [lambda a: a]),
    "arith.uitofp": (f"%a : {I} to {F}", (INTEGERS,), [unsigned]),
    "arith.xori": (f"%a, %b : {I}", ii, [np.bitwise_xor]),
    "math.absf": (f"%a : {F}", (OTHER,), [np.abs]),
    "math.absi": (f"%a : {I}", (INTEGERS,), [np.abs]),
    "math.ceil": (f"%a : {F}", classes, [np.ceil]),
    "math.clampf": (
        f"%a to [%b, %c] : {F}",
        (*ff, OTHER + 1),
        [lambda a, b, c: np.minimum(np.maximum(a, b), c)],
    ),
    "math.copysign": (f"%a, %b : {F}", (OTHER, FLOATS), [np.copysign]),
    "math.cos": (f"%a : {F}", (POSITIVE,), [np.cos]),
    "math.ctlz": (f"%a : {I}", (INTEGERS,), [counted(lambda x: 32 - x.bit_length())]),
    "math.ctpop": (f"%a : {I}", (INTEGERS,), [counted(lambda x: bin(x).count("1"))]),
    "math.cttz": (
        f"%a : {I}",
        (INTEGERS,),
        [counted(lambda x: (x & -x).bit_length() - 1 if x else 32)],
    ),
    "math.erf": (f"%a : {F}", (POSITIVE,), [special(math.erf)]),
    "math.exp": (f"%a : {F}", (POSITIVE / 2,), [np.exp]),
    "math.exp2": (f"%a : {F}", (POSITIVE,), [np.exp2]),
    "math.expm1": (f"%a : {F}", (POSITIVE / 2,), [np.expm1]),
    "math.floor": (f"%a : {F}", classes, [np.floor]),
    "math.fma": (f"%a, %b, %c : {F}", (*ff, OTHER + 1), [lambda a, b, c: a * b + c]),
    "math.isfinite": (f"%a : {F}", classes, [np.isfinite]),
    "math.isinf": (f"%a : {F}", classes, [np.isinf]),
    "math.isnan": (f"%a : {F}", classes, [np.isnan]),
    "math.isnormal": (
        f"%a : {F}",
        classes,
        [lambda a: np.isfinite(a) & (abs(a) >= np.finfo(np.float32).tiny)],
    ),
    "math.log": (f"%a : {F}", (POSITIVE,), [np.log]),
    "math.log10": (f"%a : {F}", (POSITIVE,), [np.log10]),
    "math.log1p": (f"%a : {F}", (POSITIVE,), [np.log1p]),
    "math.log2": (f"%a : {F}", (POSITIVE,), [np.log2]),
    "math.powf": (f"%a, %b : {F}", (POSITIVE, POSITIVE / 8), [np.power]),
    "math.round": (f"%a : {F}", classes, [lambda a: np.copysign(np.floor(abs(a) + 0.5), a)]),
    "math.roundeven": (f"%a : {F}", classes, [np.rint]),
    "math.rsqrt": (f"%a : {F}", (POSITIVE,), [lambda a: 1 / np.sqrt(a)]),
    "math.sin": (f"%a : {F}", (POSITIVE,), [np.sin]),
    "math.sincos": (f"%a : {F}", (POSITIVE,), [np.sin, np.cos]),
    "math.sqrt": (f"%a : {F}", (POSITIVE,), [np.sqrt]),
    "math.tan": (f"%a : {F}", (POSITIVE,), [np.tan]),
    "math.tanh": (f"%a : {F}", (POSITIVE,), [np.tanh]),
    "math.trunc": (f"%a : {F}", classes, [np.trunc]),
}
NAMES = {DTYPES[name]: name for name in DTYPES}
ROUNDED = {f"arith.{name}f" for name in ("add", "div", "mul", "rem", "sub")} | {
    "math.sqrt",
    "math.fma",
}


def result_types(name, text, count):
    """The element types of the results: after `to`, of a carry or a question i1, else operands'."""
    last = text.rsplit("x", 1)[1].removesuffix(">")
    if name in ("arith.cmpf", "arith.cmpi") or name.startswith("math.is"):
        return ["i1"]
    return ["i32", "i1"] if name == "arith.addui_extended" else [last] * count


def compiled(name, target):
    text, operands, results = CASES[name]
    kinds = [NAMES[x.dtype.type] for x in operands]
    arguments = ", ".join(f"%{n}: tensor<?x?x{k}>" for n, k in zip("abc", kinds, strict=False))
    types = [f"tensor<?x?x{k}>" for k in result_types(name, text, len(results))]
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    body = f"  {names} = {name} {text}\n  return {names} : {', '.join(types)}\n"
    return hwc.compile(
        f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n{body}}}\n", target
    )


def test_every_operation_is_here():
    assert set(CASES) == set(BEHAVIOUR) - {"arith.constant"}


@pytest.mark.parametrize("name", CASES)
def test_operation(name):
    target = ("accel", "tiny", "wide")[list(CASES).index(name) % 3]
    _, operands, results = CASES[name]
    with np.errstate(all="ignore"):
        outputs = compiled(name, target)(*operands).outputs
        for output, meaning in zip(outputs, results, strict=True):
            wide = [x.astype(np.float64) if x.dtype == np.float32 else x for x in operands]
            exact = name not in ("arith.bitcast",)
            expected = np.asarray(meaning(*(wide if exact else operands)))
            if output.dtype.kind != "f" and expected.dtype.kind in "iuf":
                expected = expected.astype(np.int64)
            expected = expected.astype(output.dtype)
            tolerance = 0 if name in ROUNDED or output.dtype != np.float32 else ULP
            np.testing.assert_allclose(output, expected, rtol=tolerance)
            if output.dtype == np.float32 and tolerance == 0:
                number = ~np.isnan(expected)
                signs = np.signbit(output), np.signbit(expected)
                np.testing.assert_array_equal(signs[0][number], signs[1][number])


def test_sizes_have_to_be_equal():
    program = compiled("arith.addf", "accel")
    with pytest.raises(DispatchError, match=r"'arith.addf' in dimension 0 .* have to be equal"):
        program(OTHER[:1], OTHER)


def test_a_scalar_condition_chooses_for_all():
    text = f"""func.func @main(%p: i1, %a: {F}, %b: {F}) -> {F} {{
  %0 = arith.select %p, %a, %b : {F}
  return %0 : {F}
}}"""
    program = hwc.compile(text)
    for condition in (True, False):
        result = program(np.bool_(condition), POSITIVE, -POSITIVE)
        np.testing.assert_array_equal(result.outputs[0], POSITIVE if condition else -POSITIVE)
