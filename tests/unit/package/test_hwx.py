"""The package file: the same bytes every time, all read back."""

import dataclasses
import io
import os
import zipfile

import pytest

import isa
from hwc.errors import PackageError
from hwc.package import (
    Alternative,
    Buffer,
    BufferRef,
    Choice,
    Kernel,
    Line,
    MachineStep,
    Package,
    ShapeProgram,
    SymbolRef,
    Tensor,
    load,
    save,
    to_bytes,
)
from hwc.package.hwx import from_bytes
from hwc.shapes.steps import Broadcast, Dim, Equal, Origin, Reshape

BASE = isa.encode("base", stream=isa.S(0), type="f32", rank=1, param=0, offset=8)
SIZE = isa.encode("size", stream=isa.S(0), dim=0, from_param=1, value=1)
END = isa.encode("end")
AT = Origin("tosa.add", "m.mlir:3:8", 0)


def example(**changes) -> Package:
    package = Package(
        target={"name": "accel", "lanes": 8},
        entry="main",
        inputs=(Tensor("a", "f32", ("a0", 4), "a"),),
        outputs=(
            Tensor("result0", "f32", ("r0", 4), "r"),
            Tensor("result1", "f32", (4, "r0"), "r"),
        ),
        buffers=(
            Buffer("a", "input", "f32", ("a0", 4)),
            Buffer("k", "constant", "i16", (3,), 2),
            Buffer("t", "intermediate", "i1", ("r0",)),
            Buffer("r", "output", "f32", ("r0", 4)),
            Buffer("v", "values", "i8", (2, 1), values=(-3, "a0")),
            Buffer("p", "positions", "i32", ("a0",)),
        ),
        steps=(
            MachineStep(
                (
                    Kernel(
                        (BASE, END), (BufferRef("a"), SymbolRef("r0")), "tosa.add", (Line(0, 3, 8),)
                    ),
                    Kernel((BASE, SIZE, END), (BufferRef("a"), SymbolRef("r0")), "tosa.abs"),
                    Kernel((END,), ()),
                ),
                (
                    0,
                    Choice((Alternative("fused", (0,)), Alternative("split", (1, 2)))),
                    2,
                ),
            ),
            MachineStep.of([Kernel((BASE, END), (BufferRef("k"), BufferRef("r"), BufferRef("t")))]),
        ),
        constants=bytes(range(8)),
        shape_program=ShapeProgram(
            (
                Dim("a0", 0, 0),
                Broadcast("r0", ("a0", 1), origin=AT),
                Broadcast(4, (4, 1), origin=Origin("tosa.add", "m.mlir:3:8", 1)),
                Equal(("r0", "a0"), origin=AT),
                Reshape(("r0", 4), (4, "q"), origin=Origin("tosa.reshape", "m.mlir:4:8")),
                Dim("a0", 0, 0, origin=AT),
            )
        ),
        source_name="m.mlir",
        source_digest="0d",
    )
    return dataclasses.replace(package, **changes)


def test_a_package_is_read_back_as_it_was(tmp_path):
    save(example(), tmp_path / "m.hwx")
    assert load(tmp_path / "m.hwx") == example()
    first, *others = load(tmp_path / "m.hwx").steps[0].kernels
    assert first.lines == (Line(0, 3, 8),)
    assert not any(kernel.lines for kernel in others)
    assert os.listdir(tmp_path) == ["m.hwx"]


def test_written_twice_the_bytes_are_the_same(tmp_path):
    save(example(), tmp_path / "one.hwx")
    save(example(), tmp_path / "two.hwx")
    assert (tmp_path / "one.hwx").read_bytes() == (tmp_path / "two.hwx").read_bytes()


def test_the_file_is_an_ordinary_zip_with_the_documented_members():
    with zipfile.ZipFile(io.BytesIO(to_bytes(example()))) as archive:
        assert archive.namelist() == [
            "manifest.json",
            "shapes.json",
            "constants.bin",
            "program0.bin",
            "program1.bin",
        ]
        assert {i.date_time for i in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        words = [BASE, END, BASE, SIZE, END, END]
        assert archive.read("program0.bin") == b"".join(w.to_bytes(8, "little") for w in words)


def test_a_package_without_steps_inputs_or_outputs():
    package = Package({}, "main", (), (), (), (), b"", ShapeProgram())
    assert from_bytes(to_bytes(package), "x") == package


def test_an_existing_file_survives_a_failed_write(tmp_path):
    path = tmp_path / "m.hwx"
    save(example(), path)
    before = path.read_bytes()
    broken = example(outputs=(Tensor("r", "f32", (), "nowhere"),))
    with pytest.raises(PackageError, match="names buffer 'nowhere', which does not exist"):
        save(broken, path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.hwx"]


def test_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(PackageError, match=r"cannot write: No such file or directory"):
        save(example(), tmp_path / "no" / "m.hwx")
    (tmp_path / "folder.hwx").mkdir()
    with pytest.raises(PackageError, match="cannot write: "):
        save(example(), tmp_path / "folder.hwx")
    assert os.listdir(tmp_path) == ["folder.hwx"]


def test_links_are_followed_and_devices_stay_devices(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "m.hwx")
    save(example(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert load(tmp_path / "m.hwx") == example()
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    save(example(), tmp_path / "pipe")
    assert os.read(reader, 1 << 20) == to_bytes(example())
    os.close(reader)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(PackageError, match=r"m\.hwx: error: cannot read: No such file"):
        load(tmp_path / "m.hwx")
    with pytest.raises(PackageError, match="cannot read: Is a directory"):
        load(tmp_path)
