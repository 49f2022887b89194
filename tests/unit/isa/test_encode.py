"""Words against layouts and values written down here by hand, not read from the instruction set."""

import bitstring
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isa
from isa.errors import AssemblyError, DecodeError

LAYOUTS = {
    "plain": "pad:56, uint:8=opcode",
    "base": "uint:32=offset, uint:11=param, uint:3=rank, uint:4=type, uint:6=stream, uint:8=opcode",
    "size": "uint:32=value, pad:14, uint:1=from_param, uint:3=dim, uint:6=stream, uint:8=opcode",
    "loop": "pad:53, uint:3=copies, uint:8=opcode",
    "vector": "uint:32=imm, uint:6=c, uint:6=b, uint:6=a, uint:6=dst, uint:8=opcode",
}
EXTREMES = {
    "stream": (32, 39, 40, 47),
    "type": (0, 1, 2, 3, 4),
    "rank": (0, 1, 6),
    "param": (0, 1, 2047),
    "offset": (0, 1, 2**31, 2**32 - 1),
    "dim": (0, 5, 7),
    "from_param": (0, 1),
    "value": (0, 1, 2**31, 2**32 - 1),
    "copies": (1, 2, 4),
    "dst": (0, 1, 31, 40, 47),
    "special dst": (48, 49, 55, 40, 47),
    "a": (0, 1, 31, 32, 39, 48, 55, 63),
    "b": (0, 1, 31, 32, 39, 48, 55, 63),
    "c": (0, 1, 31, 32, 39, 48, 55, 63),
}
SPECIAL_UNITS = ("sfu", "div", "tab")
IMMEDIATES = (0, 1, 0x3F800000, 2**31, 2**32 - 1)
CONTROL_FIELDS = {
    "halt": (),
    "loop": ("copies",),
    "end": (),
    "base": ("stream", "type", "rank", "param", "offset"),
    "size": ("stream", "dim", "from_param", "value"),
}
INSTRUCTIONS = list(isa.load().instructions.values())
VECTOR = [i for i in INSTRUCTIONS if i.format == "vector"]


def fields_of(instruction):
    if instruction.format == "vector":
        return ("dst", *instruction.operands)
    return CONTROL_FIELDS[instruction.name]


def extremes(instruction, name):
    return EXTREMES["special dst" if name == "dst" and instruction.unit in SPECIAL_UNITS else name]


def least(instruction):
    values = {name: extremes(instruction, name)[0] for name in fields_of(instruction)}
    return {**values, "imm": 0} if instruction.format == "vector" else values


def reference_word(instruction, fields):
    zeros = {"vector": ("imm", "c", "b", "a", "dst")}.get(instruction.format, ())
    values = {**dict.fromkeys(zeros, 0), **fields, "opcode": instruction.opcode}
    return bitstring.pack(LAYOUTS[instruction.format], **values).uint


def cases(instruction):
    base = least(instruction)
    yield base
    for name in fields_of(instruction):
        for value in extremes(instruction, name):
            fields = {**base, name: value}
            if value != 63 or instruction.format != "vector":
                yield fields
                continue
            for imm in IMMEDIATES:
                yield {**fields, "imm": imm}


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.name)
def test_every_field_round_trips_at_its_extremes(instruction):
    for fields in cases(instruction):
        word = isa.encode(instruction.name, **fields)
        assert word == reference_word(instruction, fields)
        decoded = isa.decode(word)
        assert decoded.name == instruction.name
        assert dict(decoded.fields) == fields
        assert decoded.instruction is instruction
        assert isa.encode(decoded.name, **decoded.fields) == word


