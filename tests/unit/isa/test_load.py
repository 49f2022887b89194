"""The loader, the schemas and the overlap check, each shown to fail on a damaged copy."""

import dataclasses
import json
import shutil

import jsonschema
import numpy as np
import pytest

import isa
from isa.check import check_encodings, fixed_bits
from isa.errors import IsaError
from isa.load import ROOT, load_from

GROUPS = ("control", "arithmetic", "compare", "bits", "convert", "special")
ARITHMETIC, COMPARE, CONVERT = (f"insns/{g}.yaml" for g in ("arithmetic", "compare", "convert"))


@pytest.fixture
def copy(tmp_path):
    for path in ROOT.glob("*.yaml"):
        shutil.copy(path, tmp_path)
    shutil.copytree(ROOT / "insns", tmp_path / "insns")
    return tmp_path


def replace(path, old, new):
    text = path.read_text()
    assert text.count(old) >= 1, old
    path.write_text(text.replace(old, new, 1))


def test_a_copy_loads_to_the_same(copy):
    assert load_from(copy) == isa.load()
    assert isa.load() is isa.load()


def test_what_the_instruction_set_holds():
    loaded = isa.load()
    types = {t.name: (t.code, t.bytes, np.dtype(t.dtype).kind) for t in loaded.types.values()}
    assert types == {
        "i1": (0, 1, "b"),
        "i8": (1, 1, "i"),
        "i16": (2, 2, "i"),
        "i32": (3, 4, "i"),
        "f32": (4, 4, "f"),
        "f16": (5, 2, "f"),
        "bf16": (6, 2, "V"),
        "f8e4m3": (7, 1, "V"),
        "f8e5m2": (8, 1, "V"),
    }
    assert all(np.dtype(t.dtype).itemsize == t.bytes for t in loaded.types.values())
    assert [t.name for t in loaded.types.values() if not t.infinite] == ["f8e4m3"]
    f32 = loaded.types["f32"]
    assert (f32.exponent_bits, f32.fraction_bits, loaded.types["i32"].exponent_bits) == (8, 23, 0)
    assert [f.code for f in loaded.faults.values()] == list(range(1, 15))
    latencies = {"alu": 7, "mul": 8, "cvt": 10, "sfu": 62, "div": 45, "fma": 10, "tab": 10}
    assert {u.name: u.latency for u in loaded.units.values()} == latencies
    assert {u.name for u in loaded.units.values() if u.rate == "special"} == {"sfu", "div", "tab"}
    timing, limits = loaded.timing, loaded.limits
    assert (timing.strip_fetch_min, timing.read_return, timing.setup_shapes) == (8, 3, 10)
    assert (timing.lane, timing.special) == (10, 64)
    assert (limits.rank_max, limits.size_bits, limits.result_registers) == (6, 31, 16)
    constants = {**dataclasses.asdict(timing), **dataclasses.asdict(limits)}
    assert {c.name: c.value for c in loaded.constants.values()} == constants
    assert list(loaded.counters)[:3] == ["cycles", "strips", "instructions"]
    assert list(loaded.counters)[-2:] == ["store_busy", "store_stall_input"]
    assert len(loaded.counters) == 22


def test_instructions_know_their_operands():
    mulsh = isa.load().instructions["mulsh.i32"]
    assert mulsh.operands == ("a", "b", "c")
    assert mulsh.operand_types == ("i32", "i32", "i32")
    assert (mulsh.unit, mulsh.group, mulsh.result_type) == ("mul", "arithmetic", "i32")
    assert not mulsh.is_control
    greater = isa.load().instructions["gt.f32"]
    assert (greater.operand_types, greater.result_type) == (("f32", "f32"), "i1")
    halt = isa.load().instructions["halt"]
    assert (halt.operands, halt.unit, halt.result_type, halt.is_control) == ((), None, None, True)


