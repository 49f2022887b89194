"""f16, bf16 and the floats of one byte, from text to results, against ml_dtypes and exact sums."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError

NUMPY = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
COMPUTED = ("f16", "bf16")


def program(operator, sources, result, attributes=""):
    """One operator on one-dimensional arguments of these types."""
    names = [f"%a{i}" for i in range(len(sources))]
    types = [f"tensor<?x{source}>" for source in sources]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    out = f"tensor<?x{result}>"
    line = f"tosa.{operator} {', '.join(names)}{attributes} : ({', '.join(types)}) -> {out}"
    return hwc.compile(f"func.func @f({arguments}) -> {out} {{\n%r = {line}\nreturn %r : {out}\n}}")


def every(name):
    """Every element of a type."""
    dtype = np.dtype(NUMPY[name])
    return np.arange(1 << 8 * dtype.itemsize).astype(f"u{dtype.itemsize}").view(dtype)


def same(got, expected):
    """Whether two arrays of numbers have the same bits; any NaN equals any NaN."""
    with np.errstate(invalid="ignore"):  # NaNs
        wide = [x.astype(np.float64) for x in (got, expected)]
    nan = np.isnan(wide[0]) & np.isnan(wide[1])
    return nan | (wide[0].view(np.int64) == wide[1].view(np.int64))


def result_of(call, name, *arrays):
    """The one result of a call, as ml_dtypes or NumPy has its type."""
    (out,) = call(*arrays).outputs
    return out.view(NUMPY.get(name, out.dtype))


@pytest.mark.parametrize(
    ("source", "target"),
    [p for p in itertools.permutations(NUMPY, 2) if (p[0] in COMPUTED) != (p[1] in COMPUTED)],
)
def test_every_number_is_cast_as_ml_dtypes_does(source, target):
    given = every(source)
    got = result_of(program("cast", [source], target), target, given)
    with np.errstate(all="ignore"):
        expected = given.astype(np.float32).astype(NUMPY[target])
    assert same(got, expected).all()


@pytest.mark.parametrize("name", NUMPY)
def test_f32_is_rounded_once_to_nearest_even(name):
    given = np.concatenate([every(name).astype(np.float32)] * 3)
    given = given[np.isfinite(given)]
    rng = np.random.default_rng(3)
    bits = given.view(np.int32) + rng.integers(-3, 4, given.size).astype(np.int32)
    halfway = np.nextafter(given, np.float32(np.inf)) + given / 2**11
    given = np.concatenate([bits.view(np.float32), halfway.astype(np.float32)])
    got = result_of(program("cast", ["f32"], name), name, given)
    with np.errstate(all="ignore"):
        expected = given.astype(NUMPY[name])
    assert same(got, expected).all()


@pytest.mark.parametrize("name", NUMPY)
def test_elements_move_bit_for_bit(name):
    given = every(name)
    out = program("identity", [name], name)(given).outputs[0]
    assert out.tobytes() == given.tobytes()
    assert out.dtype.itemsize == given.dtype.itemsize


def pairs(name):
    """Pairs of all numbers: exponents of both operands near each other and far apart."""
    rng = np.random.default_rng(11)
    numbers = every(name)
    numbers = numbers[~np.isnan(numbers.astype(np.float32))]
    return rng.choice(numbers, 60000), rng.choice(numbers, 60000)


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("operator", ["add", "sub", "mul", "maximum", "minimum"])
def test_two_operands_are_rounded_once(name, operator):
    a, b = pairs(name)
    got = result_of(program(operator, [name, name], name), name, a, b)
    with np.errstate(all="ignore"):
        wide = [x.astype(np.longdouble) for x in (a, b)]
        # A product is exact with 64 bits, and a sum of operands of p bits, once it is rounded to
        # 2p + 2 bits or more, is rounded to p bits as the exact one.
        function = {"add": np.add, "sub": np.subtract, "mul": np.multiply}.get(operator)
        if function is None:
            expected = getattr(np, operator)(*wide).astype(np.float64)
        else:
            expected = nearest(function(*wide), name)
    finite = ~np.isnan(expected)
    zero = (a.astype(np.float64) == 0) & (b.astype(np.float64) == 0)
    chosen = finite & ~zero
    np.testing.assert_array_equal(got.astype(np.float64)[chosen], expected[chosen])


def nearest(exact, name):
    """Round to the nearest number of a type, ties to even, without a step between."""
    largest, least, fraction = {
        "f16": (65504.0, -14, 10),
        "bf16": (float(ml_dtypes.finfo(ml_dtypes.bfloat16).max), -126, 7),
    }[name]
    _, exponent = np.frexp(exact)
    last = np.maximum(exponent - 1, least) - fraction
    rounded = np.ldexp(np.rint(np.ldexp(exact, -last)), last)
    return np.where(np.abs(rounded) > largest, np.copysign(np.inf, rounded), rounded).astype("f8")


def test_a_product_of_bf16_below_the_normal_numbers_is_rounded_once():
    """In f32 it would become a tie of bf16 first, and then go the wrong way."""
    a = np.array([2.0**-67 * 1.0078125], ml_dtypes.bfloat16)
    b = np.array([2.0**-67 * 1.9921875], ml_dtypes.bfloat16)
    got = result_of(program("mul", ["bf16", "bf16"], "bf16"), "bf16", a, b)
    exact = float(a[0]) * float(b[0])
    unit = 2.0**-133
    assert float(got[0]) == np.rint(exact / unit) * unit


@pytest.mark.parametrize("name", COMPUTED)
def test_bytes_are_those_of_the_type(name):
    a, b = pairs(name)
    result = program("add", [name, name], name)(a, b)
    assert result.counters["bytes_read"] == a.nbytes + b.nbytes
    assert result.counters["bytes_written"] == a.nbytes


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize(
    "operator", ["add", "mul", "maximum", "greater", "exp", "tanh", "cast", "pow", "rsqrt"]
)
def test_no_operator_takes_longer_than_on_f32(name, operator):
    arity = 1 if operator in ("exp", "tanh", "cast", "rsqrt") else 2

    def cycles(type_, dtype):
        result = {"greater": "i1", "cast": "i32"}.get(operator, type_)
        given = [np.ones(1 << 16, dtype)] * arity
        return program(operator, [type_] * arity, result)(*given).cycles

    assert cycles(name, NUMPY[name]) <= cycles("f32", np.float32)


def test_an_argument_of_another_type_is_refused():
    call = program("abs", ["bf16"], "bf16")
    with pytest.raises(DispatchError, match=r"got dtype uint16, expected \|V2 \(bfloat16\)"):
        call(np.zeros(3, np.uint16))
    assert result_of(call, "bf16", np.array([b"\x80\xbf"], "V2"))[0] == 1
    call = program("identity", ["f8E4M3FN"], "f8E4M3FN")
    with pytest.raises(DispatchError, match="got dtype float8_e5m2, expected"):
        call(np.zeros(3, ml_dtypes.float8_e5m2))
