"""Values on the command line."""

import os
import re

import numpy as np
import pytest
from element_types import DTYPES

import hwc
from hwc.cli.values import arguments, random_array, read, write_npy
from hwc.errors import UserError


def value(text, element_type=None, seed=0):
    return read(text, element_type).array(np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("text", "dtype", "expected"),
    [
        ("2x3xf32=1,2,3,4,5,6", "<f4", [[1, 2, 3], [4, 5, 6]]),
        ("2x3xf32=[[1, 2, 3], [4, 5, 6]]", "<f4", [[1, 2, 3], [4, 5, 6]]),
        ("2x2xi8=1 -2;3 4", "i1", [[1, -2], [3, 4]]),
        ("2x2xi16=7", "<i2", [[7, 7], [7, 7]]),
        ("3xi32", "<i4", [0, 0, 0]),
        ("f32=1.5", "<f4", 1.5),
        ("i1=true", "?", True),
        ("4xi1=0,1,false,TRUE", "?", [False, True, False, True]),
        ("2xf32=0x1.8p3,-0X1P-1", "<f4", [12, -0.5]),
        ("3xf32=inf,-inf,1e-45", "<f4", [np.inf, -np.inf, np.float32(1e-45)]),
        ("2xf32=0x7f800000,0x80000000", "<f4", [np.inf, -0.0]),
        ("2xi8=0xff,-128", "i1", [-1, -128]),
        ("4xi4=0xf,0x8,7,-8", "i1", [-1, -8, 7, -8]),
        ("3xi48=0xffffffffffff,0x7fffffffffff,-140737488355328", "<i8", [-1, 2**47 - 1, -(2**47)]),
        ("2xui4=0xf,8", "u1", [15, 8]),
        ("i32=0xffffffff", "<i4", -1),
        ("1xf32=1e40", "<f4", [np.inf]),
        ("0x5xf32=", "<f4", np.zeros((0, 5))),
        ("0x5xf32", "<f4", np.zeros((0, 5))),
        ("1x0xi8=3", "i1", np.zeros((1, 0))),
    ],
)
def test_literals(text, dtype, expected):
    array = value(text)
    assert array.dtype == np.dtype(dtype)
    assert array.shape == np.shape(expected)
    np.testing.assert_array_equal(array, expected)


def test_a_nan_keeps_its_bits():
    assert value("f32=0x7fa00001").view(np.uint32) == 0x7FA00001
    assert np.isnan(value("2xf32=nan")).all()


@pytest.mark.parametrize("form", ["2xTYPE=1,-nan", "2xTYPE=0x38,0x80", "random:2xTYPE", "TYPE"])
@pytest.mark.parametrize(("name", "of_mlir"), [("f8e4m3", "f8E4M3FN"), ("f8e5m2", "f8E5M2")])
def test_a_type_as_mlir_writes_it(form, name, of_mlir):
    ours, theirs = (value(form.replace("TYPE", type_)) for type_ in (name, of_mlir))
    assert ours.dtype == theirs.dtype == np.dtype("V1")
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a value; expected @FILE.npy"),
        ("1,2,3", "not a value"),
        ("2x3=1", "not a value"),
        (f"{'9' * 5000}xf32=1", "not a value"),
        (f"random:{'9' * 5000}", "expected random:SHAPE"),
        ("2x3xf99=1", "not a value"),
        ("2x3xF32=1", "not a value"),
        ("2xxf32=1", "not a value"),
        ("-1xf32=1", "not a value"),
        ("2x3xf32=1,2", "got 2 values, expected 6"),
        ("2xf32=", "got 0 values, expected 2"),
        ("f32=0x1p99999", "hexadecimal value too large to represent as a float"),
        ("2xf32=a,b", "could not convert string to float: 'a'"),
        ("i8=128", "128 is not a value of type i8"),
        ("i8=-129", "-129 is not a value of type i8"),
        ("i8=0x100", "0x100 is not a value of type i8"),
        ("i4=8", "8 is not a value of type i4"),
        ("i4=0x10", "0x10 is not a value of type i4"),
        ("i48=140737488355328", "140737488355328 is not a value of type i48"),
        ("f8e4m3=0x100", "0x100 is not a value of type f8E4M3FN"),
        ("i32=1.5", "invalid literal"),
        ("i1=2", "2 is not a value of type i1"),
        ("f32=0x100000000", "0x100000000 is not a value of type f32"),
        ("random:axb", "expected random:SHAPE"),
        ("random:3", "no argument here has an element type to use"),
    ],
)
def test_literals_that_are_none(text, message):
    with pytest.raises(UserError) as caught:
        value(text)
    assert message in str(caught.value)
    assert str(caught.value).startswith(text[:20])


