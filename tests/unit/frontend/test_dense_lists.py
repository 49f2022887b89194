"""Constants: long lists are read at once and as xDSL reads them, one number stays one element."""

import numpy as np
import pytest
from work import calls_in

import hwc
from hwc.dialects import make_context
from hwc.errors import UserError
from hwc.frontend import dense_lists, xdsl_parser
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.frontend.xdsl_parser import LocatingParser


def read(text):
    return LocatingParser(make_context(), Source("m.mlir", f"dense{text}")).parse_attribute()


def outcome(text):
    try:
        return read(text)
    except Exception as error:  # xDSL's errors and hwc's
        return str(error)


LISTS = [
    ("[1, -2, 127, -128, 255, 128]", "6xi8"),
    ("[[1, 2], [3, 4], [5, 6]]", "3x2xi32"),
    ("[4294967295, -2147483648, 2147483648]", "3xi32"),
    ("[9223372036854775807, -9223372036854775808]", "2xi64"),
    ("[1.5, -2.25e-3, 1.0E+10, 1e5, 3.]", "5xf32"),
    ("[1.0e-45, 3.4028235e38, 1.17549429e-38, 0.1]", "4xf32"),
    ("[1.0e39]", "1xf32"),
    ("[1.0e308, 0.1]", "2xf64"),
    ("[true, false, true]", "3xi1"),
    ("[1, 0, 1]", "3xi1"),
    ("[1, 0, true]", "3xi1"),
    ("[true, 2]", "2xi8"),
    ("[1, 2.0]", "2xi8"),
    ("[1, 2.0]", "2xf32"),
    ("[1, 2]", "2xf32"),
    ("[256]", "1xi8"),
    ("[-129]", "1xi8"),
    ("[18446744073709551615]", "1xi64"),
    ("[18446744073709551616]", "1xi64"),
    ("[[1, 2], [3]]", "2x2xi8"),
    ("[[1, 2], 3]", "2x2xi8"),
    ("[1, 2]", "3xi8"),
    ("[1, 2]", "2x1xi8"),
    ("[]", "0xi8"),
    ("[[], []]", "2x0xi8"),
    ("[1, 2,]", "2xi8"),
    ("[01, 007]", "2xi8"),
    ("[1 2]", "2xi8"),
    ("[- 1, 2]", "2xi8"),
    ("[-0, 2]", "2xi8"),
    ("[-0.0, 2.0]", "2xf32"),
    ("[0x10, 2]", "2xi8"),
    ("[trues, 2]", "2xi8"),
    ("[1, 2]", "2xindex"),
    ("[1.5, 2.5]", "2xf16"),
    ("[1, 2]", "2xi65"),
    ("[0x7F800000, 0xFF800000, 0x7FC00000, 0x3F800000, 1.5]", "5xf32"),
    ("[0x7F8000000, 1.5]", "2xf32"),
    ("[0x3C00, 65504.0]", "2xf16"),
    ("[65536.0, 1.5]", "2xf16"),
    ("[1.5, -2.25, 0x7F80]", "3xbf16"),
    ("[140737488355327, -140737488355328, 281474976710655]", "3xi48"),
    ("[281474976710656]", "1xi48"),
    ("[7, -8, 15]", "3xi4"),
    ("[0xFF, 127]", "2xi8"),
    ("[0, 1]", "2xi1"),
    ("[" * 2000 + "]" * 2000, "1xi8"),
]


@pytest.mark.parametrize(("literal", "type_"), LISTS)
def test_lists_are_read_as_xdsl_reads_them(monkeypatch, literal, type_):
    text = f"<{literal}> : tensor<{type_}>"
    monkeypatch.setattr(dense_lists, "SHORT", 0)
    fast = outcome(text)
    monkeypatch.setattr(xdsl_parser, "find_list", lambda *_: None)
    assert fast == outcome(text)


def test_long_lists_are_read_at_once(monkeypatch):
    def never(*_):
        raise AssertionError("xDSL read the list")

    monkeypatch.setattr(LocatingParser, "_parse_tensor_literal_element", never)
    rng = np.random.default_rng(0)
    for type_, values in [
        ("f32", rng.standard_normal(2000, np.float32)),
        ("f16", rng.standard_normal(2000, np.float32).astype(np.float16)),
        ("i8", rng.integers(-128, 127, 2000, np.int8)),
        ("i1", -rng.integers(0, 1, 2000, np.int8, endpoint=True)),
    ]:
        numbers = values.astype(bool).tolist() if type_ == "i1" else values.tolist()
        decimal = type_ not in {"f16", "f32"}
        listed = ", ".join(str(v).lower() for v in numbers if decimal or abs(v) > 1e-3)
        count = listed.count(",") + 1
        kept = values if decimal else values[np.abs(values) > 1e-3]
        assert read(f"<[{listed}]> : tensor<{count}x{type_}>").data.data == kept.tobytes()


@pytest.mark.parametrize(
    "element", ["0x3F800000", "1.0", "0x7F", "true", "1"], ids=lambda text: text
)
def test_64_thousand_elements_are_read_at_once(element):
    """Four calls at most for each, where xDSL makes 75. The type is the first that fits."""
    type_ = {"0x7F": "i8", "true": "i1", "1": "i1"}.get(element, "f32")
    listed = ", ".join([element] * 64000)
    read("<1> : tensor<1xi8>")  # imports
    assert calls_in(lambda: read(f"<[{listed}]> : tensor<64000x{type_}>")) < 5 * 64000


def hexadecimal(data, type_):
    return read(f'<"0x{data.hex()}"> : tensor<{type_}>').get_values()