@pytest.mark.parametrize(
    ("name", "fields", "word"),
    [
        ("halt", {}, 0x0000000000000000),
        ("loop", {}, 0x0000000000000103),
        ("loop", {"copies": 4}, 0x0000000000000403),
        ("tanh.f32", {"dst": 48, "a": 55}, 0x00000000000DF0E4),
        ("end", {}, 0x0000000000000004),
        (
            "base",
            {"stream": 32, "type": "f32", "rank": 2, "param": 0, "offset": 0},
            0x0000000000092001,
        ),
        (
            "base",
            {"stream": 47, "type": "i1", "rank": 6, "param": 2047, "offset": 0xFFFFFFFF},
            0xFFFFFFFFFFF82F01,
        ),
        ("size", {"stream": 47, "dim": 5, "from_param": 1, "value": 2047}, 0x000007FF00036F02),
        ("size", {"stream": 32, "dim": 0, "from_param": 0, "value": 7}, 0x0000000700002002),
        ("mov", {"dst": 0, "a": 31}, 0x000000000007C0A0),
        ("add.f32", {"dst": 40, "a": 32, "b": 33}, 0x0000000002182813),
        ("max.f32", {"dst": 3, "a": 1, "b": 63, "imm": 0x3F800000}, 0x3F80000003F0432D),
        ("sel", {"dst": 31, "a": 39, "b": 31, "c": 63, "imm": -1}, 0xFFFFFFFFFDF9DFA1),
    ],
)
def test_words_computed_by_hand(name, fields, word):
    assert isa.encode(name, **fields) == word


def test_operand_helpers():
    assert (isa.V(0), isa.V(31), isa.S(0), isa.S(7), isa.O(0), isa.O(7)) == (0, 31, 32, 39, 40, 47)
    assert (isa.T(0), isa.T(7), isa.IMM) == (48, 55, 63)
    texts = ["v0", "v31", "s0", "o7", "t7", "#"]
    assert [isa.operand_text(c) for c in (0, 31, 32, 47, 55, 63)] == texts
    with pytest.raises(AssertionError):
        isa.S(8)
    with pytest.raises(AttributeError, match="IMN"):
        isa.IMN  # noqa: B018


def fault_of(word):
    with pytest.raises(DecodeError) as caught:
        isa.decode(word)
    assert f"{word:#018x}" in str(caught.value)
    return caught.value.fault


def test_unassigned_opcodes():
    assigned = {i.opcode for i in INSTRUCTIONS}
    for opcode in set(range(256)) - assigned:
        assert fault_of(opcode) == "illegal_instruction"


@pytest.mark.parametrize(
    ("word", "bits"), [(0x00, range(8, 64)), (0x103, range(11, 64)), (0x2002, range(18, 32))]
)
def test_reserved_bits_must_be_zero(word, bits):
    for bit in bits:
        assert fault_of(word | 1 << bit) == "illegal_instruction"


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.name)
def test_illegal_instruction_is_named_where_a_word_has_reserved_bits(instruction):
    fields = isa.load().formats[instruction.format].fields
    used = sum(field.high - field.low + 1 for field in fields)
    reserved = used < 64 or instruction.format == "vector"  # the immediate, where none is one
    assert ("illegal_instruction" in instruction.faults) == reserved


@pytest.mark.parametrize("instruction", VECTOR, ids=lambda i: i.name)
def test_unused_bits_come_before_illegal_operands(instruction):
    word = isa.encode(instruction.name, **least(instruction))
    for name, low in (("b", 20), ("c", 26)):
        if name not in instruction.operands:
            for bit in range(low, low + 6):
                assert fault_of(word | 1 << bit) == "illegal_instruction"
                assert fault_of(word | 1 << bit | 63 << 8) == "illegal_instruction"
    for bit in range(32, 64):
        assert fault_of(word | 1 << bit) == "illegal_instruction"


@pytest.mark.parametrize("instruction", VECTOR, ids=lambda i: i.name)
def test_illegal_operand_codes(instruction):
    # Special instructions write no vector register, and no other writes a result register.
    others = range(32) if instruction.unit in SPECIAL_UNITS else range(48, 56)
    for code in (*range(32, 40), *others, *range(56, 64)):
        assert fault_of(instruction.opcode | code << 8) == "illegal_operand"
    legal = extremes(instruction, "dst")[0] << 8
    for name, low in (("a", 14), ("b", 20), ("c", 26)):
        if name in instruction.operands:
            for code in (*range(40, 48), *range(56, 63)):
                word = instruction.opcode | legal | code << low
                assert fault_of(word) == "illegal_operand"