def test_a_long_literal_is_not_repeated_in_full():
    with pytest.raises(UserError) as caught:
        value("999xf32=" + "1," * 998)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("element_type", DTYPES)
def test_random_takes_the_type_of_the_argument_and_is_seeded(element_type):
    first, again = value("random:8x1x64", element_type, 3), value("random:8x1x64", element_type, 3)
    assert first.shape == (8, 1, 64)
    np.testing.assert_array_equal(first, again)
    assert (first != value("random:8x1x64", element_type, 4)).any()
    assert len(np.unique(first)) > (1 if element_type == "i1" else 100)


def test_random_forms():
    assert value("random:", "f32").shape == ()
    assert value("random:2x3xi8").dtype == np.int8
    assert value("random:f32").shape == ()
    assert value("random:0x5", "i8").shape == (0, 5)


def test_random_integers_reach_both_ends():
    drawn = random_array((4096,), "i8", np.random.default_rng(0))
    assert drawn.min() == -128 and drawn.max() == 127


def test_npy_files(tmp_path):
    path = str(tmp_path / "x")
    array = np.arange(6, dtype=">i2").reshape(2, 3).T
    write_npy(path, array)
    np.testing.assert_array_equal(value(f"@{path}"), array)
    with pytest.raises(UserError, match="missing.npy: error: cannot read: No such file"):
        value(f"@{tmp_path}/missing.npy")
    with pytest.raises(UserError, match="cannot write: No such file"):
        write_npy(str(tmp_path / "no" / "x.npy"), array)


@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 3, 4)])
@pytest.mark.parametrize("element_type", DTYPES)
def test_what_is_written_is_what_numpy_writes(tmp_path, shape, element_type):
    array = np.asfortranarray(np.ones(shape, DTYPES[element_type]))
    write_npy(str(tmp_path / "x"), array)
    np.save(tmp_path / "y.npy", np.asarray(array, order="C"))
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y.npy").read_bytes()


def test_a_file_is_mapped_not_read(tmp_path):
    """A file of almost 8 GiB, all of it a hole; the first elements are there at once."""
    path = tmp_path / "x.npy"
    shape = ((1 << 31) - 1,)
    with path.open("wb") as file:
        description = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, description)
        file.truncate(file.tell() + 4 * shape[0])
    array = value(f"@{path}")
    assert (type(array), array.shape) == (np.ndarray, shape)
    assert array[:3].tolist() == [0, 0, 0]


@pytest.mark.parametrize("content", [b"", b"hello", b"\x93NUMPY\x01\x00\x00"])
def test_files_that_are_no_npy(tmp_path, content):
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"x\.npy: error: not a \.npy file of plain elements"):
        value(f"@{path}")


def test_objects_and_archives_are_refused(tmp_path):
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(UserError, match=r"not a \.npy file of plain elements"):
        value(f"@{tmp_path}/o.npy")
    np.savez(tmp_path / "z.npz", np.zeros(3))
    with pytest.raises(UserError, match=r"expected one array \(\.npy\), not an archive"):
        value(f"@{tmp_path}/z.npz")


@pytest.mark.parametrize(
    "text",
    [
        "random:999999x999999",
        "random:65536x65536",
        "random:2147483648x1",
        "random:2147483648x0",
        "random:99999999999999999999999x3",
        "65536x65536xf32=1",
        "99999999x99999999xi8",
    ],
)
def test_sizes_beyond_the_machine_are_refused_before_an_array_exists(text):
    with pytest.raises(UserError, match=r"error: got shape \(.*\); every size, .* below 2\^31$"):
        read(text, "f32")