def test_i1_as_bits_and_as_bytes():
    """mlir-opt 22 writes a bit for each element, LLVM 24 a byte."""
    bits = np.random.default_rng(0).integers(0, 1, 100, np.uint8, endpoint=True)
    as_bits = hexadecimal(np.packbits(bits, bitorder="little").tobytes(), "100xi1")
    assert as_bits == hexadecimal(bits.tobytes(), "100xi1")
    assert [-value for value in as_bits] == bits.tolist()


def test_i48_takes_six_bytes():
    numbers = (0, 1, -1, 2**47 - 1, -(2**47))
    data = b"".join(number.to_bytes(6, "little", signed=True) for number in numbers)
    assert hexadecimal(data, "5xi48") == numbers
    assert outcome('<"0x0102030405"> : tensor<2xi48>').startswith(
        "m.mlir:1:6: error: a string of 5 bytes for 2 elements of i48"
    )


@pytest.mark.parametrize(
    ("data", "type_", "numbers"),
    [
        ("09FF070F", "4xi4", (-7, -1, 7, -1)),  # mlir-opt writes -7 as 09
        ("09", "4xi4", (-7,)),
        ("0907", "2xui4", (9, 7)),
        ("00FF7F01FFFF", "3xi12", (-256, 383, -1)),
        ("FFFFFF010000", "2xi24", (-1, 1)),
        ("FFFFFFFFFFFF", "1xui48", (2**48 - 1,)),
    ],
)
def test_bits_above_the_width_of_an_integer(data, type_, numbers):
    assert hexadecimal(bytes.fromhex(data), type_) == numbers


def test_a_million_elements():
    numbers = np.random.default_rng(0).integers(-100, 100, 10**6).tolist()
    assert read(f"<{numbers}> : tensor<1000000xi32>").get_values() == tuple(numbers)


@pytest.mark.parametrize("literal", ["<7>", '<"0x07000000">'])
def test_equal_elements_are_one(literal):
    attribute = read(f"{literal} : tensor<1000000000xi32>")
    assert attribute.get_values() == (7,)
    assert read(str(attribute).removeprefix("dense")) == attribute


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<7> : tensor<2147483648xi8>", "a constant of more than 2147483647 elements"),
        ("<[7, 7]> : tensor<2147483647xi8>", "a constant of more than 16777216 elements"),
        ('<"0xFF"> : tensor<2147483647xi1>', "a string of 1 byte for 2147483647 elements"),
        ("<7> : tensor<3xi8443066129>", "an integer of 8443066129 bits, expected at most 128"),
    ],
)
def test_constants_that_are_too_large(text, message):
    with pytest.raises(UserError, match=message):
        parse(
            Source("m.mlir", f'"builtin.module"() {{a = dense{text}}} : () -> ()'), make_context()
        )


def test_a_splat_needs_no_memory_where_the_machine_broadcasts_it():
    program = hwc.compile(
        "func.func @main(%a: tensor<3x?xi8>) -> tensor<3x?xi8> {"
        '%c = "tosa.const"() {values = dense<4> : tensor<3x1xi8>} : () -> tensor<3x1xi8>\n'
        "%0 = tosa.add %a, %c : (tensor<3x?xi8>, tensor<3x1xi8>) -> tensor<3x?xi8>\n"
        "return %0 : tensor<3x?xi8> }"
    )
    assert len(program.package.constants) == 0
    (result,) = program(np.ones((3, 2), np.int8)).outputs
    np.testing.assert_array_equal(result, np.full((3, 2), 5))


def test_a_large_splat_is_written_by_a_kernel():
    """Its size decides the size of the result, so it has to be in memory, but not in the file."""
    count = 1 << 17
    program = hwc.compile(
        "func.func @main(%a: tensor<?xi8>) -> (tensor<TYPE>, tensor<TYPE>) {"
        '%c = "tosa.const"() {values = dense<4> : tensor<TYPE>} : () -> tensor<TYPE>\n'
        "%0 = tosa.add %a, %c : (tensor<?xi8>, tensor<TYPE>) -> tensor<TYPE>\n"
        "return %0, %c : tensor<TYPE>, tensor<TYPE> }".replace("TYPE", f"{count}xi8")
    )
    assert len(program.package.constants) == 0
    both = program(np.ones(1, np.int8)).outputs
    np.testing.assert_array_equal(both[0], np.full(count, 5))
    np.testing.assert_array_equal(both[1], np.full(count, 4))


def test_a_splat_of_many_elements_is_no_number():
    """The shift of `mul` is one number; three equal ones are not."""
    with pytest.raises(UserError, match="operand 2 of 'tosa.mul' is tensor<3xi8>, expected"):
        hwc.compile(
            "func.func @main(%a: tensor<?xi32>) -> tensor<?xi32> {"
            '%c = "tosa.const"() {values = dense<1> : tensor<3xi8>} : () -> tensor<3xi8>\n'
            "%0 = tosa.mul %a, %a, %c : (tensor<?xi32>, tensor<?xi32>, tensor<3xi8>) "
            "-> tensor<?xi32>\nreturn %0 : tensor<?xi32> }"
        )


def test_more_sizes_than_a_tensor_can_have():
    with pytest.raises(UserError, match="'tosa.const_shape' holds 1000000000 sizes"):
        hwc.compile(
            "func.func @main(%a: tensor<?xi8>) -> tensor<?xi8> {"
            "%c = tosa.const_shape {values = dense<2> : tensor<1000000000xindex>} : () -> "
            "!tosa.shape<1000000000>\n"
            "%0 = tosa.reshape %a, %c : (tensor<?xi8>, !tosa.shape<1000000000>) -> tensor<?xi8>\n"
            "return %0 : tensor<?xi8> }"
        )
