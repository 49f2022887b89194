"""`n0 = divui(s0, 2)`: values that a program works out from sizes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.shapes.steps.strategies import call, table

from hwc.shapes.steps import ARITHMETIC, Origin, SizesRefused

MOST = (1 << 63) - 1
integers = st.integers(-20, 20) | st.integers(-MOST - 1, MOST)

VALUES = [
    ("addi", (3, -5), -2),
    ("subi", (3, 5), -2),
    ("muli", (-3, 5), -15),
    ("divsi", (-7, 2), -3),
    ("divsi", (7, -2), -3),
    ("floordivsi", (-7, 2), -4),
    ("ceildivsi", (-7, 2), -3),
    ("ceildivsi", (7, 2), 4),
    ("remsi", (-7, 2), -1),
    ("remsi", (7, -2), 1),
    ("divui", (7, 2), 3),
    ("ceildivui", (7, 2), 4),
    ("remui", (7, 2), 1),
    ("maxsi", (-7, 2), 2),
    ("minsi", (-7, 2), -7),
    ("maxui", (7, 2), 7),
    ("minui", (7, 2), 2),
    ("andi", (6, -2), 6),
    ("ori", (6, 1), 7),
    ("xori", (6, 3), 5),
    ("shli", (3, 4), 48),
    ("shrsi", (-7, 1), -4),
    ("shrui", (7, 1), 3),
    ("exp2", (62,), 1 << 62),
    ("exp2", (0,), 1),
    ("log2_floor", (1,), 0),
    ("log2_floor", (9,), 3),
    ("log2_ceil", (1,), 0),
    ("log2_ceil", (8,), 3),
    ("log2_ceil", (9,), 4),
    ("extui", (5,), 5),
    ("fits_i1", (1,), 1),
    ("fits_i8", (-128,), -128),
    ("fits_i16", (32767,), 32767),
    ("fits_i32", (-(2**31),), -(2**31)),
    ("eq", (2, 2), 1),
    ("ne", (2, 2), 0),
    ("slt", (-1, 2), 1),
    ("sle", (2, 2), 1),
    ("sgt", (-1, 2), 0),
    ("sge", (2, 2), 1),
    ("ult", (1, 2), 1),
    ("ule", (2, 2), 1),
    ("ugt", (1, 2), 0),
    ("uge", (2, 2), 1),
    ("select", (1, 3, -4), 3),
    ("select", (0, 3, -4), -4),
]

REFUSED = [
    ("addi", (MOST, 1), "does not fit 64 bits"),
    ("subi", (-MOST, 2), "does not fit 64 bits"),
    ("muli", (1 << 32, 1 << 31), "does not fit 64 bits"),
    ("divsi", (-MOST - 1, -1), "does not fit 64 bits"),
    ("shli", (1, 63), "does not fit 64 bits"),
    ("divsi", (1, 0), "division by zero"),
    ("floordivsi", (1, 0), "division by zero"),
    ("ceildivsi", (1, 0), "division by zero"),
    ("remsi", (1, 0), "division by zero"),
    ("divui", (1, 0), "division by zero"),
    ("ceildivui", (1, 0), "division by zero"),
    ("remui", (1, 0), "division by zero"),
    *((kind, (-1, 2), "takes no negative value, got -1") for kind in ("divui", "remui", "ult")),
    *((kind, (2, -3), "takes no negative value, got -3") for kind in ("maxui", "minui", "uge")),
    ("ceildivui", (-1, 2), "takes no negative value, got -1"),
    ("shrui", (-1, 2), "takes no negative value, got -1"),
    ("extui", (-1,), "takes no negative value, got -1"),
    ("shli", (1, 64), "the shift amount is 64, expected 0 to 63"),
    ("shrsi", (1, -1), "the shift amount is -1, expected 0 to 63"),
    ("exp2", (63,), "the exponent of 2 is 63, expected 0 to 62"),
    ("exp2", (-1,), "the exponent of 2 is -1, expected 0 to 62"),
    ("log2_floor", (0,), "there is no logarithm of 0"),
    ("log2_ceil", (-1,), "there is no logarithm of -1"),
    ("fits_i1", (2,), "2 is not a boolean, which is 0 or 1"),
    ("fits_i1", (-1,), "-1 is not a boolean"),
    ("fits_i8", (128,), "128 does not fit an integer of 8 bits"),
    ("fits_i16", (-32769,), "-32769 does not fit an integer of 16 bits"),
    ("fits_i32", (2**31,), "2147483648 does not fit an integer of 32 bits"),
]


@pytest.mark.parametrize(("kind", "operands", "result"), VALUES)
def test_values(kind, operands, result):
    evaluation = call()
    ARITHMETIC[kind]("n", operands).evaluate(evaluation)
    assert evaluation.values == {"n": result}


def test_every_kind_has_a_value():
    assert {kind for kind, _, _ in VALUES} == set(ARITHMETIC)


@pytest.mark.parametrize(("kind", "operands", "message"), REFUSED)
def test_what_has_no_value_is_refused(kind, operands, message):
    evaluation = call()
    with pytest.raises(SizesRefused, match=message):
        ARITHMETIC[kind]("n", operands).evaluate(evaluation)
    assert not evaluation.values


@given(a=integers, b=integers, kind=st.sampled_from(["", "floor", "ceil"]))
def test_quotient_and_remainder_belong_together(a, b, kind):
    try:
        quotient = ARITHMETIC[f"{kind}divsi"].compute((a, b))
    except SizesRefused:
        assert b == 0 or (a, b) == (-MOST - 1, -1)
        return
    rest = a - quotient * b
    assert abs(rest) < abs(b)
    if not kind:
        assert ARITHMETIC["remsi"].compute((a, b)) == rest
        assert rest == 0 or (rest < 0) == (a < 0)
    elif kind == "floor":
        assert rest == 0 or (rest < 0) == (b < 0)
    else:
        assert rest == 0 or (rest < 0) != (b < 0)


def test_a_message_names_the_operation():
    evaluation = call(a=3)
    step = ARITHMETIC["subi"]("n", ("a", 5))
    replace(step, origin=Origin("tosa.sub_shape", "f.mlir:1:2")).evaluate(evaluation)
    assert evaluation.describe("n") == "-2 ('tosa.sub_shape' at f.mlir:1:2)"


def test_problems():
    add = ARITHMETIC["addi"]
    assert list(add("n", ("a", 4)).problems({"a"}, [])) == []
    assert list(add("n", ("b", 4)).problems({"a"}, [])) == [
        "symbol 'b' is used before it is defined"
    ]
    assert list(add("a", ("a", 4)).problems({"a"}, [])) == ["symbol 'a' is defined again"]
    assert list(add("n", ("a",)).problems({"a"}, [])) == [
        "the number of operands of 'addi' is 1, expected 2"
    ]


def test_replay_defines_a_symbol_of_which_nothing_is_known():
    symbols = table("a")
    ARITHMETIC["addi"]("n", ("a", 0)).replay(symbols)
    assert symbols.resolve("n") == "n"