def test_an_operation_is_an_instruction_for_each_type():
    loaded = isa.load()
    add = [i for i in loaded.instructions.values() if i.operation == "add"]
    assert [(i.name, i.type, i.unit) for i in add] == [
        ("add.i8", "i8", "alu"),
        ("add.i16", "i16", "alu"),
        ("add.i32", "i32", "alu"),
        ("add.f32", "f32", "fma"),
        ("add.f16", "f16", "fma"),
        ("add.bf16", "bf16", "fma"),
    ]
    assert [i.opcode for i in add] == list(range(0x10, 0x16))
    assert [i.meaning for i in add[1:4]] == [
        "a + b, wrapped to i16.",
        "a + b, wrapped to i32.",
        "a + b.",
    ]
    assert all(i.operand_types == (i.type, i.type) and i.result_type == i.type for i in add)
    shift = loaded.instructions["shl.i8"]
    assert (shift.operand_types, shift.result_type) == (("i8", "i32"), "i8")
    assert "from 8 on" in shift.meaning
    mov = loaded.instructions["mov"]
    assert (mov.operation, mov.type, mov.operand_types, mov.result_type) == (
        *("mov", "bits"),
        *(("bits",), "bits"),
    )
    narrow = loaded.instructions["f32_to_i8"]
    assert (narrow.operation, narrow.type, narrow.operand_types) == ("to_integer", "f32", ("f32",))
    assert (narrow.result_type, narrow.unit) == ("i8", "cvt")
    assert "limited to the range of i8" in narrow.meaning


def test_a_type_more_in_an_operation_s_list_is_an_instruction_more(copy):
    replace(copy / "insns/arithmetic.yaml", "max:\n    types: [i32,", "max:\n    types: [i8, i32,")
    changed = load_from(copy).instructions
    assert set(changed) - set(isa.load().instructions) == {"max.i8"}
    assert changed["max.i8"].opcode == isa.load().instructions["max.i32"].opcode
    assert changed["max.i32"].opcode == changed["max.i8"].opcode + 1
    assert changed["floor.f32"].opcode == isa.load().instructions["floor.f32"].opcode + 1
    assert changed["eq.i32"].opcode == isa.load().instructions["eq.i32"].opcode


def test_the_instruction_set_cannot_be_changed():
    with pytest.raises(TypeError):
        isa.load().instructions["halt"] = None  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        isa.load().units["alu"].latency = 1  # type: ignore[misc]


