"""Packages: JSON edited by its structure, words of machine code by their fields, members, bytes.

The checksums of an edited package are right, so that a reader has to look at the contents.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from fuzz import calls
from fuzz.edits import edit_bytes, edit_json
from fuzz.kinds import Kind
from fuzz.outcomes import ROOT, refusal

import isa
from hwc import package as hwx
from hwc.compiler import compile_package
from hwc.errors import PackageError
from hwc.frontend.source import Source
from hwc.package.hwx import from_bytes
from isa.errors import DecodeError

PROGRAMS = (
    "func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  %1 = tosa.exp %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  return %1 : tensor<?x?xf32>\n}\n",
    "func.func @main(%a: tensor<?x1xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %0 = tosa.exp %a : (tensor<?x1xf32>) -> tensor<?x1xf32>\n"
    "  %1 = tosa.sub %0, %b : (tensor<?x1xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  return %1 : tensor<?x?xf32>\n}\n",
    "func.func @main(%a: tensor<4x?xi8>) -> (tensor<4x?xi8>, tensor<?x2xi8>) {\n"
    '  %c = "tosa.const"() {values = dense<[[1], [2], [3], [4]]> : tensor<4x1xi8>} : () -> '
    "tensor<4x1xi8>\n"
    "  %0 = tosa.add %a, %c : (tensor<4x?xi8>, tensor<4x1xi8>) -> tensor<4x?xi8>\n"
    "  %s = tosa.const_shape {values = dense<[-1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>\n"
    "  %1 = tosa.reshape %a, %s : (tensor<4x?xi8>, !tosa.shape<2>) -> tensor<?x2xi8>\n"
    "  return %0, %1 : tensor<4x?xi8>, tensor<?x2xi8>\n}\n",
    "func.func @main(%a: tensor<?xi32>, %n: tensor<2xi32>) -> tensor<?x?xi32> {\n"
    "  %i = arith.constant 0 : index\n  %j = arith.constant 1 : index\n"
    "  %e = tensor.extract %n[%i] : tensor<2xi32>\n  %f = tensor.extract %n[%j] : tensor<2xi32>\n"
    "  %d = arith.index_cast %e : i32 to index\n  %g = arith.index_cast %f : i32 to index\n"
    "  %s = tensor.from_elements %d, %g : tensor<2xindex>\n"
    "  %0 = tensor.reshape %a(%s) : (tensor<?xi32>, tensor<2xindex>) -> tensor<?x?xi32>\n"
    "  %1 = tosa.abs %0 : (tensor<?x?xi32>) -> tensor<?x?xi32>\n"
    "  return %1 : tensor<?x?xi32>\n}\n",
)
"""Small packages whose manifests have every kind of entry."""


@cache
def seeds() -> list[bytes]:
    """Return the packages of the programs, for the smallest target."""
    from isa.target import load_target  # noqa: PLC0415 - a replay of other kinds needs none

    target = load_target(ROOT / "configs" / "tiny.yaml")
    found: list[bytes] = []
    for text in PROGRAMS:
        found.append(hwx.to_bytes(compile_package(Source("m.mlir", text), target).package))
    return found


def draw(rng: Random, cases: Sequence[bytes]) -> bytes:
    """Edit a package by its structure, or its bytes."""
    data = rng.choice(cases)
    if rng.random() < 0.03:
        return edit_bytes(rng, data)
    try:
        members = _members(data)
        documents = {n: json.loads(c) for n, c in members.items() if n.endswith(".json")}
    except (ValueError, zipfile.BadZipFile, NotImplementedError, EOFError, OSError):
        return edit_bytes(rng, rng.choice(seeds()))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        what = rng.random()
        if documents and what < 0.5:
            name = rng.choice((*documents, "manifest.json"))
            if isinstance(documents.get(name), dict | list):
                documents[name] = edit_json(rng, documents[name])
        elif what < 0.95:
            programs = [n for n, c in members.items() if n.endswith(".bin") and c]
            if programs:
                name = rng.choice(programs)
                members[name] = _edit_words(rng, members[name])
        else:
            _edit_members(rng, members, documents)
    return _build(rng, members, documents)


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _edit_words(rng: Random, content: bytes) -> bytes:
    """Change a field of an instruction, or move whole words."""
    count = len(content) // 8
    if not count or rng.random() < 0.1:
        return edit_bytes(rng, content)
    words = list(struct.unpack(f"<{count}Q", content[: 8 * count]))
    at = rng.randrange(count)
    match rng.randrange(5):
        case 0:
            words[at] ^= 1 << rng.randrange(64)
        case 1:
            words[at], words[rng.randrange(count)] = words[rng.randrange(count)], words[at]
        case 2:
            words[at] = words[rng.randrange(count)]
        case _:
            try:
                decoded = isa.decode(words[at])
                fields = isa.load().formats[decoded.instruction.format].fields
                field = rng.choice(list(fields))
                value = rng.choice((0, 1, (1 << field.width) - 1, rng.getrandbits(field.width)))
                mask = ((1 << field.width) - 1) << field.low
                words[at] = words[at] & ~mask | value << field.low
            except (DecodeError, AttributeError, KeyError):
                words[at] = rng.getrandbits(64)
    return struct.pack(f"<{count}Q", *words)


def _edit_members(rng: Random, members: dict[str, bytes], documents: dict[str, Any]) -> None:
    name = rng.choice(list(members))
    match rng.randrange(3):
        case 0:
            del members[name]
            documents.pop(name, None)
        case 1:
            members[rng.choice(("x", "program1.bin", "program0.bin", "é"))] = members[name]
        case _:
            members[name] = edit_bytes(rng, members[name])
            documents.pop(name, None)


def _build(rng: Random, members: dict[str, bytes], documents: dict[str, Any]) -> bytes:
    """Return the file; the manifest lists the sizes that the members have now."""
    for name, value in documents.items():
        if name != "manifest.json":
            members[name] = _json(value)
    manifest = documents.get("manifest.json")
    if isinstance(manifest, dict) and rng.random() < 0.97:
        manifest["members"] = {n: len(c) for n, c in members.items() if n != "manifest.json"}
    if "manifest.json" in documents:
        members["manifest.json"] = _json(manifest)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode("ascii")


def play(case: bytes, pair: Any) -> str:
    """Load a package; one that loads is called."""
    try:
        package = from_bytes(case, "x.hwx")
    except PackageError as error:
        return refusal(error)
    if hwx.to_bytes(package) and from_bytes(hwx.to_bytes(package), "again") != package:
        raise AssertionError("a package is not read back as it was")
    return calls.play(package, pair)


KIND = Kind("package", seeds, draw, play)
