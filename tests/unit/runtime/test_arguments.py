"""Accepted arguments, and refused ones with their messages."""

import numpy as np
import pytest
from element_types import DTYPES

from hwc.errors import DispatchError
from hwc.package import Tensor
from hwc.runtime.arguments import to_arrays


def one(element_type, value, shape=("n",)):
    (array,) = to_arrays([Tensor("x", element_type, shape, "x")], [value])
    return array


@pytest.mark.parametrize(("element_type", "dtype"), DTYPES.items())
@pytest.mark.parametrize("order", "<>")
def test_the_declared_dtype_in_either_byte_order(element_type, dtype, order):
    value = np.array([0, 1, 1], dtype=np.dtype(dtype).newbyteorder(order))
    np.testing.assert_array_equal(one(element_type, value), [0, 1, 1])


@pytest.mark.parametrize(
    ("element_type", "dtype"),
    [
        ("f32", "float64"),
        ("f32", "int32"),
        ("f32", "float16"),
        ("f32", "complex64"),
        ("i32", "int64"),
        ("i32", "uint32"),
        ("i32", "float32"),
        ("i16", "int8"),
        ("i8", "uint8"),
        ("i8", "bool"),
        ("i1", "uint8"),
        ("i1", "int8"),
        ("i32", "datetime64[s]"),
        ("f32", "object"),
        ("f32", "U4"),
        ("f32", "V4"),
    ],
)
def test_any_other_dtype_is_refused_and_both_are_named(element_type, dtype):
    with pytest.raises(DispatchError) as caught:
        one(element_type, np.zeros(3, dtype))
    text = str(caught.value)
    assert text.startswith(f"argument 0 (%x): got dtype {np.dtype(dtype)}, expected ")
    assert f"(tensor<?x{element_type}>)" in text
    assert (".astype(" in text) == (np.dtype(dtype).kind in "?biufc")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (None, "None"),
        ("text", "a value of type str"),
        ([None, 1.0], "a value of type list"),
        ({"x": 1}, "a value of type dict"),
        (print, "a value of type builtin_function_or_method"),
    ],
)
def test_what_is_not_an_array_of_numbers(value, what):
    with pytest.raises(DispatchError) as caught:
        one("f32", value)
    expected = f"argument 0 (%x): got {what}, expected an array of numbers (tensor<?xf32>)"
    assert str(caught.value) == expected


def test_a_number_of_thousands_of_digits_is_not_written_out():
    with pytest.raises(DispatchError, match=r"the Python int of 16610 bits does not fit tensor"):
        one("i32", 10**5000)


def test_lists_are_arrays_of_numpys_choice():
    np.testing.assert_array_equal(one("i1", [True, False]), [True, False])
    with pytest.raises(DispatchError, match=r"got dtype float64.*\.astype\(numpy\.float32\)"):
        one("f32", [1.0, 2.0])
    with pytest.raises(DispatchError, match=r"argument 0 \(%x\): not an array: "):
        one("f32", [[1.0], [1.0, 2.0]])


def test_whatever_has_an_array_interface():
    class Tensorlike:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3, dtype=np.float32)

    np.testing.assert_array_equal(one("f32", Tensorlike()), [0, 1, 2])
    np.testing.assert_array_equal(one("i8", memoryview(b"\1\2").cast("b")), [1, 2])


def test_masked_arrays_have_no_meaning_here():
    with pytest.raises(DispatchError, match="got a masked array"):
        one("f32", np.ma.masked_equal(np.zeros(2, np.float32), 0))


@pytest.mark.parametrize(
    ("element_type", "value"),
    [
        ("i1", True),
        ("i8", -128),
        ("i16", 32767),
        ("i32", -(2**31)),
        ("f32", 16777216),
        ("f32", 2**100),
        ("f32", 1.5),
        ("f32", float("inf")),
        ("f32", float("nan")),
    ],
)
def test_python_scalars_that_fit(element_type, value):
    array = one(element_type, value, ())
    assert array.shape == ()
    np.testing.assert_equal(array.item(), value)


def test_a_python_float_is_rounded_to_nearest_as_numpy_does():
    assert one("f32", 0.1, ()) == np.float32(0.1)


@pytest.mark.parametrize(
    ("element_type", "value"),
    [
        ("i1", 1),
        ("i8", 128),
        ("i8", True),
        ("i32", 2**31),
        ("i32", 1.0),
        ("f32", True),
        ("f32", 16777217),
        ("f32", 2**128),
        ("f32", 10**400),
        ("f32", 1e39),
    ],
)
def test_python_scalars_that_do_not_fit(element_type, value):
    with pytest.raises(DispatchError, match=r"argument 0 \(%x\): the Python \w+ .* does not fit"):
        one(element_type, value, ())


def test_numpy_scalars_have_a_dtype_of_their_own():
    assert one("f32", np.float32(2.5), ()).item() == 2.5
    with pytest.raises(DispatchError, match="got dtype float64"):
        one("f32", np.float64(2.5), ())


def test_the_wrong_number_of_arguments():
    inputs = [Tensor("x", "f32", (3,), "x"), Tensor("y", "i8", ("n",), "y")]
    with pytest.raises(DispatchError) as caught:
        to_arrays(inputs, [1.0])
    assert str(caught.value) == (
        "wrong number of arguments: got 1 argument, expected 2 "
        "(%x: tensor<3xf32>, %y: tensor<?xi8>)"
    )
    with pytest.raises(DispatchError, match=r"got 1 argument, expected 0 \(none\)"):
        to_arrays([], [1.0])