@pytest.mark.parametrize("path", sorted((ROOT / "schema").glob("*.json")), ids=lambda p: p.stem)
def test_schemas_are_valid_and_refuse_unknown_keys(path):
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)

    def check(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
            for value in node.values():
                check(value)

    check(schema)


UNKNOWN_KEYS = [
    ("units.yaml", "latency: 7,", "latncy: 6,", "units.alu"),
    ("units.yaml", "units:", "colour: red\nunits:", "the file"),
    ("types.yaml", "    code: 0", "    code: 0\n    colour: red", "types.i1"),
    ("faults.yaml", "    code: 1\n", "    code: 1\n    colour: red\n", "illegal_instruction"),
    ("counters.yaml", "{unit: cycles,", "{colour: red, unit: cycles,", "counters.cycles"),
    ("machine.yaml", "{value: 8,", "{colour: red, value: 8,", "timing.strip_fetch_min"),
    ("formats.yaml", "{high: 7,", "{colour: red, high: 7,", "formats.plain.fields.opcode"),
    ("formats.yaml", "{first: 0,", "{colour: red, first: 0,", "operands.vector"),
    *(
        (f"insns/{g}.yaml", "    meaning:", "    colour: red\n    meaning:", "operations.")
        for g in GROUPS
    ),
    *((f"insns/{g}.yaml", "title:", "colour: red\ntitle:", "the file") for g in GROUPS),
]


@pytest.mark.parametrize(("name", "old", "new", "key"), UNKNOWN_KEYS)
def test_unknown_keys_are_refused(copy, name, old, new, key):
    replace(copy / name, old, new)
    with pytest.raises(IsaError) as caught:
        load_from(copy)
    message = str(caught.value)
    assert message.startswith(f"{copy / name}:")
    assert key in message
    assert "colour" in message or "latncy" in message


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("units.yaml", "latency: 7,", "latency: 0,", "units.alu.latency: 0 is less than"),
        ("units.yaml", "latency: 7,", "latency: true,", "True is not of type 'integer'"),
        ("units.yaml", "rate: lanes", "rate: fast", "'fast' is not one of"),
        (
            "units.yaml",
            "fma: {latency: 10",
            "fma: {latency: 11",
            "unit 'fma': latency 11 is above 'lane' (10)",
        ),
        (
            "machine.yaml",
            "special: {value: 64",
            "special: {value: 61",
            "'sfu': latency 62 is above",
        ),
        ("types.yaml", "    code: 1\n", "    code: 0\n", "'i1' and 'i8' share code 0"),
        (
            "types.yaml",
            "    bits: 16\n    kind: integer",
            "    bits: 17\n    kind: integer",
            "'i16': 17 bits do not fit 2 bytes",
        ),
        ("types.yaml", "kind: boolean", "kind: integer", "kind 'integer' has 1 bits"),
        (
            "types.yaml",
            "bits: 8\n    kind: integer",
            "bits: 1\n    kind: integer",
            "kind 'integer' has 1 bits",
        ),
        ("types.yaml", "fraction_bits: 23", "fraction_bits: 22", "'f32': 32 bits must be a sign"),
        ("types.yaml", "    fraction_bits: 23\n", "", "fraction_bits (0)"),
        (
            "types.yaml",
            "kind: boolean",
            "kind: boolean\n    exponent_bits: 1",
            "kind 'boolean' has no exponent",
        ),
        ("types.yaml", "    dtype: <i2\n", "", "'dtype' is a required property"),
        ("types.yaml", "  i8:", "  i1:", "duplicate key 'i1', first given in line"),
        ("faults.yaml", "code: 2", "code: 1", "share code 1"),
        ("machine.yaml", "  word:", "  wort:", "unknown constant 'wort'"),
        (
            "machine.yaml",
            "  empty_strip_ready: {value",
            "  #",
            "missing constants below 'timing': empty_strip_ready",
        ),
        ("formats.yaml", "first: 32", "first: 31", "'vector' and 'input' share codes"),
        ("formats.yaml", "text: s", "text: v", "'vector' and 'input' share their text"),
        ("formats.yaml", "[input, output]", "[input, outputs]", "unknown operand class 'outputs'"),
        ("formats.yaml", "high: 19, low: 14", "high: 20, low: 14", "'a' and 'b' share bits"),
        ("formats.yaml", "high: 19, low: 14", "high: 13, low: 14", "has bits 13 down to 14"),
        ("formats.yaml", "high: 19, low: 14", "high: 18, low: 14", "'a' is too narrow"),
        ("formats.yaml", "kind: rank", "kind: rang", "unknown field kind 'rang'"),
        ("formats.yaml", "opcode: {high: 7", "opcode: {high: 6", "needs one field 'opcode'"),
        (ARITHMETIC, "group: arithmetic", "group: arithmetik", "must have its file's name"),
        (ARITHMETIC, "first: 0x10", "first: 0x0f", "'control' and 'arithmetic' share opcodes"),
        (ARITHMETIC, "last: 0x7f", "last: 0x12", "no opcode left for 'add.f32' (0x10 to 0x12)"),
        (ARITHMETIC, "last: 0x7f", "last: 0x2a", "no opcode left for 'neg.f32' (0x10 to 0x2a)"),
        (COMPARE, "  eq:", "  max:", "'max.i32' is already in group 'arithmetic'"),
        (ARITHMETIC, "  sub:", "  add:", "duplicate key 'add'"),
        (ARITHMETIC, "float: fma", "float: fams", "unknown unit 'fams'; known: alu, mul"),
        (ARITHMETIC, "unit: mul\n", "unit: mull\n", "unknown unit 'mull'"),
        (ARITHMETIC, "{integer: alu, float: fma}", "{integer: alu}", "has no entry for 'f32'"),
        (ARITHMETIC, "{integer: alu, ", "{boolean: alu, ", "types is of kind 'boolean'"),
        (ARITHMETIC, "{integer: alu, ", "{text: alu, ", "operations.add.unit"),
        (
            ARITHMETIC,
            "wrapped to {type}",
            "wrapped to {typ}",
            "may name {type}, {bits} and {result}",
        ),
        (ARITHMETIC, "i32, f32,", "i32, f64,", "operations.add: unknown type 'f64'; known: i1"),
        (ARITHMETIC, "i32, f32,", "i32, i32,", "has non-unique elements"),
        (ARITHMETIC, "{a: type, b: type}", "{b: type, a: type}", "has operands a, b, c, in"),
        (ARITHMETIC, "{a: type, b: type}", "{a: type, b: f8}", "unknown type 'f8'"),
        (ARITHMETIC, "{a: type, b: type}", "{b: type}", "'a' is a required property"),
        (ARITHMETIC, "    unit: {integer: alu, float: fma}\n", "", "'unit' is a dependency of"),
        (ARITHMETIC, "format: vector", "format: plain", "format 'plain' has no operands"),
        (ARITHMETIC, "format: vector\n", "", "operations.add: has no format"),
        (COMPARE, "result: i1", "result: f64", "unknown type 'f64'"),
        (CONVERT, "{i32: [f32,", "{i64: [f32,", "operations.to_float: unknown type 'i64'"),
        (CONVERT, "{i32: [f32,", "{i32: [f64,", "unknown type 'f64'"),
        (CONVERT, "  from_u32:\n", "  from_u32:\n    conversions: {i32: [f32]}\n", "from_u32"),
        ("insns/control.yaml", "format: plain", "format: vector", "and its operands do not agree"),
        ("insns/control.yaml", "bad_structure]", "bad_struct]", "unknown fault 'bad_struct'"),
    ],
)
def test_contradictions_are_refused(copy, name, old, new, expected):
    replace(copy / name, old, new)
    with pytest.raises(IsaError) as caught:
        load_from(copy)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("units: [", "is not valid YAML"),
        ("units: *x", "anchors and aliases are not allowed"),
        ("units: &x {}", "anchors and aliases are not allowed"),
        ("units: !!int 3", "the tag 'tag:yaml.org,2002:int' is not allowed"),
        ("units: 1\n---\nunits: 2", ":2: error: a second document is not allowed"),
        ("? [a]\n: 1", "a key must be a plain word"),
        ("[" * 100000, "more than 8 levels of nesting"),
        ("\0", "is not valid YAML"),
        ("", "None is not of type 'object'"),
        ("units: 010", "units: 10 is not of type 'object'"),
        ("units: yes", "units: 'yes' is not of type 'object'"),
    ],
)
def test_files_that_are_not_plain_yaml(copy, text, expected):
    (copy / "units.yaml").write_text(text)
    with pytest.raises(IsaError) as caught:
        load_from(copy)
    assert str(caught.value).startswith(str(copy / "units.yaml"))
    assert expected in str(caught.value)


