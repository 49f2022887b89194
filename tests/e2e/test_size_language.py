"""What a program can say about its sizes: strict dimensions, names and facts, at every call."""

import itertools
import re

import numpy as np
import pytest

import hwc
from hwc.package import SymbolRef

TENSOR = "tensor<?x?xf32>"


def binary(a="", b="", on_function="", on_operator="", body="tosa.add %a, %b"):
    """A program of two matrices; the texts are attributes."""
    return (
        f"func.func @main(%a: {TENSOR} {{{a}}}, %b: {TENSOR} {{{b}}}) -> {TENSOR}"
        f" attributes {{{on_function}}} {{\n"
        f"  %0 = {body} {{{on_operator}}} : ({TENSOR}, {TENSOR}) -> {TENSOR}\n"
        f"  return %0 : {TENSOR}\n}}\n"
    )


def run(program, *shapes):
    """The shape of the result, or the error; values have to be those of NumPy."""
    arrays = [np.random.default_rng(0).random(shape, np.float32) for shape in shapes]
    try:
        (result,) = program(*arrays).outputs
    except hwc.DispatchError as error:
        return str(error)
    np.testing.assert_array_equal(result, arrays[0] + arrays[1])
    return result.shape


def symbols_in_packets(program):
    return {
        p.name
        for dispatch in program.package.dispatches
        for p in dispatch.parameters
        if isinstance(p, SymbolRef)
    }


STRICT = {
    "whole program, by option": (binary(), {"broadcast": "strict"}),
    "whole program, by attribute": (binary(on_function='hwc.broadcast = "strict"'), {}),
    "operator": (binary(on_operator="hwc.strict"), {}),
    "arguments": (
        binary("hwc.nonexpanding = array<i64: 0, 1>", "hwc.nonexpanding = array<i64: 0, 1>"),
        {},
    ),
}


@pytest.mark.parametrize("name", STRICT)
def test_strict_dimensions_are_equal_or_refused(name):
    text, options = STRICT[name]
    program = hwc.compile(text, **options)
    for sizes in itertools.product((0, 1, 3), repeat=2):
        result = run(program, (sizes[0], 4), (sizes[1], 4))
        if sizes[0] == sizes[1]:
            assert result == (sizes[0], 4)
        else:
            assert "does not broadcast: strict" in result
            assert f"size {sizes[0]} (dimension 0 of argument 0 (%a))" in result


def test_two_strict_dimensions_are_one_word_of_the_packet():
    assert len(symbols_in_packets(hwc.compile(binary()))) == 6
    assert len(symbols_in_packets(hwc.compile(binary(), broadcast="strict"))) == 2


def test_checks_disappear_where_strict_dimensions_meet_again():
    text = (
        f"func.func @main(%a: {TENSOR}, %b: {TENSOR}) -> {TENSOR} {{\n"
        f"  %0 = tosa.add %a, %b : ({TENSOR}, {TENSOR}) -> {TENSOR}\n"
        f"  %1 = tosa.mul %b, %a : ({TENSOR}, {TENSOR}) -> {TENSOR}\n"
        f"  %2 = tosa.sub %0, %1 : ({TENSOR}, {TENSOR}) -> {TENSOR}\n"
        f"  return %2 : {TENSOR}\n}}\n"
    )
    program = hwc.compile(text, broadcast="strict")
    checks = [step for step in program.package.shape_program.steps if step.kind != "dim"]
    assert [str(step) for step in checks] == ["strict([s0, s2], [])", "strict([s1, s3], [])"]


def test_only_the_strict_side_never_expands():
    program = hwc.compile(binary("hwc.nonexpanding = array<i64: 0>"))
    assert run(program, (3, 4), (1, 4)) == (3, 4)
    assert run(program, (3, 1), (3, 4)) == (3, 4)
    assert run(program, (0, 4), (1, 4)) == (0, 4)
    assert "does not broadcast: strict" in run(program, (1, 4), (3, 4))
    assert "does not broadcast: strict" in run(program, (3, 4), (2, 4))
    # The result's size is that of %a, so the packet has no word for it.
    assert len(symbols_in_packets(program)) == 5


@pytest.mark.parametrize(
    "between",
    ["abs %a : (T) -> T", "reshape %a {new_shape = array<i64: -1, 4>} : (T) -> T"],
)
def test_a_result_has_the_strict_dimensions_of_its_operand(between):
    text = (
        "func.func @main(%a: T {hwc.nonexpanding = array<i64: 0>}, %b: T) -> T {\n"
        f"  %0 = tosa.{between}\n"
        "  %1 = tosa.add %0, %b : (T, T) -> T\n"
        "  return %1 : T\n}\n"
    )
    program = hwc.compile(text.replace("T", "tensor<?x4xf32>"))
    assert run(program, (3, 4), (1, 4)) == (3, 4)
    assert "does not broadcast: strict" in run(program, (1, 4), (3, 4))


