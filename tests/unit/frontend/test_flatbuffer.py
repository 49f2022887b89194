"""Flatbuffers that are damaged: every byte may be anything, and the answer says what is wrong."""

from __future__ import annotations

import struct
from random import Random

import pytest
from unit.frontend.flatbuffers import ADD, write

from hwc.frontend import tosa_schema as schema
from hwc.frontend.flatbuffer import FlatbufferError, parse


def test_what_is_written_is_read():
    assert parse(write(ADD), schema.Graph) == ADD


def refused(content: bytes) -> str:
    with pytest.raises(FlatbufferError) as error:
        parse(content, schema.Graph)
    return str(error.value)


def changed(content: bytes, at: int, value: int, form: str = "<I") -> bytes:
    edited = bytearray(content)
    struct.pack_into(form, edited, at, value)
    return bytes(edited)


def place(content: bytes, word: bytes) -> int:
    """Where a string of the file has its length."""
    return content.index(struct.pack("<I", len(word)) + word)


def test_a_file_that_ends_too_early():
    assert refused(b"") == "the root leads to byte 0, and the file has 0 bytes"
    content = write(ADD)
    for length in range(len(content) - 8):  # the last string may lose its padding
        with pytest.raises(FlatbufferError):
            parse(content[:length], schema.Graph)


def test_a_root_elsewhere():
    content = write(ADD)
    assert refused(changed(content, 0, 10**9)).startswith("the root leads to byte 1000000000")


def test_slots_that_are_none():
    content = write(ADD)
    root = struct.unpack_from("<I", content)[0]
    slots = root - struct.unpack_from("<i", content, root)[0]
    assert refused(changed(content, slots, 3, "<H")) == f"the root at byte {root} is not a table"
    message = refused(changed(content, slots + 4, 999, "<H"))
    assert message == f"version is outside of its table at byte {root}"


def test_a_long_vector():
    content = write(ADD)
    at = place(content, b"main")
    message = refused(changed(content, at, 2**32 - 1))
    assert message.endswith(
        f"has 4294967295 elements, which the file of {len(content)} bytes does not hold"
    )
    assert message.startswith("regions[0].")


def test_a_name_that_is_not_utf_8():
    content = write(ADD)
    at = place(content, b"x") + 4
    message = refused(changed(content, at, 255, "<B"))
    assert "is not UTF-8: invalid start byte" in message


def test_parts_that_lie_on_one_another():
    """Forty regions that are one, each with blocks that are one, would be read without end."""
    regions = (*[schema.Region("small")] * 39, *ADD.regions)
    content = bytearray(write(schema.Graph(None, regions)))
    root = struct.unpack_from("<I", content)[0]
    slots = root - struct.unpack_from("<i", content, root)[0]
    field = root + struct.unpack_from("<H", content, slots + 6)[0]
    entries = range(field + struct.unpack_from("<I", content, field)[0] + 4, len(content), 4)[:40]
    large = entries[-1] + struct.unpack_from("<I", content, entries[-1])[0]
    for at in entries:
        struct.pack_into("<I", content, at, large - at)
    assert refused(bytes(content)).endswith("overlaps other parts of the file")


def test_any_byte_may_be_anything():
    content = write(ADD)
    random = Random(0)
    for _ in range(2000):
        edited = bytearray(content)
        for _ in range(random.randint(1, 4)):
            edited[random.randrange(len(edited))] = random.choice((0, 1, 127, 128, 255))
        try:
            parse(bytes(edited), schema.Graph)
        except FlatbufferError as error:
            assert str(error)