def test_missing_and_unreadable_files(copy):
    (copy / "units.yaml").write_bytes(b"units: \xff")
    with pytest.raises(IsaError, match="is not UTF-8 text"):
        load_from(copy)
    (copy / "units.yaml").unlink()
    with pytest.raises(IsaError, match="units.yaml: error: cannot be read: No such file"):
        load_from(copy)


def with_instruction(name, **changes):
    loaded = isa.load()
    changed = dataclasses.replace(loaded.instructions[name], **changes)
    return dataclasses.replace(loaded, instructions={**loaded.instructions, name: changed})


def test_overlap_is_seen_across_formats():
    check_encodings(isa.load())
    with pytest.raises(IsaError) as caught:
        check_encodings(with_instruction("mov", opcode=0x03))
    assert "'loop' (control) and 'mov' (bits) overlap" in str(caught.value)
    assert "0x0000000000000003 would be both" in str(caught.value)


def test_fixed_bits_are_what_all_words_share():
    loaded = isa.load()
    assert fixed_bits(loaded, loaded.instructions["halt"]) == (2**64 - 1, 0)
    assert fixed_bits(loaded, loaded.instructions["mov"]) == (0xFFF000FF, 0xA0)
    assert fixed_bits(loaded, loaded.instructions["size"]) == (0xFFFC00FF, 0x02)
    assert fixed_bits(loaded, loaded.instructions["sel"]) == (0xFF, 0xA1)
