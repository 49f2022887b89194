"""Elements in memory and lanes, for every type, against Python's integers."""

import numpy as np
import pytest

import isa
from sim.semantics import elements

TYPES = list(isa.load().types.values())
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


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.name)
def test_load(type_):
    raw = [low_bits(lane, type_) for lane in LANES]
    memory = b"".join(value.to_bytes(type_.bytes, "little") for value in raw)
    lanes = elements.load(np.frombuffer(memory, elements.memory_dtype(type_)), type_)
    assert lanes.dtype == np.int32
    assert lanes.tolist() == [expected_lane(value, type_) for value in raw]


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.name)
def test_store_is_what_load_reads(type_):
    lanes = np.array(LANES, np.int32)
    target = np.empty(len(LANES), elements.memory_dtype(type_))
    elements.store(target, lanes, type_)
    if type_.kind == "boolean":
        assert target.tobytes() == bytes(lane != 0 for lane in LANES)
    else:
        raw = [low_bits(lane, type_) for lane in LANES]
        assert target.tobytes() == b"".join(v.to_bytes(type_.bytes, "little") for v in raw)


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.name)
def test_store_broadcasts(type_):
    target = np.zeros((2, 3), elements.memory_dtype(type_))
    elements.store(target, np.array([1], np.int32), type_)
    assert target.tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.name)
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
