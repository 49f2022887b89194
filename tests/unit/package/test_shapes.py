"""The shape program: every rule, every refusal, and that it agrees with NumPy's broadcasting."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwc.errors import DispatchError
from hwc.package import ShapeProgram, Tensor
from hwc.shapes.steps import ARITHMETIC, Broadcast, Dim, Equal, Origin, Reshape

AT = Origin("tosa.add", "m.mlir:3:8", 0)


def tensor(name, *shape):
    return Tensor(name, "f32", shape, f"buffer_{name}")


def binary(rank=1):
    """An element-wise operation of two fully dynamic operands of a rank."""
    a = [f"a{d}" for d in range(rank)]
    b = [f"b{d}" for d in range(rank)]
    steps = [Dim(s, 0, d) for d, s in enumerate(a)] + [Dim(s, 1, d) for d, s in enumerate(b)]
    steps += [
        Broadcast(f"r{d}", (a[d], b[d]), origin=Origin("tosa.add", "m.mlir:3:8", d))
        for d in range(rank)
    ]
    return ShapeProgram(tuple(steps)), (tensor("a", *a), tensor("b", *b))


def test_symbols_come_in_the_order_of_their_definition():
    program, _ = binary(2)
    assert program.symbols == ("a0", "a1", "b0", "b1", "r0", "r1")


@pytest.mark.parametrize("sizes", list(itertools.product((0, 1, 2, 5), repeat=2)))
def test_every_pair_of_sizes_follows_numpy(sizes):
    program, inputs = binary()
    shapes = [(sizes[0],), (sizes[1],)]
    try:
        expected = np.broadcast_shapes(*shapes)[0]
    except ValueError:
        with pytest.raises(DispatchError):
            program.evaluate(inputs, shapes)
    else:
        assert program.evaluate(inputs, shapes)["r0"] == expected


@given(st.data())
def test_any_rank_follows_numpy(data):
    rank = data.draw(st.integers(0, 6))
    shape = st.tuples(*[st.sampled_from((0, 1, 2, 3))] * rank)
    shapes = [data.draw(shape), data.draw(shape)]
    program, inputs = binary(rank)
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(DispatchError):
            program.evaluate(inputs, shapes)
    else:
        values = program.evaluate(inputs, shapes)
        assert tuple(values[f"r{d}"] for d in range(rank)) == expected


def test_three_operands_broadcast_at_once():
    at = Origin("tosa.select", "-:1:1", 0)
    program = ShapeProgram(
        (*(Dim(f"d{i}", i, 0) for i in range(3)), Broadcast("r", ("d0", "d1", "d2"), origin=at))
    )
    inputs = [tensor(n, f"d{i}") for i, n in enumerate("abc")]
    assert program.evaluate(inputs, [(1,), (1,), (7,)])["r"] == 7
    assert program.evaluate(inputs, [(1,), (7,), (1,)])["r"] == 7
    with pytest.raises(DispatchError, match=r"sizes 7 \(dimension 0 of argument 1 \(%b\)\) and 3 "):
        program.evaluate(inputs, [(1,), (7,), (3,)])


def refusal(program, inputs, shapes):
    with pytest.raises(DispatchError) as caught:
        program.evaluate(inputs, shapes)
    return str(caught.value)


def test_a_mismatch_names_operation_place_arguments_dimensions_and_sizes():
    program, inputs = binary(2)
    assert refusal(program, inputs, [(4, 5), (3, 5)]) == (
        "m.mlir:3:8: error: 'tosa.add' in dimension 0 of the result: sizes 4 (dimension 0 of "
        "argument 0 (%a)) and 3 (dimension 0 of argument 1 (%b)) do not broadcast: "
        "they have to be equal, or one of them 1"
    )


def test_a_mismatch_further_on_names_the_argument_the_size_came_from():
    first = Origin("tosa.add", "m.mlir:3:8", 0)
    second = Origin("tosa.mul", "m.mlir:4:8", 0)
    program = ShapeProgram(
        (
            *(Dim(f"d{i}", i, 0) for i in range(3)),
            Broadcast("t", ("d0", "d1"), origin=first),
            Broadcast("u", ("t", "d2"), origin=second),
        )
    )
    inputs = [tensor(n, f"d{i}") for i, n in enumerate("abc")]
    text = refusal(program, inputs, [(1,), (6,), (5,)])
    assert text.startswith("m.mlir:4:8: error: 'tosa.mul' in dimension 0 of the result: ")
    assert "sizes 6 (dimension 0 of argument 1 (%b)) and 5 (dimension 0 of argument 2 (%c))" in text


def test_a_static_operand_is_named_as_such_and_a_static_result_is_checked():
    program = ShapeProgram((Dim("a", 0, 0), Broadcast(4, ("a", 4), origin=AT)))
    inputs = [tensor("a", "a")]
    assert program.evaluate(inputs, [(1,)]) == {"a": 1}
    assert program.evaluate(inputs, [(4,)]) == {"a": 4}
    assert "and 4 (static) do not broadcast" in refusal(program, inputs, [(3,)])
    inferred = ShapeProgram((Dim("a", 0, 0), Dim("b", 1, 0), Broadcast(4, ("a", "b"), origin=AT)))
    text = refusal(inferred, [tensor("a", "a"), tensor("b", "b")], [(1,), (5,)])
    assert "broadcast to size 5 (dimension 0 of argument 1 (%b))" in text
    assert "the result's type says 4" in text


def test_wrong_count_rank_and_static_size():
    program, _ = binary(1)
    inputs = (tensor("a", "a0"), tensor("b", "b0"))
    assert refusal(program, inputs, [(4,)]) == (
        "wrong number of arguments: got 1 argument, expected 2 "
        "(%a: tensor<?xf32>, %b: tensor<?xf32>)"
    )
    assert refusal(program, inputs, [(4,), (4, 1)]) == (
        "argument 1 (%b): got rank 2, shape (4, 1); expected rank 1 (tensor<?xf32>)"
    )
    fixed = ShapeProgram(())
    assert refusal(fixed, [tensor("a", 2, 3)], [(2, 4)]) == (
        "argument 0 (%a), dimension 1: got size 4, expected 3 (tensor<2x3xf32>)"
    )


def test_too_large_sizes_are_refused():
    program, inputs = binary(2)
    text = refusal(program, inputs, [(1 << 16, 1 << 15), (1, 1)])
    assert text.startswith("argument 0 (%a): shape (65536, 32768) is too large")
    assert "is too large" in refusal(program, inputs, [(1, 1), (0, 1 << 31)])


def test_one_symbol_read_twice_is_an_equality():
    at = Origin("arith.addf", "m.mlir:2:3", 0)
    program = ShapeProgram((Dim("n", 0, 0), Dim("n", 1, 0, origin=at)))
    inputs = [tensor("a", "n"), tensor("b", "n")]
    assert program.evaluate(inputs, [(3,), (3,)]) == {"n": 3}
    text = refusal(program, inputs, [(3,), (1,)])
    assert text.startswith("m.mlir:2:3: error: 'arith.addf'")
    assert (
        "dimension 0 of argument 1 (%b) is 1, expected 3 (dimension 0 of argument 0 (%a))" in text
    )


def test_equal():
    program = ShapeProgram((Dim("a", 0, 0), Dim("b", 1, 0), Equal(("a", "b", 4), origin=AT)))
    inputs = [tensor("a", "a"), tensor("b", "b")]
    assert program.evaluate(inputs, [(4,), (4,)]) == {"a": 4, "b": 4}
    assert "have to be equal" in refusal(program, inputs, [(4,), (1,)])
    assert "4 (which the type of the result says) have" in refusal(program, inputs, [(3,), (3,)])


def test_reshape_checks_the_number_of_elements():
    at = Origin("tosa.reshape", "m.mlir:9:1")
    program = ShapeProgram((Dim("a", 0, 0), Dim("b", 0, 1), Reshape(("a", "b"), (4, 5), origin=at)))
    inputs = [tensor("a", "a", "b")]
    assert program.evaluate(inputs, [(2, 10)]) == {"a": 2, "b": 10}
    assert refusal(program, inputs, [(3, 5)]) == (
        "m.mlir:9:1: error: 'tosa.reshape': cannot reshape 15 elements, shape (3, 5), into 20 "
        "elements, shape (4, 5); the sizes are 3 (dimension 0 of argument 0 (%a)), "
        "5 (dimension 1 of argument 0 (%a)), 4 (static), 5 (static)"
    )
    assert "cannot reshape 24 elements" in refusal(program, inputs, [(4, 6)])


def test_reshape_works_out_one_size():
    at = Origin("tosa.reshape", "m.mlir:9:1")
    program = ShapeProgram((Dim("a", 0, 0), Reshape(("a", 6), ("r", 4), origin=at)))
    inputs = [tensor("a", "a", 6)]
    assert program.evaluate(inputs, [(2, 6)])["r"] == 3
    assert program.evaluate(inputs, [(0, 6)])["r"] == 0
    assert "do not divide into rows of 4" in refusal(program, inputs, [(1, 6)])
    empty = ShapeProgram((Dim("a", 0, 0), Reshape(("a",), ("r", 0), origin=at)))
    assert "do not divide into rows of 0" in refusal(empty, [tensor("a", "a")], [(0,)])


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ((Dim("n", 1, 0),), "shape step 0: there is no argument 1"),
        ((Dim("n", 0, 2),), "shape step 0: argument 0 has no dimension 2"),
        (
            (Broadcast("r", ("x", 1), origin=AT),),
            "shape step 0: symbol 'x' is used before it is defined",
        ),
        (
            (Dim("n", 0, 0), Broadcast("n", ("n", 1), origin=AT)),
            "shape step 1: symbol 'n' is defined again",
        ),
        (
            (Reshape((4,), ("p", "q"), origin=AT),),
            "shape step 0: there is more than one size to work out",
        ),
    ],
)
def test_an_inconsistent_program_is_found(steps, problem):
    assert list(ShapeProgram(steps).problems([("n", "m")])) == [problem]


def test_a_size_that_a_reshape_works_out_has_its_operation_as_origin():
    program = ShapeProgram(
        (
            Dim("a", 0, 0),
            Dim("b", 1, 0),
            Reshape(("a", 2), ("r",), origin=Origin("tensor.collapse_shape", "m.mlir:3:1")),
            Equal(("r", "b"), origin=Origin("linalg.generic", "m.mlir:4:1", 0)),
        )
    )
    inputs = [tensor("a", "a", 2), tensor("b", "b")]
    assert refusal(program, inputs, [(4, 2), (4,)]) == (
        "m.mlir:4:1: error: 'linalg.generic' in dimension 0 of the result: sizes 8 "
        "('tensor.collapse_shape' at m.mlir:3:1) and 4 (dimension 0 of argument 1 (%b)) "
        "have to be equal"
    )


def test_a_size_that_a_broadcast_takes_from_the_program_is_static():
    program = ShapeProgram((Dim("a", 0, 0), Broadcast("d", ("a", 4)), Equal(("d", 5))))
    assert "sizes 4 (static) and 5 (static)" in refusal(program, [tensor("a", "a")], [(1,)])


def test_the_operands_of_arithmetic_that_is_refused_have_origins():
    at = Origin("arith.divsi", "m.mlir:2:1")
    program = ShapeProgram((Dim("a", 0, 0), ARITHMETIC["divsi"]("n", (7, "a"), origin=at)))
    assert refusal(program, [tensor("a", "a")], [(0,)]) == (
        "m.mlir:2:1: error: 'arith.divsi': division by zero; "
        "the operands are 7 (static), 0 (dimension 0 of argument 0 (%a))"
    )