def test_illegal_control_fields():
    for code in (*range(32), *range(48, 64)):
        assert fault_of(0x01 | code << 8) == "illegal_operand"
        assert fault_of(0x02 | code << 8) == "illegal_operand"
    for type_ in set(range(16)) - set(isa.load().types_by_code):
        assert fault_of(0x2001 | type_ << 14) == "illegal_operand"
    assert fault_of(0x2001 | 7 << 18) == "illegal_operand"
    for copies in (0, 3, 5, 6, 7):
        assert fault_of(0x03 | copies << 8) == "illegal_operand"


def words():
    opcodes = st.sampled_from([i.opcode for i in INSTRUCTIONS])
    codes = st.sampled_from([0, 0, 0, 31, 32, 39, 40, 47, 48, 55, 62, 63]) | st.integers(0, 63)
    shaped = st.builds(
        lambda o, d, a, b, c, i: o | d << 8 | a << 14 | b << 20 | c << 26 | i << 32,
        opcodes, codes, codes, codes, codes, st.just(0) | st.integers(0, 2**32 - 1),
    )  # fmt: skip
    return shaped | st.integers(0, 2**64 - 1)


@given(words())
def test_any_word_is_refused_or_encodes_to_itself(word):
    try:
        decoded = isa.decode(word)
    except DecodeError as e:
        assert e.fault in ("illegal_instruction", "illegal_operand")
        assert e.fault in isa.load().faults
    else:
        assert isa.encode(decoded.name, **decoded.fields) == word


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("add.f64", {}, "unknown instruction 'add.f64'"),
        ("mov", {"a": 0}, "mov: field 'dst' is missing"),
        ("mov", {"dst": 0, "a": 0, "b": 0}, "mov: has no field 'b'"),
        ("mov", {"dst": 64, "a": 0}, "field 'dst' is 64; allowed: 0 to 63"),
        ("mov", {"dst": -1, "a": 0}, "field 'dst' is -1"),
        ("mov", {"dst": 32, "a": 0}, "'dst' is s0; allowed: vector register or output stream"),
        ("mov", {"dst": 0, "a": 40}, "'a' is o0; allowed: vector register or result register or"),
        ("mov", {"dst": 0, "a": 56}, "'a' is code 56; allowed"),
        ("mov", {"dst": 48, "a": 0}, "'dst' is t0; allowed: vector register or output stream"),
        (
            "exp.f32",
            {"dst": 0, "a": 0},
            "'dst' is v0; allowed: result register or output stream",
        ),
        ("loop", {"copies": 3}, "'copies' is 3; allowed: 1, 2 or 4"),
        ("loop", {"copies": 8}, "field 'copies' is 8; allowed: 0 to 7"),
        ("mov", {"dst": 0, "a": 0, "imm": 1}, "'imm' is 0x1 but no operand is the immediate"),
        ("mov", {"dst": 0, "a": 63, "imm": 2**32}, "field 'imm' is 4294967296"),
        (
            "base",
            {"stream": 32, "type": "f64", "rank": 0, "param": 0, "offset": 0},
            "base: unknown type 'f64'; known: i1, i8, i16, i32, f32, f16, bf16",
        ),
        (
            "base",
            {"stream": 32, "type": 3, "rank": 7, "param": 0, "offset": 0},
            "'rank' is 7; allowed: 0 to 6",
        ),
        (
            "base",
            {"stream": 32, "type": 3, "rank": 0, "param": 2048, "offset": 0},
            "field 'param' is 2048; allowed: 0 to 2047",
        ),
    ],
)
def test_encode_refuses_what_no_word_holds(name, fields, message):
    with pytest.raises(AssemblyError) as caught:
        isa.encode(name, **fields)
    assert message in str(caught.value)


def test_decoded_sources_follow_the_operands():
    decoded = isa.decode(isa.encode("sel", dst=40, a=1, b=63, c=34, imm=5))
    assert decoded.sources == (1, 63, 34)
    assert isa.decode(0).sources == ()
