"""The cases of the reference document about lowering element-wise operators, with concrete sizes.

Every program is called with all sizes that its types allow among some, zero included. The result is
NumPy's; a call is refused where NumPy refuses it or the result does not have the declared size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from e2e.support.tosa_text import Shape, add_program, one_operator

import hwc
from hwc.errors import DispatchError, UserError

ADDITIONS: dict[str, tuple[Shape, Shape, Shape]] = {
    "dynamic and dynamic, 2-D": ((None, None), (None, None), (None, None)),
    "1x? and ?x?": ((1, None), (None, None), (None, None)),
    "1x5 and 3x5 to ?x?": ((1, 5), (3, 5), (None, None)),
    "3x5 and 3x5 to ?x?": ((3, 5), (3, 5), (None, None)),
    "2x? and ?x?": ((2, None), (None, None), (None, None)),
    "2x2 and ?x?": ((2, 2), (None, None), (None, None)),
    "?x2 and 2x?": ((None, 2), (2, None), (None, None)),
    "equal static sizes": ((3,), (3,), (3,)),
    "static broadcast": ((1,), (3,), (3,)),
    "dynamic to static": ((5,), (None,), (5,)),
    "static to dynamic": ((1,), (None,), (None,)),
    "dynamic and dynamic, 1-D": ((None,), (None,), (None,)),
    "a dynamic size meets a static result": ((None,), (None,), (5,)),
    "rank 0": ((), (), ()),
    "ranks 2 and 3": ((3, 4), (2, 3, 4), (2, 3, 4)),
    "ranks 1 and 3, dynamic": ((None,), (None, None, None), (None, None, None)),
    "a result used again": ((5,), (1,), (5,)),
}
"""Declared sizes of two operands and of the result."""

SIZES = (0, 1, 2, 3, 5)


def allowed(declared: Shape) -> Iterator[tuple[int, ...]]:
    """Every shape that a declared type takes, among some sizes."""
    yield from itertools.product(*(SIZES if n is None else (n,) for n in declared))


def expected(shapes: Sequence[tuple[int, ...]], result: Shape) -> tuple[int, ...] | None:
    """NumPy's shape, None if it refuses the operands or the declared result is another one."""
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    fits = all(d in (None, n) for d, n in zip(result, shape, strict=True))
    return shape if fits else None


@pytest.mark.parametrize("case", ADDITIONS)
def test_addition(case):
    a, b, result = ADDITIONS[case]
    program = hwc.compile(add_program(a, b, result))
    ran = 0
    for shapes in itertools.product(allowed(a), allowed(b)):
        arrays = [
            np.arange(np.prod(s), dtype=np.float32).reshape(s) + i for i, s in enumerate(shapes)
        ]
        if expected(shapes, result) is None:
            with pytest.raises(DispatchError, match="do not broadcast|have to be equal"):
                program(*arrays)
            continue
        ran += 1
        np.testing.assert_array_equal(program(*arrays).outputs[0], arrays[0] + arrays[1])
    assert ran


def test_static_sizes_that_do_not_broadcast_are_an_error_when_compiling():
    with pytest.raises(UserError, match="do not broadcast: dimension 0 is 2 in"):
        hwc.compile(add_program((2, 3), (4, 3), (None, None)))


@pytest.mark.parametrize(
    ("declared", "result"), [((None,), (None,)), ((5,), (None,)), ((None,), (5,)), ((5,), (5,))]
)
def test_unary(declared, result):
    program = hwc.compile(one_operator("abs", [(declared, "f32")], (result, "f32")))
    for (shape,) in itertools.product(allowed(declared)):
        x = -np.arange(shape[0], dtype=np.float32)
        if expected([shape], result) is None:
            with pytest.raises(DispatchError):
                program(x)
        else:
            np.testing.assert_array_equal(program(x).outputs[0], np.abs(x))


def test_select_with_one_dynamic_dimension():
    kinds = ("i1", "f32", "f32")
    shape = (2, None)
    program = hwc.compile(one_operator("select", [(shape, k) for k in kinds], (shape, "f32")))
    rng = np.random.default_rng(1)
    for sizes in itertools.product((1, 4), repeat=3):
        condition = rng.integers(0, 2, (2, sizes[0])).astype(bool)
        a, b = (rng.standard_normal((2, n), dtype=np.float32) for n in sizes[1:])
        np.testing.assert_array_equal(
            program(condition, a, b).outputs[0], np.where(condition, a, b)
        )


def test_results_do_not_broadcast():
    with pytest.raises(UserError, match="5"):
        hwc.compile(add_program((1,), (1,), (5,)))


def test_a_scalar_result_broadcasts_in_its_consumer():
    text = """func.func @main(%a: tensor<1xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %0 = tosa.add %a, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %1 = tosa.sub %b, %0 : (tensor<5xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
"""
    a, b = np.full(1, 3, np.float32), np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(hwc.compile(text)(a, b).outputs[0], b - 6)


def test_what_a_static_program_takes_its_dynamic_form_takes():
    dynamic = hwc.compile(add_program((None,), (None,), (None,)))
    static = hwc.compile(add_program((2,), (1,), (2,)))
    a, b = np.array([1, 2], np.float32), np.array([5], np.float32)
    np.testing.assert_array_equal(dynamic(a, b).outputs[0], static(a, b).outputs[0])


def test_a_static_program_has_no_checks_of_sizes():
    package = hwc.compile(add_program((2, 5), (1, 5), (2, 5))).package
    assert not package.shape_program.steps
    assert not package.symbols


def test_one_dimension_broadcasts_and_the_others_stay():
    program = hwc.compile(add_program((None,) * 3, (None,) * 3, (None,) * 3))
    rng = np.random.default_rng(2)
    for ones in itertools.product((False, True), repeat=3):
        shape = tuple(1 if one else n for one, n in zip(ones, (2, 3, 4), strict=True))
        a, b = (rng.standard_normal(s, dtype=np.float32) for s in (shape, (2, 3, 4)))
        np.testing.assert_array_equal(program(a, b).outputs[0], a + b)
        np.testing.assert_array_equal(program(b, a).outputs[0], a + b)


def test_the_size_of_a_result_at_size_0_is_that_of_numpy():
    program = hwc.compile(add_program((None,), (None,), (None,)))
    outputs = program(np.zeros(1, np.float32), np.zeros(0, np.float32)).outputs
    assert outputs[0].shape == (0,)
