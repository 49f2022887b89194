"""Results of selected instructions: every scalar operation on every type, against NumPy."""

import numpy as np
import pytest
from element_types import DTYPES, INTEGERS

from hwc.backend.package import build_package
from hwc.dialects import make_context
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.pipeline import load_pass, run_passes
from hwc.runtime.program import Program
from isa.target import load_target

NAN, INF = np.float32("nan"), np.float32("inf")
FLOATS = np.array([0, -0.0, 1, -1, 2.5, -2.5, 3.5, 1e-40, 1e30, -1e30, INF, -INF, NAN], np.float32)


def samples(kind):
    """Values of a type with all its corners."""
    if kind == "f32":
        return FLOATS
    if kind == "i1":
        return np.array([False, True])
    info = np.iinfo(DTYPES[kind])
    return np.array(
        [info.min, info.min + 1, -7, -2, -1, 0, 1, 2, 5, info.max - 1, info.max], DTYPES[kind]
    )


def pairs(kind):
    a = samples(kind)
    return np.repeat(a, len(a)), np.tile(a, len(a))


def compile_scalar(line, operands, result):
    """A package that computes `%r = line` per point, with %x, %y, %z as operands."""
    names = "xyz"[: len(operands)]
    steps = "".join(
        f"kernel.size s{i} = dim(argument {i}, dimension 0)\n" for i in range(len(operands))
    )
    equal = ", ".join(f"s{i}" for i in range(len(operands)))
    steps += f'kernel.size equal({equal}) of "test"\n'
    arguments = ", ".join(f"%{n}: tensor<?x{k}>" for n, k in zip(names, operands, strict=True))
    scalars = ", ".join(f"%{n}s: {k}" for n, k in zip(names, operands, strict=True))
    types = ", ".join(f"tensor<?x{k}>" for k in operands)
    inputs = ", ".join(f"%{n}" for n in names)
    for n in names:
        line = line.replace(f"%{n}", f"%{n}s")
    text = f"""func.func @main({arguments}) -> tensor<?x{result}> {{
{steps}  %0 = "kernel.apply"({inputs}) <{{sizes = [["s0"]], source = []}}> ({{
  ^bb0({scalars}):
    %r = {line}
    "kernel.yield"(%r) : ({result}) -> ()
  }}) : ({types}) -> tensor<?x{result}>
  return %0 : tensor<?x{result}>
}}
"""
    context = make_context()
    module = parse(Source("test", text), context)
    machine = load_target("tiny")
    passes = [
        load_pass("fuse-kernels")(target=machine),
        load_pass("convert-kernel-to-strip")(),
        load_pass("schedule-strips")(target=machine),
        load_pass("allocate-registers")(target=machine),
    ]
    run_passes(module, context, passes)
    return Program(build_package(module, machine, "test"))


def check(line, operands, result, arrays, expected):
    program = compile_scalar(line, operands, result)
    (got,) = program(*arrays).outputs
    np.testing.assert_array_equal(got, np.asarray(expected, DTYPES[result]))


def signed(array):
    """i1 as MLIR's signed comparison and extension see it: true is -1."""
    return -array.astype(np.int64) if array.dtype == np.bool_ else array.astype(np.int64)


def unsigned(array):
    return array.astype(np.int64) & ((1 << 8 * array.itemsize) - 1)


def bits_of(a):
    """How many bits a type has, by NumPy's array of it."""
    return 1 if a.dtype == np.bool_ else 8 * a.itemsize


BINARY = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "maxsi": np.maximum,
    "minsi": np.minimum,
}


@pytest.mark.parametrize("kind", ["i1", *INTEGERS])
@pytest.mark.parametrize("name", BINARY)
def test_integers(name, kind):
    a, b = pairs(kind)
    wide = BINARY[name](signed(a), signed(b))
    expected = wide & 1 if kind == "i1" else wide.astype(DTYPES[kind])
    check(f"arith.{name} %x, %y : {kind}", [kind, kind], kind, [a, b], expected)


@pytest.mark.parametrize("kind", ["i1", *INTEGERS])
def test_unsigned_extrema(kind):
    a, b = pairs(kind)
    for name, choose in {"maxui": np.maximum, "minui": np.minimum}.items():
        expected = choose(unsigned(a), unsigned(b)).astype(DTYPES[kind])
        check(f"arith.{name} %x, %y : {kind}", [kind] * 2, kind, [a, b], expected)


