"""Accepted arguments, and refused ones with their messages."""

import array_api_strict
import ml_dtypes
import numpy as np
import pytest
from element_types import DTYPES

from hwc.errors import DispatchError
from hwc.package import Tensor
from hwc.runtime.arguments import bind, to_arrays


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


class Dlpack:
    """An array of another library, which only DLPack reads."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        if self.device[0] not in (1, 3):
            raise AssertionError("the memory of a device was asked for")
        return self.array.__dlpack__(**options)


class OldDlpack(Dlpack):
    """One of the time before DLPack had versions."""

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


@pytest.mark.parametrize("kind", [Dlpack, OldDlpack])
@pytest.mark.parametrize(
    ("element_type", "dtype"), [("f32", "f4"), ("f16", "f2"), ("i8", "i1"), ("i1", "?")]
)
def test_arrays_that_only_dlpack_reads(kind, element_type, dtype):
    value = np.arange(12).reshape(3, 4).astype(dtype)
    for array in (value, value[::-1, ::2], value.T, np.broadcast_to(value[:1], (3, 4))):
        if kind is OldDlpack and not array.flags.writeable:
            continue  # it has no way to say so
        np.testing.assert_array_equal(one(element_type, kind(array)), array)
    with pytest.raises(DispatchError, match=r"argument 0 \(%x\): got dtype float64, expected"):
        one("f32", kind(np.zeros(3)))


def test_an_array_that_is_read_only_stays_as_it_is():
    value = np.arange(3, dtype=np.float32)
    value.flags.writeable = False
    np.testing.assert_array_equal(one("f32", Dlpack(value)), [0, 1, 2])
    np.testing.assert_array_equal(one("f32", Dlpack(value, (3, 0))), [0, 1, 2])


@pytest.mark.parametrize(
    ("device", "name"), [(2, "CUDA"), (8, "Metal"), (99, "of DLPack's type 99")]
)
def test_arrays_on_another_device(device, name):
    with pytest.raises(DispatchError) as caught:
        one("f32", Dlpack(np.zeros(3, np.float32), (device, 5)))
    assert str(caught.value) == (
        f"argument 0 (%x): the array is on a device, {name} 5; copy it to the CPU first"
    )


def test_an_array_that_dlpack_does_not_read():
    class Refuses(Dlpack):
        def __dlpack__(self, **options):
            raise BufferError("no such type")

    class Copies(Refuses):
        def __array__(self, dtype=None, copy=None):
            return self.array

    class RefusesTwice(Refuses):
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("needs a gradient")

    value = np.arange(3, dtype=np.float32)
    with pytest.raises(DispatchError, match=r"\(%x\): cannot be read through DLPack: no such type"):
        one("f32", Refuses(value))
    with pytest.raises(DispatchError, match=r"argument 0 \(%x\): not an array: needs a gradient"):
        one("f32", RefusesTwice(value))
    np.testing.assert_array_equal(one("f32", Copies(value)), value)
    narrow = value.astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(one("bf16", Copies(narrow)).view("u2"), narrow.view("u2"))


def test_arrays_of_the_array_api():
    value = array_api_strict.asarray([[1, 2], [3, 4]], dtype=array_api_strict.float32)
    np.testing.assert_array_equal(one("f32", value), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(one("f32", value.T), [[1, 3], [2, 4]])
    with pytest.raises(DispatchError, match="got dtype float64"):
        one("f32", array_api_strict.ones(3))


def test_whatever_has_an_interface_of_numpy():
    class Interface:
        def __init__(self, array):
            self.kept = array
            self.__array_interface__ = array.__array_interface__

    np.testing.assert_array_equal(one("i16", Interface(np.arange(6, dtype="i2")[::2])), [0, 2, 4])


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


NAMED = [Tensor(name, "f32", (), name) for name in ("x", "input.1", "self")]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((1, 2, 3), {}),
        ((1, 2), {"self": 3}),
        ((1,), {"self": 3, "input.1": 2}),
        ((), {"self": 3, "x": 1, "input.1": 2}),
    ],
)
def test_arguments_by_name(values, named):
    assert list(bind(NAMED, values, named)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("values", "named", "error"),
    [
        ((1, 2, 3), {"y": 4}, "there is no argument 'y': the program has %x, %input.1, %self"),
        (
            (),
            {"y": 4, "z": 5},
            "there are no arguments 'y', 'z': the program has %x, %input.1, %self",
        ),
        ((1, 2, 3), {"x": 4}, "argument 0 (%x): given twice, by position and by name"),
        (
            (1, 2),
            {"input.1": 4, "x": 2},
            "argument 1 (%input.1), argument 0 (%x): given twice, by position and by name",
        ),
        (
            (1,),
            {"self": 4},
            "argument 1 (%input.1) is missing: the program has %x: tensor<f32>, "
            "%input.1: tensor<f32>, %self: tensor<f32>",
        ),
        (
            (),
            {"self": 4},
            "argument 0 (%x), argument 1 (%input.1) are missing: the program has %x: tensor<f32>, "
            "%input.1: tensor<f32>, %self: tensor<f32>",
        ),
        (
            (1, 2, 3, 4),
            {"x": 4},
            "wrong number of arguments: got 5 arguments, expected 3 (%x: tensor<f32>, "
            "%input.1: tensor<f32>, %self: tensor<f32>)",
        ),
    ],
)
def test_names_that_do_not_fit(values, named, error):
    with pytest.raises(DispatchError) as caught:
        bind(NAMED, values, named)
    assert str(caught.value) == error


def test_a_program_without_arguments_has_no_names():
    with pytest.raises(DispatchError, match="there is no argument 'x': the program has none"):
        bind([], (), {"x": 1})
