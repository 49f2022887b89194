"""Steps on the host: they are stored and read back, and what is wrong with one is found."""

import dataclasses
import json
import mmap

import pytest

from hwc.errors import PackageError
from hwc.package import (
    BUFFER_ALIGNMENT,
    Buffer,
    HostStep,
    Indices,
    Package,
    ShapeProgram,
    Tensor,
    Weight,
    from_bytes,
    load,
    save,
    to_bytes,
)
from hwc.package.codec import manifest_to_json, package_from_json, shape_program_to_json
from hwc.package.host_types import HOST_TYPES, is_numpys, tensor_type
from hwc.package.reader import FormatError
from hwc.shapes.steps import Dim, Learned
from isa.target import load_target

X = Tensor("x", "i64", ("n",), "input0")
Y = Tensor("y", "f32", ("s0", 2), "output0")
WEIGHTS = (Weight("w", "f32", (2, 3), 0), Weight("v", "i64", (), 64), Weight("u", "f32", (2,), 8))
RULES = (Indices("x", "n"), Indices("x", 2, from_end=True, column=0))
STEP = HostStep("onnxruntime", b"part", (X,), (Y,), "Reshape", WEIGHTS, RULES)

SIZES = (Dim("n", 0, 0), Learned("s0", 0, 0, 0))


def package(step=STEP, sizes=SIZES, **changes):
    made = Package(
        target=load_target("accel").to_dict(),
        entry="main",
        inputs=(X,),
        outputs=(Y,),
        buffers=(
            Buffer("input0", "input", "i64", ("n",)),
            Buffer("output0", "output", "f32", Y.shape),
        ),
        steps=(step,),
        constants=bytes(range(72)),
        shape_program=ShapeProgram(sizes),
    )
    return dataclasses.replace(made, **changes)


def test_it_is_read_back():
    data = to_bytes(package())
    assert from_bytes(data, "p.hwx") == package()
    assert data == to_bytes(from_bytes(data, "p.hwx"))


def test_constants_are_mapped(tmp_path):
    """They begin at a multiple of their alignment, and are read from the file when used."""
    path = tmp_path / "p.hwx"
    save(package(), path)
    at = path.read_bytes().index(bytes(range(72)))
    assert at % BUFFER_ALIGNMENT == 0
    mapped = load(path)
    assert mapped == package()
    assert isinstance(mapped.constants, memoryview) and isinstance(mapped.constants.obj, mmap.mmap)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"new")
    assert bytes(mapped.constants[:4]) == b"new\x03"
    with pytest.raises(PackageError, match="damaged package: Bad CRC-32 for file 'constants.bin'"):
        load(path)


def weight(**changes):
    """A package whose first weight is changed."""
    changed = dataclasses.replace(WEIGHTS[0], **changes)
    return package(dataclasses.replace(STEP, weights=(changed, *WEIGHTS[1:])))


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (weight(name="v"), "step 0 has 2 weights called 'v'"),
        (weight(type="f31"), "step 0 weight 'w' has element type 'f31', which no engine takes"),
        (weight(type="i48"), "step 0 weight 'w' has element type 'i48', which no engine takes"),
        (weight(type="bf16"), "step 0 weight 'w' has element type 'bf16', which no engine takes"),
        (weight(offset=52), "step 0 weight 'w' exceeds the 72 constant bytes"),
        (weight(shape=(2, 3, 4)), "step 0 weight 'w' exceeds the 72 constant bytes"),
    ],
)
def test_wrong_weights(changed, problem):
    with pytest.raises(PackageError, match=problem):
        to_bytes(changed)


def test_types_of_the_host():
    assert tensor_type("i64").range == (-(1 << 63), (1 << 63) - 1)
    assert tensor_type("ui8").range == (0, 255)
    assert (tensor_type("si4").range, tensor_type("ui2").range) == ((-8, 7), (0, 3))
    whole = {t.name for t in HOST_TYPES.values() if is_numpys(t.name)}
    assert whole == {"i64", "f64", "ui8", "ui16", "ui32", "ui64"}
    assert all(t.bits == t.bytes * 8 for t in HOST_TYPES.values() if t.name in whole)
    assert all(t.bytes == 1 for t in HOST_TYPES.values() if t.name not in whole)
    assert not is_numpys("bf16")
    assert is_numpys("i1")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (
            package(dataclasses.replace(STEP, engine="abacus")),
            "step 0 has the engine 'abacus', not one of iree, onnxruntime",
        ),
        (
            package(dataclasses.replace(STEP, outputs=(dataclasses.replace(Y, name="x"),))),
            "step 0 has 2 tensors called 'x'",
        ),
        (
            package(dataclasses.replace(STEP, inputs=(dataclasses.replace(X, buffer="b"),))),
            "step 0 tensor 'x' names buffer 'b', which does not exist",
        ),
        (
            package(dataclasses.replace(STEP, inputs=(dataclasses.replace(X, type="i32"),))),
            "step 0 tensor 'x' is i32, its buffer 'input0' is i64",
        ),
        (
            package(dataclasses.replace(STEP, inputs=(dataclasses.replace(X, shape=("q",)),))),
            "step 0 tensor 'x' names symbol 'q', which the shape program does not define",
        ),
        (
            package(sizes=(Dim("n", 0, 0), Learned("s0", 1, 0, 0))),
            "shape step 1: step 1 on the host has no output 0",
        ),
        (
            package(sizes=(Dim("n", 0, 0), Learned("s0", 0, 1, 0))),
            "shape step 1: step 0 on the host has no output 1",
        ),
        (
            package(sizes=(Dim("n", 0, 0), Learned("s0", 0, 0, 2))),
            "shape step 1: the output has no dimension 2",
        ),
    ],
)
def test_problems(changed, problem):
    assert problem in list(changed.problems())
    with pytest.raises(PackageError, match="damaged package"):
        to_bytes(changed)


