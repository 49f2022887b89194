"""What the reference asks of broadcasts in front ends: no copy, no assumption, no extra word."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from e2e.support.tosa_text import add_program, dynamic

import hwc
from hwc.errors import DispatchError

TWO_READERS = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %d: tensor<?x?xf32>)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %t = tosa.abs %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = tosa.add %t, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %e = tosa.add %t, %d : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c, %e : tensor<?x?xf32>, tensor<?x?xf32>
}
"""


def program(text: str) -> hwc.Program:
    return hwc.compile(text)


@pytest.mark.parametrize("declared", [((7, 1, 6), (7, 5, 6)), (dynamic(3), dynamic(3))])
def test_a_middle_dimension_broadcasts_and_only_the_operands_are_read(declared):
    a, b = np.ones((7, 1, 6), np.float32), np.arange(210, dtype=np.float32).reshape(7, 5, 6)
    result = program(add_program(*declared, (None,) * 3))(a, b)
    np.testing.assert_array_equal(result.outputs[0], a + b)
    assert result.counters["bytes_read"] == a.nbytes + b.nbytes
    assert result.counters["bytes_written"] == b.nbytes


def test_a_lower_rank_is_padded_on_the_left():
    """t[i][j][k] = a[j][k]."""
    a, b = np.arange(30, dtype=np.float32).reshape(5, 6), np.ones((7, 5, 6), np.float32)
    result = program(add_program(dynamic(2), dynamic(3), dynamic(3)))(a, b)
    np.testing.assert_array_equal(result.outputs[0], a + b)
    assert result.counters["bytes_read"] == a.nbytes + b.nbytes


def test_the_packet_has_sizes_and_no_bit_that_says_that_a_size_is_1():
    package = program(add_program(dynamic(2), dynamic(2), dynamic(2))).package
    (dispatch,) = package.dispatches
    assert (
        len(dispatch.parameters) == 3 + 6
    )  # addresses, and the sizes of two operands and a result


def test_two_readers_of_one_broadcast_assume_nothing_about_each_other():
    """c = t + b and e = t + d, where t broadcasts: b and d may have different sizes."""
    call = program(TWO_READERS)
    rng = np.random.default_rng(3)
    for rows in itertools.product((1, 2, 3), repeat=3):
        arrays = [rng.standard_normal((n, 4), dtype=np.float32) for n in rows]
        a, b, d = arrays
        if 1 not in rows[:2] and rows[0] != rows[1] or 1 not in rows[::2] and rows[0] != rows[2]:
            with pytest.raises(DispatchError, match="do not broadcast"):
                call(*arrays)
            continue
        c, e = call(*arrays).outputs
        np.testing.assert_array_equal(c, abs(a) + b)
        np.testing.assert_array_equal(e, abs(a) + d)


def test_two_broadcasts_make_one_result():
    """Neither operand has the shape of the result: a row and a column."""
    a, b = np.arange(5, dtype=np.float32)[None], np.arange(3, dtype=np.float32)[:, None]
    result = program(add_program(dynamic(2), dynamic(2), dynamic(2)))(a, b)
    np.testing.assert_array_equal(result.outputs[0], a + b)
    assert result.counters["bytes_read"] == 32


def test_an_array_with_stride_0_is_read_as_its_elements():
    """A view of NumPy that repeats an element is a tensor of its own size: hwc sees sizes."""
    x = np.broadcast_to(np.float32(3), (5,))
    result = program(add_program(dynamic(1), dynamic(1), dynamic(1)))(x, np.ones(5, np.float32))
    np.testing.assert_array_equal(result.outputs[0], np.full(5, 4, np.float32))
    assert result.counters["bytes_read"] == 40