def test_arguments_are_checked_before_an_array_exists(monkeypatch):
    program = hwc.compile(
        "func.func @main(%a: tensor<?xf32>, %b: tensor<3x?xf32>) -> tensor<3x?xf32> {"
        "%0 = tosa.add %a, %b : (tensor<?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>\n"
        "return %0 : tensor<3x?xf32> }",
        "tiny",
    )
    good = arguments(["random:5", "random:3x1"], program, 7, None)
    expected = random_array((3, 1), "f32", np.random.default_rng([7, 1]))
    np.testing.assert_array_equal(good[1], expected)

    def no_array(*_):
        raise AssertionError("an array was made")

    monkeypatch.setattr("hwc.cli.values.random_array", no_array)
    for texts, message in [
        (["random:2000000000", "random:4x2"], "dimension 0: got size 4, expected 3"),
        (["random:2000000000", "random:3x2"], "do not broadcast"),
        (["random:2000000000", "random:3x1"], "result 0 would have the shape 3x2000000000"),
        (["random:2000000000", "random:3"], "got rank 1"),
        (["random:2000000000xi8", "random:3x1"], "got dtype int8, expected float32"),
        (["random:2000000000"], "got 1 argument, expected 2"),
        (["random:600000000", "random:3x1"], "more than the target's 32 address bits reach"),
    ]:
        with pytest.raises(UserError, match=re.escape(message)):
            arguments(texts, program, 0, None)


def npy(shape, descr="'<f4'", order="False", data=b"", version=b"\x01\x00"):
    """Return a `.npy` file with any header."""
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}".encode()
    count = len(header).to_bytes(2 if version[0] == 1 else 4, "little")
    return b"\x93NUMPY" + version + count + header + data


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy("(1000000000000000,)"), "says 4000000000000000 bytes of elements"),
        (npy("(1073741824, 1073741824, 1073741824)"), ", but 0 follow"),
        (npy("(3,)", data=bytes(11)), "says 12 bytes of elements (shape (3,), float32), but 11"),
        (npy("(-1,)"), "its shape is (-1,), expected sizes, 0 or more"),
        (npy("(True,)"), "its shape is (True,), expected sizes, 0 or more"),
        (npy("(1,)", "'|S0'"), "not plain numbers"),
        (npy("(1,)", "'<M8[s]'"), "its elements are datetime64[s], not plain numbers"),
        (npy("(1.5,)"), "shape is not valid"),
        (npy("[3]"), "shape is not valid"),
        (npy("(1,)", "'O'"), "its elements are object, not plain numbers"),
        (npy("(1,)", "[('a', '<f4')]"), "not plain numbers"),
        (npy("(1,)", "('<f4', (2,))"), "not plain numbers"),
        (npy("(1,)", "7"), "descr"),
        (npy("(" * 4000), "parse header"),
        (npy("-" * 9000), "cannot parse header: it nests too deeply"),
        (npy("(3," + " " * 10000), "bytes, expected 10000 at most"),
        (b"\x93NUMPY\x03\x00\xff\xff\xff\xff{", "its header has 4294967295 bytes, expected 10000"),
        (npy("(1,)", version=b"\x09\x00"), "version 9.0"),
        (npy("(1L,)", version=b"\x03\x00"), "parse header: invalid decimal literal"),
        (npy("\xff", version=b"\x03\x00").replace(b"\xc3", b""), "parse header: 'utf-8' codec"),
    ],
)
def test_headers_that_are_wrong(tmp_path, content, message):
    (tmp_path / "x.npy").write_bytes(content)
    with pytest.raises(UserError) as caught:
        value(f"@{tmp_path}/x.npy")
    assert str(caught.value).startswith(f"{tmp_path}/x.npy: error: not a .npy file of plain elem")
    assert message in str(caught.value)


@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x00", b"\x03\x00"])
@pytest.mark.parametrize("order", ["False", "True"])
def test_headers_of_every_version_and_order(tmp_path, version, order):
    data = np.arange(6, dtype="<f4").tobytes()
    (tmp_path / "x.npy").write_bytes(npy("(2, 3)", order=order, data=data, version=version))
    expected = np.arange(6).reshape((2, 3), order="F" if order == "True" else "C")
    np.testing.assert_array_equal(value(f"@{tmp_path}/x.npy"), expected)


def test_an_npy_file_comes_from_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)  # so that neither side waits for the other
    os.write(reader, npy("(2,)", data=np.array([1, 2], "<f4").tobytes()))
    np.testing.assert_array_equal(value(f"@{pipe}"), [1, 2])
    os.close(reader)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_can_have(name):
    with pytest.raises(UserError, match="error: cannot read: "):
        read(f"@{name}", "f32")


def test_more_elements_than_memory(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("hwc.cli.values.random_array", full)
    with pytest.raises(UserError, match=r"error: not enough memory for an array of shape \(3,\)"):
        value("random:3", "f32")


def test_writing_leaves_what_was_there_if_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "y.npy"
    write_npy(str(path), np.arange(3))
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UserError, match="cannot write: No space left on device"):
        write_npy(str(path), np.arange(9))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