@pytest.mark.parametrize("kind", INTEGERS)
def test_division_truncates_and_is_defined_everywhere(kind):
    a, b = pairs(kind)
    x, y = a.astype(np.int64), np.where(b == 0, 1, b).astype(np.int64)
    quotient = np.where(b == 0, -1, np.trunc(x / y).astype(np.int64)).astype(DTYPES[kind])
    check(f"arith.divsi %x, %y : {kind}", [kind] * 2, kind, [a, b], quotient)
    defined = b != 0
    remainder = np.fmod(x, y).astype(DTYPES[kind])
    arrays = [a[defined], b[defined]]
    check(f"arith.remsi %x, %y : {kind}", [kind] * 2, kind, arrays, remainder[defined])


@pytest.mark.parametrize("kind", INTEGERS)
def test_divisions_that_round_down_or_up_or_are_unsigned(kind):
    a, b = pairs(kind)
    divisor = np.where(b == 0, 1, b)
    x, y, ux, uy = (v(w) for v in (signed, unsigned) for w in (a, divisor))
    by_zero = (1 << bits_of(a)) - 1
    quotients = {
        "floordivsi": np.where(b == 0, -1, x // y),
        "ceildivsi": np.where(b == 0, -1, -(-x // y)),
        "divui": np.where(b == 0, by_zero, ux // uy),
        "ceildivui": np.where(b == 0, by_zero, -(-ux // uy)),
        "remui": np.where(b == 0, ux, ux % uy),
    }
    for name, expected in quotients.items():
        line = f"arith.{name} %x, %y : {kind}"
        check(line, [kind] * 2, kind, [a, b], expected.astype(DTYPES[kind]))


def test_float_division_and_square_root_are_rounded_once():
    a, b = pairs("f32")
    with np.errstate(all="ignore"):
        check("arith.divf %x, %y : f32", ["f32"] * 2, "f32", [a, b], a / b)
        check("math.sqrt %x : f32", ["f32"], "f32", [a], np.sqrt(a))


def test_fma_is_rounded_once():
    ulp = 2.0**-23
    # The last product is 1 + 2^-11 + 2^-24, a tie; float64 would lose what is added.
    x = np.array([1 + ulp, 3, 1e30, INF, INF, 1 + 2.0**-12], np.float32)
    y = np.array([1 - ulp, 5, 1e30, 2, 0, 1 + 2.0**-12], np.float32)
    z = np.array([-1, 7, -INF, -1, 1, 2.0**-90], np.float32)
    expected = [-(2.0**-46), 22, -INF, INF, NAN, 1 + 2.0**-11 + ulp]
    check("math.fma %x, %y, %z : f32", ["f32"] * 3, "f32", [x, y, z], expected)


@pytest.mark.parametrize(("name", "base"), [("log2", 2), ("log10", 10)])
def test_logarithms(name, base):
    powers = np.arange(11)
    a = (float(base) ** powers).astype(np.float32)
    check(f"math.{name} %x : f32", ["f32"], "f32", [a], powers.astype(np.float32))


def test_remainder_of_floats():
    a, b = pairs("f32")
    rng = np.random.default_rng(1)
    more = rng.integers(0, 1 << 32, (2, 4000), dtype=np.uint32).view(np.float32)
    a, b = np.append(a, more[0]), np.append(b, more[1])
    with np.errstate(all="ignore"):
        check("arith.remf %x, %y : f32", ["f32"] * 2, "f32", [a, b], np.fmod(a, b))


COMPOSED = {"tan": np.tan, "expm1": np.expm1, "log1p": np.log1p}
"""Functions that several rounded instructions compute."""


@pytest.mark.parametrize("name", COMPOSED)
def test_composed_functions_are_within_two_ulp(name):
    rng = np.random.default_rng(2)
    any_magnitude = np.ldexp(rng.uniform(1, 2, 20000), rng.integers(-40, 40, 20000))
    near = np.append(np.linspace(-9, 100, 20001), np.linspace(-1, 1, 20001))
    specials = [*FLOATS, 1e-45, -1e-45, 88.9, -104, -1, np.nextafter(np.float32(-1), 0)]
    a = np.concatenate([any_magnitude, -any_magnitude, near, specials]).astype(np.float32)
    program = compile_scalar(f"math.{name} %x : f32", ["f32"], "f32")
    (got,) = program(a).outputs
    with np.errstate(all="ignore"):
        exact = COMPOSED[name](a.astype(np.float64))
        rounded = exact.astype(np.float32)
    settled = ~np.isfinite(rounded) | (rounded == 0)
    np.testing.assert_array_equal(got[settled], rounded[settled])
    np.testing.assert_array_equal(
        np.signbit(got[~np.isnan(got)]), np.signbit(rounded[~np.isnan(got)])
    )
    ulp = np.spacing(np.abs(rounded[~settled])).astype(np.float64)
    assert np.max(np.abs(got[~settled] - exact[~settled]) / ulp) < 2


@pytest.mark.parametrize("kind", INTEGERS)
def test_shifts(kind):
    values = samples(kind)
    width = 8 * values.itemsize
    a, s = np.repeat(values, width), np.tile(np.arange(width), len(values)).astype(values.dtype)
    x = a.astype(np.int64)
    check(f"arith.shli %x, %y : {kind}", [kind] * 2, kind, [a, s], (x << s).astype(a.dtype))
    check(f"arith.shrsi %x, %y : {kind}", [kind] * 2, kind, [a, s], x >> s)
    logical = (unsigned(a) >> s).astype(a.dtype)
    check(f"arith.shrui %x, %y : {kind}", [kind] * 2, kind, [a, s], logical)
    rounding = np.where(s > 0, (x >> np.maximum(s.astype(np.int64) - 1, 0)) & 1, 0)
    line = f'"hwc.shift_right_round"(%x, %y) : ({kind}, {kind}) -> {kind}'
    check(line, [kind] * 2, kind, [a, s], (x >> s) + rounding)


SIGNED_ORDERS = {"slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal}
UNSIGNED_ORDERS = {"ult": np.less, "ule": np.less_equal, "ugt": np.greater, "uge": np.greater_equal}


@pytest.mark.parametrize("kind", ["i1", *INTEGERS])
def test_integer_comparisons(kind):
    a, b = pairs(kind)
    for name, order in SIGNED_ORDERS.items():
        line = f"arith.cmpi {name}, %x, %y : {kind}"
        check(line, [kind] * 2, "i1", [a, b], order(signed(a), signed(b)))
    for name, order in UNSIGNED_ORDERS.items():
        line = f"arith.cmpi {name}, %x, %y : {kind}"
        check(line, [kind] * 2, "i1", [a, b], order(unsigned(a), unsigned(b)))
    for name, order in {"eq": np.equal, "ne": np.not_equal}.items():
        check(f"arith.cmpi {name}, %x, %y : {kind}", [kind] * 2, "i1", [a, b], order(a, b))


FLOAT_ORDERS = {
    "eq": np.equal, "gt": np.greater, "ge": np.greater_equal,
    "lt": np.less, "le": np.less_equal,
}  # fmt: skip


def test_float_comparisons():
    a, b = pairs("f32")
    unordered = np.isnan(a) | np.isnan(b)
    expected = {f"o{n}": order(a, b) & ~unordered for n, order in FLOAT_ORDERS.items()}
    expected |= {f"u{n}": order(a, b) | unordered for n, order in FLOAT_ORDERS.items()}
    expected |= {"one": (a != b) & ~unordered, "une": (a != b) | unordered}
    expected |= {"ord": ~unordered, "uno": unordered}
    expected |= {"false": unordered & False, "true": unordered | True}
    assert len(expected) == 16
    for name, result in expected.items():
        check(f"arith.cmpf {name}, %x, %y : f32", ["f32"] * 2, "i1", [a, b], result)


@pytest.mark.parametrize("source", ["i1", *INTEGERS])
@pytest.mark.parametrize("result", ["i1", *INTEGERS])
def test_integer_conversions(source, result):
    bits = {"i1": 1, "i8": 8, "i16": 16, "i32": 32}
    a = samples(source)
    if bits[source] < bits[result]:
        check(f"arith.extsi %x : {source} to {result}", [source], result, [a], signed(a))
        expected = unsigned(a).astype(DTYPES[result])
        check(f"arith.extui %x : {source} to {result}", [source], result, [a], expected)
    elif bits[source] > bits[result]:
        expected = a & 1 if result == "i1" else a.astype(DTYPES[result])
        check(f"arith.trunci %x : {source} to {result}", [source], result, [a], expected)


@pytest.mark.parametrize("kind", ["i1", *INTEGERS])
def test_conversions_to_float(kind):
    a = samples(kind)
    check(f"arith.sitofp %x : {kind} to f32", [kind], "f32", [a], signed(a).astype(np.float32))
    expected = unsigned(a).astype(np.float32)
    check(f"arith.uitofp %x : {kind} to f32", [kind], "f32", [a], expected)


@pytest.mark.parametrize("kind", INTEGERS)
def test_conversions_from_float(kind):
    info = np.iinfo(DTYPES[kind])
    finite = FLOATS[np.isfinite(FLOATS)].astype(np.float64)
    nearest = np.clip(np.rint(finite), info.min, info.max)
    line = f'"hwc.fptosi"(%x) : (f32) -> {kind}'
    check(line, ["f32"], kind, [finite.astype(np.float32)], nearest)
    toward_zero = np.clip(np.trunc(finite), info.min, info.max)
    line = f"arith.fptosi %x : f32 to {kind}"
    check(line, ["f32"], kind, [finite.astype(np.float32)], toward_zero)
    top = 2**info.bits
    values = np.append(finite, [top / 2, top - 0.5, top - 256, 200.5]).astype(np.float32)
    toward_zero = np.clip(np.trunc(values.astype(np.float64)), 0, top - 1).astype(np.int64)
    line = f"arith.fptoui %x : f32 to {kind}"
    check(line, ["f32"], kind, [values], toward_zero.astype(DTYPES[kind]))


ROUNDINGS = {
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "roundeven": np.rint,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


@pytest.mark.parametrize("name", ROUNDINGS)
def test_roundings_to_whole_numbers(name):
    a = np.concatenate([FLOATS, np.arange(-9, 9, dtype=np.float32) / 4])
    check(f"math.{name} %x : f32", ["f32"], "f32", [a], ROUNDINGS[name](a))


def test_copysign():
    a, b = pairs("f32")
    check("math.copysign %x, %y : f32", ["f32"] * 2, "f32", [a, b], np.copysign(a, b))


def test_exp2_of_whole_numbers_is_exact():
    a = np.arange(-149, 128)
    powers = np.ldexp(np.float32(1), a)
    check("math.exp2 %x : f32", ["f32"], "f32", [a.astype(np.float32)], powers)


COUNTS = {
    "ctlz": lambda x, width: width - x.bit_length(),
    "cttz": lambda x, width: (x & -x).bit_length() - 1 if x else width,
    "ctpop": lambda x, width: bin(x).count("1"),
}


@pytest.mark.parametrize("kind", ["i1", *INTEGERS])
@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_bits(name, kind):
    a = samples(kind)
    expected = [COUNTS[name](int(x) & (1 << bits_of(a)) - 1, bits_of(a)) for x in signed(a)]
    check(f"math.{name} %x : {kind}", [kind], kind, [a], expected)


def test_mul_shift():
    a, b = pairs("i32")
    for s in (0, 1, 31, 62):
        product = a.astype(object) * b.astype(object)
        rounded = (product + (1 << (s - 1) if s else 0)) >> s
        expected = np.array([(int(x) + 2**31) % 2**32 - 2**31 for x in rounded], np.int32)
        line = '"hwc.mul_shift"(%x, %y, %z) : (i32, i32, i32) -> i32'
        check(line, ["i32"] * 3, "i32", [a, b, np.full(a.shape, s, np.int32)], expected)


def test_float_extrema():
    a, b = pairs("f32")
    check("arith.maxnumf %x, %y : f32", ["f32"] * 2, "f32", [a, b], np.fmax(a, b))
    check("arith.minimumf %x, %y : f32", ["f32"] * 2, "f32", [a, b], np.minimum(a, b))