def test_a_static_1_expands_unless_the_argument_says_that_it_does_not():
    text = (
        "func.func @main(%a: tensor<1x?xf32> {ATTRIBUTE}, %b: tensor<?x?xf32>) -> tensor<?x?xf32>"
        " {\n  %0 = tosa.add %a, %b : (tensor<1x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n"
        "  return %0 : tensor<?x?xf32>\n}\n"
    )
    program = hwc.compile(text.replace("ATTRIBUTE", ""), broadcast="strict")
    assert run(program, (1, 4), (3, 4)) == (3, 4)
    program = hwc.compile(text.replace("ATTRIBUTE", "hwc.nonexpanding = array<i64: 0>"))
    assert run(program, (1, 4), (1, 4)) == (1, 4)
    assert "does not broadcast: strict" in run(program, (1, 4), (3, 4))


def test_strict_sizes_that_never_fit_are_an_error_when_compiling():
    facts = 'hwc.assume = ["a.0 == 1", "b.0 == 3"]'
    with pytest.raises(hwc.SourceError) as raised:
        hwc.compile(binary(on_function=facts), broadcast="strict")
    assert (
        "-:2:8: error: 'tosa.add' does not broadcast: strict: in dimension 0 of the result a size "
        "that never expands has to be both 1 and 3"
    ) in str(raised.value)


def test_ranks_are_padded_unless_they_have_to_be_equal():
    text = (
        "func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {\n"
        "  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>\n"
        "  return %0 : tensor<?x?xf32>\n}\n"
    )
    assert run(hwc.compile(text), (3, 4), (4,)) == (3, 4)
    assert run(hwc.compile(text, broadcast="strict"), (3, 4), (4,)) == (3, 4)
    with pytest.raises(hwc.SourceError) as raised:
        hwc.compile(text, ranks="equal")
    assert (
        "-:2:8: error: 'tosa.add' has operands of ranks 2 and 1, and the program requires equal "
        "ranks"
    ) in str(raised.value)
    assert hwc.compile(binary(), ranks="equal").outputs


def test_the_same_name_is_the_same_size():
    program = hwc.compile(binary('hwc.symbols = ["n", "d"]', 'hwc.symbols = ["m", "d"]'))
    assert program.inputs[0].shape == ("n", "d")
    assert program.inputs[1].shape == ("m", "d")
    assert run(program, (3, 4), (1, 4)) == (3, 4)
    assert run(program, (3, 4), (3, 1)) == (
        "dimension 1 of argument 1 (%b) is 1, expected 4 ('d', dimension 1 of argument 0 (%a)): "
        "both are called 'd'"
    )
    assert "sizes 3 ('n', dimension 0 of argument 0 (%a)) and 2 ('m', dim" in run(
        program, (3, 4), (2, 4)
    )


def test_a_name_of_a_static_and_a_dynamic_dimension():
    text = binary('hwc.symbols = ["n", ""]', 'hwc.symbols = ["n", "s0"]')
    text = text.replace(f"%a: {TENSOR}", "%a: tensor<4x?xf32>").replace(
        f"({TENSOR},", "(tensor<4x?xf32>,"
    )
    program = hwc.compile(text)
    assert program.inputs[1].shape == ("n", "s0")
    assert run(program, (4, 5), (4, 5)) == (4, 5)
    assert run(program, (4, 5), (1, 5)) == (
        "-:1:1: error: 'hwc.symbols': sizes 1 ('n', dimension 0 of argument 1 (%b)) and 4 (static) "
        "have to be equal"
    )


def test_a_name_of_two_static_sizes_is_an_error():
    text = (
        'func.func @main(%a: tensor<4xf32> {hwc.symbols = ["n"]},'
        ' %b: tensor<1xf32> {hwc.symbols = ["n"]}) {\n  return\n}\n'
    )
    with pytest.raises(hwc.SourceError, match="requires the size 'n' to be both 4 and 1"):
        hwc.compile(text)


