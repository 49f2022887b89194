"""Assembler and disassembler: text to hand-computed words, back again, and every error."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isa
from isa.asm import assemble
from isa.disasm import disassemble
from isa.errors import AssemblyError

ADD = """\
base s0, f32, rank=2, p0, +0
size s0, 0, p3
size s0, 1, #7
base o0, f32, rank=2, p2, +64
loop
  add.f32 v1, s0, #0x3f800000
  mov o0, v1
end
halt
"""
ADD_WORDS = [
    0x0000000000092001,
    0x0000000300022002,
    0x0000000700006002,
    0x0000004000492801,
    0x0000000000000103,
    0x3F80000003F80113,
    0x00000000000068A0,
    0x0000000000000004,
    0x0000000000000000,
]


def test_text_to_words_and_back():
    assert assemble(ADD) == ADD_WORDS
    assert disassemble(ADD_WORDS) == ADD


def test_the_number_of_a_word_is_for_people():
    assert assemble(" 0: loop\n07:add.f32 o0, s0, s1\n 9:  end") == assemble(
        "loop\nadd.f32 o0, s0, s1\nend"
    )


def test_space_and_comments_mean_nothing():
    text = "\n  ; a comment, with commas\n\tadd.f32   o0 ,s0,  s1;tail\n\n   halt ; halt"
    assert assemble(text) == [0x0000000002182813, 0]
    assert assemble("") == []
    assert assemble("; nothing") == []


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("#0", 0),
        ("#7", 7),
        ("#-1", 0xFFFFFFFF),
        ("#-2147483648", 0x80000000),
        ("#4294967295", 0xFFFFFFFF),
        ("#0x7fc00000", 0x7FC00000),
        ("#0xFF", 0xFF),
        ("#1.5f", 0x3FC00000),
        ("#-2f", 0xC0000000),
        ("#.5f", 0x3F000000),
        ("#1e-3f", struct.unpack("<I", struct.pack("<f", 1e-3))[0]),
        ("#-0.f", 0x80000000),
        ("#inff", 0x7F800000),
        ("#-inff", 0xFF800000),
        ("#1e-45f", 1),
        ("#3.4028235e38f", 0x7F7FFFFF),
    ],
)
def test_immediates(text, bits):
    assert assemble(f"mov v0, {text}") == [bits << 32 | 63 << 14 | 0xA0]


def test_operands_may_share_the_immediate():
    assert assemble("add.i32 v0, #5, #0x5") == [0x0000000503FFC012]


@pytest.mark.parametrize("instruction", isa.load().instructions.values(), ids=lambda i: i.name)
def test_every_instruction_round_trips_as_text(instruction):
    result = "t7" if instruction.unit in ("sfu", "div", "tab") else "v31"
    operands = [result, *("s7", "v0", "#0x2a")[: len(instruction.operands)]]
    rest = {
        "plain": "",
        "base": " o7, i16, rank=6, p2047, +4294967295",
        "size": " s7, 7, #4294967295",
        "loop": " copies=4",
        "vector": f" {', '.join(operands)}",
    }[instruction.format]
    text = f"{instruction.name}{rest}"
    (word,) = assemble(text)
    assert disassemble([word]).strip() == text
    assert isa.decode(word).name == instruction.name


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from(ADD_WORDS)))
def test_any_words_survive_as_text(words):
    assert assemble(disassemble(words)) == words


def test_what_is_no_instruction_is_shown_with_its_reason():
    text = disassemble([0xFF, 0x803, 0x20A0])
    assert text.splitlines() == [
        ".word 0x00000000000000ff ; illegal_instruction: no opcode 0xff",
        ".word 0x0000000000000803 ; illegal_instruction: loop: a reserved bit is not 0",
        ".word 0x00000000000020a0 ; illegal_operand: mov: 'dst' is s0; allowed: vector register "
        "or output stream",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("add.f64 v0, v1, v2", "unknown instruction 'add.f64'"),
        (", v0", "expected an instruction"),
        ("14:", "expected an instruction"),
        ("14: 15: loop", "unknown instruction '15:'"),
        ("halt now", "'halt' takes nothing; got now"),
        ("loop 3", "expected 'copies=N', got '3'"),
        ("loop copies=3", "loop: 'copies' is 3; allowed: 1, 2 or 4"),
        ("loop copies=x", "expected the number of copies as a decimal or 0x number, got 'x'"),
        ("loop copies=1, 2", "'loop' takes nothing or copies=N; got copies=1, 2"),
        ("mov v0", "'mov' takes destination, a; got v0"),
        ("add.f32 v0, v1", "'add.f32' takes destination, a, b; got v0, v1"),
        ("add.f32 v0, v1,", "'add.f32' takes destination, a, b; got v0, v1, "),
        ("mov v0, v1, v2", "'mov' takes destination, a; got v0, v1, v2"),
        ("mov v32, v0", "no vector register 'v32'; the last one is v31"),
        ("mov o8, v0", "no output stream 'o8'; the last one is o7"),
        ("mov v0, s8", "no input stream 's8'; the last one is s7"),
        ("mov v00, v0", "expected an operand, got 'v00'"),
        ("mov v0, x1", "expected an operand, got 'x1'"),
        ("mov v0 v1", "'mov' takes destination, a; got v0 v1"),
        ("mov s0, v0", "'dst' is s0; allowed: vector register or output stream"),
        ("mov #1, v0", "expected an operand, got '#1'"),
        ("mov v0, o0", "'a' is o0; allowed: vector register or result register or input stream"),
        ("mov v0, #", "expected an immediate such as #7"),
        ("mov v0, #1.5", "expected an immediate such as #7"),
        ("mov v0, #nanf", "expected an immediate such as #7"),
        ("mov v0, #4294967296", "'#4294967296' does not fit 32 bits"),
        ("mov v0, #-2147483649", "'#-2147483649' does not fit 32 bits"),
        ("mov v0, #0x100000000", "'#0x100000000' does not fit 32 bits"),
        ("mov v0, #1e39f", "'#1e39f' is beyond the largest finite f32"),
        ("mov v0, #1e999f", "'#1e999f' is beyond the largest finite f32"),
        ("add.i32 v0, #1, #2", "a word holds one immediate"),
        ("base s0, f32, 2, p0, +0", "expected 'rank=N', got '2'"),
        ("base s0, f32, rank=x, p0, +0", "expected the rank as a decimal or 0x number, got 'x'"),
        ("base s0, f32, rank=7, p0, +0", "'rank' is 7; allowed: 0 to 6"),
        ("base s0, f64, rank=1, p0, +0", "unknown type 'f64'; known: i1, i8, i16, i32, f32"),
        ("base v0, f32, rank=1, p0, +0", "'stream' is v0; allowed: input stream or output stream"),
        ("base s0, f32, rank=1, 0, +0", "expected a parameter such as p0, got '0'"),
        ("base s0, f32, rank=1, p2048, +0", "field 'param' is 2048; allowed: 0 to 2047"),
        ("base s0, f32, rank=1, p0, 0", "expected '+offset' in bytes, got '0'"),
        ("base s0, f32, rank=1, p0, +-4", "expected the offset in bytes as a decimal"),
        ("base s0, f32, rank=1, p0", "'base' takes stream, type, rank=N, pN, +offset"),
        ("size s0, 8, #1", "field 'dim' is 8; allowed: 0 to 7"),
        ("size s0, 0, 7", "expected a parameter such as p0, got '7'"),
        ("size s0, 0, #-1", "expected the size as a decimal or 0x number, got '-1'"),
        ("size s0, 0, #4294967296", "field 'value' is 4294967296"),
        (".word 12z", "expected the word as a decimal or 0x number, got '12z'"),
        (".word 18446744073709551616", "has more than 64 bits"),
        (".word " + "9" * 5000, "expected the word as a decimal or 0x number"),
    ],
)
def test_errors_name_the_line_its_text_and_what_was_expected(line, expected):
    with pytest.raises(AssemblyError) as caught:
        assemble(f"halt\n  {line} ; why\nhalt", source="a.s")
    message = str(caught.value)
    assert message.startswith("a.s:2: error: ")
    assert expected in message
    assert message.endswith(f"\n  {line} ; why")


def pieces():
    names = st.sampled_from([*isa.load().instructions, ".word", "x"])
    parts = st.sampled_from(["v0", "s0", "o0", "p1", "#1", "#", "+0", "rank=1", "f32", "0", ""])
    return st.builds(lambda n, p: f"{n} {', '.join(p)}", names, st.lists(parts, max_size=6))


@given(st.lists(pieces() | st.text(max_size=20)).map("\n".join))
def test_any_text_is_refused_politely_or_round_trips(text):
    try:
        words = assemble(text)
    except AssemblyError as e:
        assert "error: " in str(e)
    else:
        assert assemble(disassemble(words)) == words
