"""The `.hwx` file: a zip archive of stored members; equal packages give byte-identical files.

Members, in this order:
    manifest.json    format and versions, target, entry, tensors, buffers, steps, member sizes
    shapes.json      the steps of the shape program
    constants.bin    the constants' bytes
    program<i>.bin   the kernels of step i, one after another: 64-bit little-endian words
    model<i>.bin     the part of the model that step i computes on the host; a later step that
                     computes another function of the same model names this member, too

Members are not compressed, because the output of a compressor depends on its version. They carry a
fixed time stamp, and reading checks them against the zip's CRC and the manifest's sizes. In the
file, the constants begin at a multiple of their alignment, so that a reader can map them; an extra
field of zeros before them fills the gap.
"""

from __future__ import annotations

import io
import json
import mmap
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import isa
from hwc.errors import PackageError
from hwc.files import write_bytes
from hwc.package import codec
from hwc.package.model import BUFFER_ALIGNMENT, Package
from hwc.package.reader import FormatError

FORMAT_NAME = "hwc package"
FORMAT_VERSION = 10
MANIFEST, SHAPES, CONSTANTS = "manifest.json", "shapes.json", "constants.bin"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_LOCAL_HEADER = struct.Struct("<26xHH")
"""The last fields of the header before a member's data: the sizes of its name and extra field."""
_GAP = struct.Struct("<HH")
"""The head of an extra field: its kind and the number of bytes that follow."""
_GAP_KIND = 0xD935
"""The kind of the extra field; Android's `zipalign` uses this kind to fill gaps, too."""