def test_facts_are_checked_at_every_call():
    facts = ["b.0 in {1, a.0}", "a.d % 8 == 0", "2 <= a.0 <= 9", "a.0 != 5", "b.1 == a.d"]
    program = hwc.compile(binary('hwc.symbols = ["", "d"]'), assume=facts)
    assert run(program, (3, 8), (1, 8)) == (3, 8)
    for a, b, fact in (
        ((3, 8), (2, 8), "b.0 in {1, a.0}"),
        ((3, 12), (1, 12), "a.d % 8 == 0"),
        ((1, 8), (1, 8), "2 <= a.0 <= 9"),
        ((5, 8), (1, 8), "a.0 != 5"),
        ((3, 8), (3, 1), "b.1 == a.d"),
    ):
        assert run(program, a, b).startswith(f"-:1:1: error: 'assume {fact}': size"), fact


def test_proven_facts_remove_checks_and_words():
    facts = ["b.0 in {1, a.0}", "b.1 == a.1"]
    program = hwc.compile(binary(), assume=facts)
    kinds = [step.kind for step in program.package.shape_program.steps]
    assert kinds == ["dim"] * 4 + ["among", "equal"]
    assert len(symbols_in_packets(program)) == 3


def test_a_reshape_that_equal_sizes_prove_is_not_checked():
    text = (
        "func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {\n"
        "  %0 = tosa.dim %b {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>\n"
        "  %1 = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>\n"
        "  %2 = tosa.concat_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>\n"
        "  %3 = tosa.reshape %a, %2 : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<?x?xf32>\n"
        "  return %3 : tensor<?x?xf32>\n}\n"
    )
    checked = hwc.compile(text).package.shape_program.steps
    proven = hwc.compile(text, assume=["a.1 == 1", "a.0 == b.0"]).package.shape_program.steps
    assert "reshape" in {step.kind for step in checked}
    assert "reshape" not in {step.kind for step in proven}


def test_a_size_that_broadcasts_to_two_different_sizes_is_1():
    text = (
        "func.func @main(%a: tensor<?xf32>, %b: tensor<5xf32>, %c: tensor<7xf32>)"
        " -> (tensor<5xf32>, tensor<7xf32>) {\n"
        "  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<5xf32>) -> tensor<5xf32>\n"
        "  %1 = tosa.add %a, %c : (tensor<?xf32>, tensor<7xf32>) -> tensor<7xf32>\n"
        "  return %0, %1 : tensor<5xf32>, tensor<7xf32>\n}\n"
    )
    assert symbols_in_packets(hwc.compile(text)) == set()


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("a.0 =< 4", "cannot read the fact 'a.0 =< 4' of function @main: expected 'in'"),
        ("c.0 == 4", "there is no size 'c.0'; a size is a name of 'hwc.symbols', or an argument"),
        ("a.2 == 4", "%a has no dimension '2': its rank is 2, and its dimensions are called n, d"),
        ("a.x == 4", "%a has no dimension 'x'"),
        (f"a.{'9' * 5000} == 4", "%a has no dimension '999"),
        ("a.0 == 2147483648", "2147483648 is not a size: the largest is 2147483647"),
        (f"a.0 % {'9' * 5000} == 0", "a number of 5000 digits is not a size"),
        ("4 == 5", "the fact '4 == 5' of function @main never holds"),
    ],
)
def test_facts_that_are_refused(fact, message):
    with pytest.raises(hwc.SourceError) as raised:
        hwc.compile(binary('hwc.symbols = ["n", "d"]'), assume=[fact])
    assert message in str(raised.value)


def test_facts_that_contradict_each_other():
    with pytest.raises(hwc.SourceError) as raised:
        hwc.compile(binary(), assume=["a.0 == 4", "a.0 % 8 == 0"])
    assert (
        "the fact 'a.0 % 8 == 0' of function @main requires dimension 0 of %a to be both 4 "
        "(the fact 'a.0 == 4') and a multiple of 8" in str(raised.value)
    )


@pytest.mark.parametrize("name", ["assume", "libraries"])
@pytest.mark.parametrize("value", ["a.0 == 1", [3]])
def test_what_is_not_a_list_of_strings(name, value):
    """One string would be a list of letters, each of them a fact or a file."""
    message = f"{name}: error: got {value!r}, expected a list of strings"
    with pytest.raises(hwc.UserError, match=re.escape(message)):
        hwc.compile("func.func @main() { return }", **{name: value})


def test_facts_of_the_text_and_of_the_caller_add_up():
    program = hwc.compile(binary(on_function='hwc.assume = ["a.0 == 4"]'), assume=["a.1 == 5"])
    assert run(program, (4, 5), (1, 1)) == (4, 5)
    assert "assume a.0 == 4" in run(program, (3, 5), (1, 1))
    assert "assume a.1 == 5" in run(program, (4, 4), (1, 1))
