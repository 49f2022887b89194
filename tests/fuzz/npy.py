"""`.npy` files: headers written with any values, and bytes; NumPy says what the array is."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
from fuzz.edits import STRINGS, edit_bytes, number, scratch
from fuzz.kinds import Defect, Kind
from fuzz.outcomes import refusal

from hwc.cli import values
from hwc.errors import UserError

_DTYPES = ("<f4", ">f4", "<i4", ">i2", "|i1", "|b1", "|u1", "<f8", "<f2", "|O", "|S3", "<U2", "|V4",
           "<M8[s]", "<c8", "<f16", "|V0", "|S0", "<i3", "")  # fmt: skip
_KEYS = ("descr", "fortran_order", "shape", "x")


@cache
def seeds() -> list[bytes]:
    """Return files as NumPy writes them."""
    found: list[bytes] = []
    for array in (
        np.arange(6, dtype="<f4").reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=">i2").reshape(2, 3)),
        np.array(3, "i1"),
        np.zeros((0, 4), "?"),
    ):
        content = io.BytesIO()
        np.save(content, array)
        found.append(content.getvalue())
    return found


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Write a header and elements, or edit bytes."""
    if rng.random() < 0.3:
        return edit_bytes(rng, rng.choice(cases))
    rank = rng.choice((0, 1, 1, 2, 3, 7, 65))
    size = (lambda: rng.randrange(5)) if rng.random() < 0.6 else (lambda: number(rng))
    sizes = ", ".join(str(size()) for _ in range(rank)) + ("," if rank == 1 else "")
    shape = rng.choice((f"({sizes})",) * 6 + (f"[{sizes}]", sizes or "3", "(True,)", "(1.5,)"))
    entries = {
        "descr": repr(rng.choice(_DTYPES[:7] if rng.random() < 0.6 else _DTYPES)),
        "fortran_order": rng.choice(("False", "False", "True", "0", "None")),
        "shape": shape,
    }
    if rng.random() < 0.1:
        key = rng.choice(_KEYS)
        entries[key] = rng.choice(
            ("None", repr(rng.choice(STRINGS)), "[('a', '<f4')]", "{}", "(" * 90)
        )
    if rng.random() < 0.03:
        del entries[rng.choice(list(entries))]
    header = "{" + ", ".join(f"'{k}': {v}" for k, v in entries.items()) + "}"
    if rng.random() < 0.05:
        header = edit_bytes(rng, header.encode()).decode("latin-1")
    encoded = (header + rng.choice(("\n", "", " " * 40 + "\n"))).encode("utf-8", "surrogatepass")
    version = rng.choice((1, 1, 1, 2, 3, 0, 4, 255))
    length = len(encoded) if rng.random() < 0.95 else number(rng) % (1 << 16)
    width = 2 if version == 1 else 4
    data = rng.randbytes(rng.choice((0, 1, 4, 24, 96, 400)))
    return b"\x93NUMPY" + bytes((version, 0)) + length.to_bytes(width, "little") + encoded + data


def play(case: bytes, pair: Any) -> str:
    """Read a file; what is read is what NumPy reads."""
    scratch().write_bytes(case)
    try:
        value = values.read(f"@{scratch()}", None)
        array = value.array(np.random.default_rng(0))
    except UserError as error:
        return refusal(error)
    if array.shape != value.shape or array.dtype != value.dtype:
        raise Defect(f"the header says {value.shape} {value.dtype}, the array is {array.shape}")
    expected = np.load(scratch(), allow_pickle=False)
    if expected.tobytes() != array.tobytes() or expected.shape != array.shape:
        raise Defect("NumPy reads another array")
    return f"read {array.dtype.kind}{array.dtype.itemsize} of rank {array.ndim}"


KIND = Kind("npy", seeds, draw, play)