def to_bytes(package: Package) -> bytes:
    """Return the file's bytes.

    Raises:
        PackageError: the package is inconsistent.
    """
    package.check()
    members = {
        SHAPES: _json(codec.shape_program_to_json(package.shape_program)),
        CONSTANTS: package.constants,
    }
    content = codec.manifest_to_json(package, members)
    manifest = {
        "format": FORMAT_NAME,
        "version": FORMAT_VERSION,
        "instruction_set": isa.load().version,
        "members": {name: len(data) for name, data in members.items()},
        **content,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {MANIFEST: _json(manifest), **members}.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.create_system = _UNIX
            info.external_attr = 0o644 << 16
            if name == CONSTANTS:
                info.extra = _gap(out.tell() + _LOCAL_HEADER.size + len(name))
            archive.writestr(info, data)
    return out.getvalue()


def _gap(before: int) -> bytes:
    """Return an extra field that makes the data after it begin at the constants' alignment."""
    zeros = -(before + _GAP.size) % BUFFER_ALIGNMENT
    return _GAP.pack(_GAP_KIND, zeros) + bytes(zeros)


def save(package: Package, path: str | os.PathLike[str]) -> None:
    """Write the package completely or not at all; devices and pipes are written directly.

    Raises:
        PackageError: the package is inconsistent, or the file cannot be written.
    """
    try:
        write_bytes(path, to_bytes(package))
    except OSError as error:
        raise PackageError(f"{path}: error: cannot write: {error.strerror or error}") from error


def load(path: str | os.PathLike[str]) -> Package:
    """Read a package and check it. The constants stay in the file, which is memory-mapped.

    Raises:
        PackageError: the file cannot be read, is not a package, is damaged, or has a version that
            this hwc does not read.
    """
    try:
        data = _mapped(Path(path))
    except OSError as error:
        raise PackageError(f"{path}: error: cannot read: {error.strerror or error}") from error
    return from_bytes(data, str(path))


def _mapped(path: Path) -> memoryview:
    """Return the bytes of a file, memory-mapped if possible."""
    with path.open("rb") as file:
        try:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (ValueError, OSError):  # the file is empty, or a pipe
            return memoryview(file.read())


def from_bytes(data: bytes | memoryview, where: str) -> Package:
    """Return the package in the bytes of a file; errors name `where`.

    The constants of the package are a view of `data`.

    Raises:
        PackageError: the bytes are not a package, are damaged, or have a version that this hwc
            does not read.
    """
    members = _read_members(data, where)
    manifest = _parse(members.pop(MANIFEST), f"{where}: {MANIFEST}")
    _check_versions(manifest, where)
    sizes = manifest.pop("members", None)
    if sizes != {name: len(content) for name, content in members.items()}:
        raise _damaged(where, f"its members are not the ones that {MANIFEST} lists")
    for name in (SHAPES, CONSTANTS):
        if name not in members:
            raise _damaged(where, f"{name} is missing")
    shapes = _parse(members.pop(SHAPES), f"{where}: {SHAPES}")
    constants = members.pop(CONSTANTS)
    others = {name: bytes(content) for name, content in members.items()}
    try:
        package = codec.package_from_json(manifest, shapes, constants, others)
    except FormatError as error:
        raise _damaged(where, str(error)) from error
    package.check(where)
    return package


class _InMemory(io.RawIOBase):
    """A file object that reads bytes in memory without the copy that `io.BytesIO` makes."""

    def __init__(self, data: memoryview) -> None:
        super().__init__()
        self._data = data
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: len(self._data)}[whence]
        if start + offset < 0:
            raise ValueError("a position before the file")
        self._at = start + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        found = self._data[self._at : self._at + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


def _view(archive: zipfile.ZipFile, info: zipfile.ZipInfo, data: memoryview) -> memoryview:
    """Return the bytes of a stored member.

    Raises:
        BadZipFile: the header or the bytes differ from what the archive lists.
    """
    archive.open(info).close()  # opening checks the header
    header = data[info.header_offset :][: _LOCAL_HEADER.size]
    start = info.header_offset + _LOCAL_HEADER.size + sum(_LOCAL_HEADER.unpack(header))
    view = data[start : start + info.file_size]
    if len(view) != info.file_size or zlib.crc32(view) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
    return view


def _read_members(given: bytes | memoryview, where: str) -> dict[str, memoryview]:
    data = memoryview(given).toreadonly()
    if data[:2] != b"PK":
        raise PackageError(
            f"{where}: error: not a package: expected a .hwx file as `hwc compile` writes it"
        )
    try:
        with zipfile.ZipFile(_InMemory(data)) as archive:
            infos = archive.infolist()
            names = [info.filename for info in infos]
            if len(set(names)) != len(names):
                raise _damaged(where, "two members have the same name")
            if MANIFEST not in names:
                raise _damaged(where, f"{MANIFEST} is missing")
            if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise _damaged(where, "a member is compressed; members are stored as they are")
            return {info.filename: _view(archive, info, data) for info in infos}
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError, struct.error) as error:
        # Errors from seeking and reading talk about the reader, or say nothing.
        says_why = isinstance(error, zipfile.BadZipFile | RuntimeError)
        reason = str(error) if says_why else ""
        raise _damaged(where, reason or "the file is cut off or changed") from error


def _check_versions(manifest: dict[str, Any], where: str) -> None:
    """Refuse a package that this hwc would misread, or that the machine would run wrongly."""
    if manifest.pop("format", None) != FORMAT_NAME:
        raise PackageError(f"{where}: error: not a package: {MANIFEST} is of another format")
    for key, what, known in (
        ("version", "the package format", FORMAT_VERSION),
        ("instruction_set", "the instruction set", isa.load().version),
    ):
        version = manifest.pop(key, None)
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise _damaged(where, f"{MANIFEST} gives no version of {what}: {key!r} is {version!r}")
        if version != known:
            raise PackageError(
                f"{where}: error: the package has version {version} of {what}, this hwc has "
                f"version {known}: compile the program again with this hwc"
            )


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def _parse(content: memoryview, where: str) -> dict[str, Any]:
    try:
        value = json.loads(bytes(content), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise PackageError(f"{where}: error: damaged package: {error}") from error
    if not isinstance(value, dict):
        raise PackageError(f"{where}: error: damaged package: expected an object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is given twice")
    return value


def _damaged(where: str, what: str) -> PackageError:
    return PackageError(f"{where}: error: damaged package: {what}")
