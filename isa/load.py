"""Strict loader of the instruction set: every file follows its schema and every name exists."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import jsonschema
from jsonschema.exceptions import best_match

from isa import strict_yaml
from isa.check import check
from isa.errors import IsaError
from isa.expand import instructions_of
from isa.model import (
    Constant,
    Counter,
    ElementType,
    Fault,
    Field,
    FieldKind,
    Format,
    Group,
    Instruction,
    Isa,
    Limits,
    OperandClass,
    TimingConstants,
    Unit,
)

ROOT = Path(__file__).resolve().parent
"""Folder of the YAML files and, below it, of `insns` and `schema`."""

GROUP_FILES = ("control", "arithmetic", "compare", "bits", "convert", "special", "table")
"""Files of operations in the order of the manual."""

_T = TypeVar("_T")


@functools.cache
def load() -> Isa:
    """The instruction set of this checkout; raises IsaError if a file is wrong. Read once."""
    return load_from(ROOT)


def load_from(root: Path) -> Isa:
    """The instruction set in another folder's YAML files, checked in the same way."""
    formats = _read(root, "formats", "formats")
    machine = _read(root, "machine", "machine")
    timing = _constants(machine, "timing", TimingConstants)
    limits = _constants(machine, "limits", Limits)
    types = _table(_read(root, "types", "types"), "types", ElementType)
    groups: dict[str, Group] = {}
    instructions: dict[str, Instruction] = {}
    for stem in GROUP_FILES:
        document = _read(root, f"insns/{stem}", "insns")
        groups[stem] = _group(document, stem)
        for instruction in instructions_of(document, groups[stem], types):
            _add(instruction, document, instructions)
    isa = Isa(
        version=formats.data["version"],
        word_bits=formats.data["word_bits"],
        operands=_table(formats, "operands", OperandClass),
        kinds=_frozen(
            {
                name: FieldKind(
                    name,
                    tuple(entry.get("operands", ())),
                    tuple(entry.get("values", ())),
                    entry["meaning"],
                )
                for name, entry in formats.data["kinds"].items()
            }
        ),
        formats=_frozen(
            {name: _format(name, entry) for name, entry in formats.data["formats"].items()}
        ),
        groups=_frozen(groups),
        instructions=_frozen(instructions),
        by_opcode=_frozen({i.opcode: i for i in instructions.values()}),
        units=_table(_read(root, "units", "units"), "units", Unit),
        types=types,
        types_by_code=_frozen({t.code: t for t in types.values()}),
        faults=_table(_read(root, "faults", "faults"), "faults", Fault),
        counters=_table(_read(root, "counters", "counters"), "counters", Counter),
        constants=_frozen({**timing, **limits}),
        timing=TimingConstants(**{c.name: c.value for c in timing.values()}),
        limits=Limits(**{c.name: c.value for c in limits.values()}),
    )
    check(isa)
    return isa


def _frozen(entries: dict[str, _T] | dict[int, _T]) -> Mapping[Any, _T]:
    return MappingProxyType(dict(entries))


def _read(root: Path, stem: str, schema: str) -> strict_yaml.Document:
    document = strict_yaml.read(root / f"{stem}.yaml", IsaError)
    errors = list(_validator(schema).iter_errors(document.data))
    if errors:
        # A misspelt key is also a missing one; the unknown key helps more than the missing one.
        unknown = [e for e in errors if e.validator == "additionalProperties"]
        error = unknown[0] if unknown else best_match(errors)
        key = tuple(error.absolute_path)
        name = ".".join(str(k) for k in key) or "the file"
        raise IsaError(f"{document.where(key)}: error: {name}: {error.message}")
    return document


@functools.cache
def _validator(schema: str) -> Any:
    text = (ROOT / "schema" / f"{schema}.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def _table(document: strict_yaml.Document, key: str, cls: Callable[..., _T]) -> Mapping[str, _T]:
    """The entries below `key`, each a dataclass with the fields `name` and the entry's keys."""
    return _frozen({name: cls(name=name, **entry) for name, entry in document.data[key].items()})


def _constants(
    document: strict_yaml.Document, key: str, cls: type[TimingConstants] | type[Limits]
) -> dict[str, Constant]:
    """The constants below `key`; their names are exactly the fields of `cls`."""
    entries = document.data[key]
    names = {f.name for f in dataclasses.fields(cls)}
    for name in entries:
        if name not in names:
            raise IsaError(
                f"{document.where((key, name))}: error: unknown constant '{name}'; "
                f"known: {', '.join(sorted(names))}"
            )
    missing = sorted(names - set(entries))
    if missing:
        raise IsaError(f"{document.path}: missing constants below '{key}': {', '.join(missing)}")
    return {name: Constant(name, **entry) for name, entry in entries.items()}


def _format(name: str, entry: dict[str, Any]) -> Format:
    fields = [Field(name=n, **e) for n, e in entry["fields"].items()]
    return Format(name, tuple(sorted(fields, key=lambda f: f.low)), entry["meaning"])


def _group(document: strict_yaml.Document, stem: str) -> Group:
    data = document.data
    name = data["group"]
    if name != stem:
        raise IsaError(
            f"{document.where(('group',))}: error: group '{name}' must have its file's name"
        )
    opcodes = data["opcodes"]
    return Group(name, data["title"], opcodes["first"], opcodes["last"], data["meaning"])


def _add(
    instruction: Instruction, document: strict_yaml.Document, known: dict[str, Instruction]
) -> None:
    name = instruction.name
    if name in known:
        raise IsaError(
            f"{document.where(('operations', instruction.operation))}: error: '{name}' is already "
            f"in group '{known[name].group}'"
        )
    known[name] = instruction
