"""Elements in memory and lanes, for every type, against Python's integers and ml_dtypes."""

import math

import ml_dtypes
import numpy as np
import pytest

import isa
from sim.semantics import elements
from sim.semantics.formats import FORMATS

TYPES = list(isa.load().types.values())
NARROW = [t for t in TYPES if t.kind == "float" and t.bits < 32]
WHOLE = [t for t in TYPES if t not in NARROW]
REFERENCES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
}
LANES = [0, 1, 2, -1, 127, 128, 255, 256, 32767, 32768, 65536, 2**31 - 1, -(2**31), 0x3F800000]


def low_bits(lane, type_):
    return lane & ((1 << 8 * type_.bytes) - 1)


def expected_lane(raw, type_):
    """The lane of an element whose bytes are the unsigned number `raw`."""
    if type_.kind == "boolean":
        return int(raw != 0)
    bits = 8 * type_.bytes
    return raw - (1 << bits) if raw >> (bits - 1) else raw


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.name)
def test_an_element_takes_the_bytes_of_its_type(type_):
    assert np.dtype(elements.memory_dtype(type_)).itemsize == type_.bytes


@pytest.mark.parametrize("type_", WHOLE, ids=lambda t: t.name)
def test_load(type_):
    raw = [low_bits(lane, type_) for lane in LANES]
    memory = b"".join(value.to_bytes(type_.bytes, "little") for value in raw)
    lanes = elements.load(np.frombuffer(memory, elements.memory_dtype(type_)), type_)
    assert lanes.dtype == np.int32
    assert lanes.tolist() == [expected_lane(value, type_) for value in raw]


@pytest.mark.parametrize("type_", WHOLE, ids=lambda t: t.name)
def test_store_is_what_load_reads(type_):
    lanes = np.array(LANES, np.int32)
    target = np.empty(len(LANES), elements.memory_dtype(type_))
    elements.store(target, lanes, type_)
    if type_.kind == "boolean":
        assert target.tobytes() == bytes(lane != 0 for lane in LANES)
    else:
        raw = [low_bits(lane, type_) for lane in LANES]
        assert target.tobytes() == b"".join(v.to_bytes(type_.bytes, "little") for v in raw)


@pytest.mark.parametrize("type_", WHOLE, ids=lambda t: t.name)
def test_store_broadcasts(type_):
    target = np.zeros((2, 3), elements.memory_dtype(type_))
    elements.store(target, np.array([1], np.int32), type_)
    assert target.tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize("type_", WHOLE, ids=lambda t: t.name)
def test_memory_holds_what_the_host_sees(type_):
    """The host's array of true values or ones has the bytes that a store writes."""
    target = np.zeros(2, elements.memory_dtype(type_))
    one = np.array([1], type_.dtype)
    lanes = elements.load(one.view(elements.memory_dtype(type_)), type_)
    elements.store(target, lanes, type_)
    assert target.view(type_.dtype).tolist() == [1, 1]


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.name)
def test_a_result_is_brought_to_the_range_of_its_type(type_):
    lanes = np.array(LANES, np.int32)
    if type_.kind == "boolean":
        result = elements.in_range(lanes != 0, type_)
        assert result.tolist() == [int(lane != 0) for lane in LANES]
    else:
        result = elements.in_range(lanes, type_)
        narrow = [expected_lane(low_bits(lane, type_), type_) for lane in LANES]
        assert result.tolist() == (narrow if type_.kind == "integer" else LANES)
    assert result.dtype == np.int32
    assert lanes.tolist() == LANES


def every(type_):
    """Every element of a narrow float, as its bits."""
    return np.arange(1 << type_.bits).astype(f"u{type_.bytes}")


@pytest.mark.parametrize("type_", NARROW, ids=lambda t: t.name)
def test_a_narrow_float_is_its_number_in_a_lane(type_):
    bits = every(type_)
    lanes = elements.load(bits.view(elements.memory_dtype(type_)), type_)
    expected = bits.view(REFERENCES[type_.name]).astype(np.float32)
    got = lanes.view(np.float32)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), ~number)
    np.testing.assert_array_equal(lanes[number], expected[number].view(np.int32))


@pytest.mark.parametrize("type_", NARROW, ids=lambda t: t.name)
def test_a_narrow_float_comes_back_bit_for_bit(type_):
    """NaNs with their payload, too: select and identity move elements."""
    bits = every(type_)
    stored = np.empty(bits.size, elements.memory_dtype(type_))
    elements.store(stored, elements.load(bits.view(stored.dtype), type_), type_)
    np.testing.assert_array_equal(stored.view(bits.dtype), bits)


@pytest.mark.parametrize("type_", NARROW, ids=lambda t: t.name)
def test_a_store_cuts_off_what_a_narrow_float_does_not_have(type_):
    lanes = np.random.default_rng(5).integers(0, 1 << 32, 20000, np.uint32).view(np.int32)
    lanes = np.concatenate([lanes, np.arange(-40, 40, dtype=np.float32).view(np.int32)])
    stored = np.empty(lanes.size, elements.memory_dtype(type_))
    elements.store(stored, lanes, type_)
    got = elements.load(stored, type_).view(np.float32)
    given, format_ = lanes.view(np.float32), FORMATS[type_.name]
    beyond = np.abs(given) > format_.largest
    top = np.inf if format_.infinite else np.nan
    least = np.float64(2.0 ** (format_.min_exponent - format_.fraction_bits))
    for number, result, large in zip(given.tolist(), got.tolist(), beyond, strict=True):
        if math.isnan(number):
            assert math.isnan(result)
        elif large and abs(number) >= 2.0 ** (format_.max_exponent + 1):
            assert math.isnan(result) if math.isnan(top) else abs(result) == top
        elif not large:
            _, exponent = math.frexp(number)
            unit = max(2.0 ** (exponent - 1 - format_.fraction_bits), least)
            assert result == math.copysign(math.floor(abs(number) / unit) * unit, number)