def test_sizes_are_learned_in_the_order_of_the_steps():
    first = Tensor("y", "i64", ("s0",), "value0")
    last = dataclasses.replace(Y, name="z")
    steps = (
        dataclasses.replace(STEP, outputs=(first,)),
        HostStep("onnxruntime", b"", (first,), (last,)),
    )
    buffers = (*package().buffers, Buffer("value0", "intermediate", "i64", ("s0",)))
    sizes = (Dim("n", 0, 0), Learned("s0", 0, 0, 0))
    good = package(steps=steps, buffers=buffers, sizes=(*sizes, Learned("s0", 1, 0, 0)))
    assert not list(good.problems())
    wrong = package(
        steps=steps, buffers=buffers, sizes=(sizes[0], Learned("s0", 1, 0, 0), sizes[1])
    )
    assert "shape step 2: step 0 has run long before" in list(wrong.problems())


def test_what_is_read_is_made_before():
    value = Buffer("value0", "intermediate", "i64", ("n",))
    read = dataclasses.replace(STEP, inputs=(dataclasses.replace(X, buffer="value0"),))
    wrong = package(read, buffers=(*package().buffers, value))
    assert "step 0 reads tensor 'x', which nothing makes before" in list(wrong.problems())
    nothing = dataclasses.replace(STEP, outputs=())
    assert "no step makes output 0" in list(package(nothing, sizes=SIZES[:1]).problems())
    constant = dataclasses.replace(value, kind="constant", shape=(0,))
    wrong = package(read, buffers=(*package().buffers, constant))
    assert "step 0 tensor 'x' names buffer 'value0' of kind 'constant'" in list(wrong.problems())


def test_a_kernel_has_no_buffer_of_the_host(binary_package):
    made = binary_package()
    buffers = tuple(
        dataclasses.replace(b, type="i64") if b.name == "a" else b for b in made.buffers
    )
    step = HostStep("onnxruntime", b"", (), ())
    wrong = dataclasses.replace(made, buffers=buffers, steps=(*made.steps, step))
    assert "step 0 names buffer 'a' of type i64, which the machine lacks" in list(wrong.problems())


def test_functions_of_one_model_are_stored_once():
    """A step without a function has its model to itself."""
    y = Tensor("y", "i64", ("n",), "value0")
    first = HostStep("iree", b"module", (X,), (y,), function="part0")
    second = dataclasses.replace(first, function="part1")
    buffers = (*package().buffers, Buffer("value0", "intermediate", "i64", ("n",)))
    sizes = (SIZES[0], Learned("s0", 2, 0, 0))
    shared = package(steps=(first, second, STEP), sizes=sizes, buffers=buffers)
    members = {}
    manifest_to_json(shared, members)
    assert members == {"model0.bin": b"module", "model2.bin": b"part"}
    read = from_bytes(to_bytes(shared), "p.hwx")
    assert read == shared
    assert len({id(step.model) for step in read.host_steps[:2]}) == 1
    alone = json.loads(json.dumps(manifest_to_json(shared, {})))
    alone["steps"][1]["function"] = ""
    with pytest.raises(FormatError, match="'model0.bin' is missing, or another step names it"):
        package_from_json(alone, shape_program_to_json(shared.shape_program), b"", members)


def test_a_missing_part_is_named():
    members = {}
    manifest = json.loads(json.dumps(manifest_to_json(package(), members)))
    shapes = shape_program_to_json(package().shape_program)
    assert members == {"model0.bin": b"part"}
    with pytest.raises(FormatError, match="'model0.bin' is missing, or another step names it"):
        package_from_json(manifest, shapes, b"", {})
