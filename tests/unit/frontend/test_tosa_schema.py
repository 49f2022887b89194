"""The schema in hwc is the one of tosa-tools."""

from __future__ import annotations

import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from hwc.frontend import tosa_schema as schema
from hwc.frontend.unsupported import FOR_A_HOST


@pytest.fixture(name="official", scope="module")
def _official():
    """The text of tosa.fbs, without comments."""
    files = (Path(folder) / "bin" / "tosa.fbs" for folder in sys.path)
    found = next((path for path in files if path.is_file()), None)
    if found is None:
        pytest.skip("tosa-tools is not installed")
    return re.sub(r"//.*", "", found.read_text())


def listed(text, pattern):
    """The words in the braces after a declaration."""
    body = re.search(rf"{pattern}\s*\{{([^}}]*)\}}", text)[1]
    return [entry.split("=")[0].strip() for entry in body.split(",") if entry.strip()]


def test_the_numbers(official):
    assert tuple(n.lower() for n in listed(official, r"enum Op\b[^{]*")) == schema.OPERATORS
    assert tuple(listed(official, r"enum DType\b[^{]*")) == schema.TYPES
    assert tuple(listed(official, r"enum NanPropagationMode\b[^{]*")) == schema.NAN_MODES
    assert tuple(listed(official, r"enum RoundingMode\b[^{]*")) == schema.ROUNDING_MODES
    modes = listed(official, r"enum ResizeMode\b[^{]*")
    assert all(w.startswith(m) for w, m in zip(schema.RESIZE_MODES, modes, strict=True))
    names = [one.removesuffix("Attribute").lower() for one in listed(official, "union Attribute")]
    assert names == [name.replace("_", "") for name in schema.OPERATORS[1:]]


TABLES = [
    one for one in vars(schema).values() if is_dataclass(one) and one.__module__ == schema.__name__
]
RENAMED = {"Shape": "TosaShape", "Version": "Version"}


@pytest.mark.parametrize("table", TABLES, ids=lambda one: one.__name__)
def test_the_slots_of_a_table(official, table):
    """hwc may leave out slots at the end."""
    body = re.search(rf"table (?:Tosa)?{table.__name__}\s*\{{([^}}]*)\}}", official)[1]
    slots = []
    for entry in body.split(";"):
        if entry.strip():
            name, type_ = re.match(r"\s*_?(\w+)\s*:\s*(\S+)", entry).groups()
            if type_ == "Attribute":  # a union has two
                slots.append(("attribute_type", "uint8"))
            slots.append((name, type_))
    for field, (name, type_) in zip(fields(table), slots, strict=False):
        stored = field.metadata["stored"]
        is_list = type_.startswith("[") and type_ != "[ubyte]"
        assert (field.name, stored.many) == (name, is_list)
        word = type_.strip("[]")
        if isinstance(stored.kind, str):
            enums = ("DType", "Op", "NanPropagationMode", "ResizeMode", "RoundingMode")
            names = {**dict.fromkeys(enums, "uint32"), "ubyte": "bytes", "ulong": "uint64"}
            assert stored.kind == names.get(word, word)
    assert len(fields(table)) <= len(slots)


def test_every_operator_with_attributes_has_its_table(official):
    """Of the operators that hwc compiles or gives to a host; a new one needs a table here.

    IREE has no operator with scaled blocks.
    """
    from hwc.dialects.tosa_table import OPERATORS, OTHERS  # noqa: PLC0415

    for name in {*OPERATORS, *OTHERS, *FOR_A_HOST} & {*schema.OPERATORS}:
        if name.endswith("block_scaled"):
            continue
        table = listed(official, "union Attribute")[schema.OPERATORS.index(name) - 1]
        body = re.search(rf"table {table}\s*\{{([^}}]*)\}}", official)[1]
        assert (name in schema.ATTRIBUTES) == bool(body.strip()), name
