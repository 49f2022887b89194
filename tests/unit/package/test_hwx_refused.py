"""Package files that are damaged, or that another version wrote: one clear error each."""

import dataclasses
import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.package.test_hwx import example

import isa
from hwc.errors import PackageError
from hwc.package import to_bytes
from hwc.package.hwx import FORMAT_VERSION, from_bytes


@pytest.mark.parametrize("content", [b"", b"module {}", b"\x7fELF"])
def test_a_file_that_is_no_package(content):
    with pytest.raises(PackageError, match="^x: error: not a package: expected a .hwx file"):
        from_bytes(content, "x")


def test_a_file_cut_short_anywhere():
    data = to_bytes(example())
    for length in range(len(data)):
        with pytest.raises(PackageError, match="^x: error: "):
            from_bytes(data[:length], "x")


@settings(max_examples=300)
@given(st.data())
def test_flipped_bits_are_found_or_change_nothing(data):
    content = bytearray(to_bytes(example()))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        package = from_bytes(bytes(content), "x")
    except PackageError as error:
        assert str(error).startswith("x: ")
    else:
        assert package == example()


def rewritten(change, name="manifest.json", extra=None):
    """The example's bytes after `change` has had the JSON value of a member; None leaves it out."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(to_bytes(example()))) as old,
        zipfile.ZipFile(out, "w") as new,
    ):
        members = {n: old.read(n) for n in old.namelist()}
        members |= extra or {}
        if change is None:
            del members[name]
        else:
            value = json.loads(members[name])
            value = change(value) or value
            members[name] = json.dumps(value).encode()
        if name != "manifest.json":
            manifest = json.loads(members["manifest.json"])
            manifest["members"] = {n: len(b) for n, b in members.items() if n != "manifest.json"}
            members["manifest.json"] = json.dumps(manifest).encode()
        for n, b in members.items():
            new.writestr(n, b)
    return out.getvalue()


def refusal(content):
    with pytest.raises(PackageError) as caught:
        from_bytes(content, "x.hwx")
    return str(caught.value)


ISA_VERSION = isa.load().version


@pytest.mark.parametrize("version", [FORMAT_VERSION - 1, FORMAT_VERSION + 1])
def test_another_version_of_the_format_says_so_whatever_else_is_new(version):
    def other(manifest):
        manifest.update(version=version, novelty=[1])

    assert refusal(rewritten(other)) == (
        f"x.hwx: error: the package has version {version} of the package format, this hwc has "
        f"version {FORMAT_VERSION}: compile the program again with this hwc"
    )


@pytest.mark.parametrize("version", [ISA_VERSION + 1, ISA_VERSION + 100])
def test_another_version_of_the_instruction_set(version):
    assert refusal(rewritten(lambda m: m.update(instruction_set=version))) == (
        f"x.hwx: error: the package has version {version} of the instruction set, this hwc has "
        f"version {ISA_VERSION}: compile the program again with this hwc"
    )


def test_a_package_of_an_older_instruction_set(monkeypatch):
    """What this hwc writes is refused once the instruction set has changed."""
    content = to_bytes(example())
    changed = dataclasses.replace(isa.load(), version=ISA_VERSION + 1)
    monkeypatch.setattr(isa, "load", lambda: changed)
    assert f"has version {ISA_VERSION} of the instruction set, this hwc" in refusal(content)


def test_the_first_format_had_no_version_of_the_instruction_set():
    def first_format(manifest):
        del manifest["instruction_set"]
        manifest.update(version=1)

    assert "has version 1 of the package format" in refusal(rewritten(first_format))


@pytest.mark.parametrize("key", ["version", "instruction_set"])
@pytest.mark.parametrize("version", [None, "1", 0, True, 1.0])
def test_a_version_that_is_not_a_version(key, version):
    text = refusal(rewritten(lambda m: m.update({key: version})))
    assert text.endswith(f"{key!r} is {version!r}")
    assert "damaged package: manifest.json gives no version of the " in text


@pytest.mark.parametrize("key", ["version", "instruction_set"])
def test_a_version_that_is_missing(key):
    assert f"{key!r} is None" in refusal(rewritten(lambda m: m.pop(key) and None))


def test_another_kind_of_zip():
    assert "is of another format" in refusal(rewritten(lambda m: m.update(format="jar")))
    assert "manifest.json is missing" in refusal(rewritten(None))


@pytest.mark.parametrize("name", ["shapes.json", "constants.bin", "program0.bin", "program1.bin"])
def test_a_missing_member(name):
    assert "damaged package" in refusal(rewritten(None, name))


@pytest.mark.parametrize("error", [EOFError(), ValueError("negative seek value -1"), OSError(5)])
def test_a_damaged_package_has_a_reason_that_is_not_about_the_reader(monkeypatch, error):
    def read(*_):
        raise error

    content = to_bytes(example())
    monkeypatch.setattr(zipfile.ZipFile, "open", read)
    assert refusal(content).endswith("damaged package: the file is cut off or changed")


def test_a_member_too_many():
    assert "not the ones that manifest.json lists" in refusal(
        rewritten(lambda m: None, extra={"more.bin": b""})
    )


def first(key, **changes):
    return lambda m: m[key][0].update(**changes)


WRONG_DIM = "a0 = dim(argument 0, dimension 1)"


def both(*changes):
    return lambda m: [change(m) for change in changes] and None


def buffer(name, **changes):
    return lambda m: next(b for b in m["buffers"] if b["name"] == name).update(**changes)


def kernel(other=3, **changes):
    """Change the first kernel of the first step, and the number of words of the second one."""

    def change(manifest):
        first, second, _ = manifest["steps"][0]["kernels"]
        first.update(**changes)
        second.update(words=other)

    return change


def item(number, **changes):
    return lambda m: m["steps"][0]["items"][number].update(**changes)


def alternative(**changes):
    return lambda m: m["steps"][0]["items"][1]["alternatives"][0].update(**changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(colour=1), "manifest: unknown key 'colour'"),
        (lambda m: m.pop("entry") and None, "manifest lacks 'entry'"),
        (lambda m: m.update(entry=3), "manifest: 'entry' is not a string"),
        (lambda m: m.update(inputs={}), "manifest: 'inputs' is not a list"),
        (lambda m: [m], "expected an object"),
        (first("inputs", colour=1), "manifest: inputs[0]: unknown key 'colour'"),
        (first("inputs", shape=[True]), "inputs[0]: shape[0] is neither a size nor a symbol"),
        (first("inputs", shape=["zz", 4]), "input 0 names symbol 'zz'"),
        (first("inputs", type="f99"), "input 0 has element type 'f99'"),
        (first("inputs", buffer="r"), "input 0 names buffer 'r' of kind 'output'"),
        (first("inputs", type="i8"), "input 0 is i8, its buffer 'a' is f32"),
        (first("inputs", shape=[1] * 7), "input 0 has rank 7, more than 6"),
        (first("buffers", kind="ring"), "'kind' is 'ring', not one of input, output"),
        (lambda m: m["buffers"][1].update(offset=3), "constant buffer 'k' exceeds the 8"),
        (lambda m: m["buffers"][1].update(shape=["r0"]), "'k' has a dynamic size"),
        (lambda m: m["buffers"][1].update(name="a"), "buffer 'a' is defined twice"),
        (buffer("v", values=[1.5, 0]), "values[0] is neither a number nor a symbol"),
        (buffer("v", values=[True, 0]), "values[0] is neither a number nor a symbol"),
        (buffer("v", values=[0]), "buffer 'v' has 1 values, which is not one for each element"),
        (buffer("v", shape=["a0", "a0"]), "'v' has 2 values, which is not one for each element"),
        (buffer("v", values=[0, 128]), "buffer 'v' has the value 128, which does not fit i8"),
        (buffer("v", values=[0, "zz"]), "buffer 'v' names symbol 'zz'"),
        (buffer("v", type="f32"), "element type f32, which is not one of integers"),
        (buffer("p", type="f32"), "element type f32, which is not one of integers"),
        (buffer("p", values=[]), "unknown key 'values'"),
        (lambda m: m["inputs"].append(m["inputs"][0]), "two inputs share buffer 'a'"),
        (lambda m: m["steps"].pop() and None, "no step names program1.bin"),
        (first("steps", kind="tape"), "steps[0] is of kind 'tape'; this hwc knows machine, host"),
        (lambda m: m["steps"][0].pop("kind") and None, "steps[0] lacks 'kind'"),
        (
            lambda m: m["steps"][1].update(program="program0.bin"),
            "steps[1]: 'program0.bin' is missing, or another step",
        ),
        (first("steps", program="nowhere"), "steps[0]: 'nowhere' is missing, or another step"),
        (first("steps", colour=1), "steps[0]: unknown key 'colour'"),
        (kernel(parameters=[{"buffer": "q"}]), "step 0 kernel 0 names buffer 'q'"),
        (kernel(parameters=[{"symbol": "zz"}]), "step 0 kernel 0 names symbol 'zz'"),
        (kernel(parameters=[{"size": "q"}]), "parameters[0] lacks 'symbol'"),
        (kernel(parameters=[]), "kernel 0 has in word 0 parameter 0 of 0"),
        (kernel(parameters=[{"symbol": "r0"}]), "word 0 'base' with the parameter 'r0'"),
        (
            kernel(words=3, other=2),
            "kernel 0 has in word 1 'end': a kernel ends with its one 'end'",
        ),
        (
            kernel(words=1, other=4),
            "kernel 0 has in word 0 'base': a kernel ends with its one 'end'",
        ),
        (kernel(lines=[[2, 3, 8]]), "step 0 kernel 0 has a line for word 2 of 2"),
        (kernel(lines=[[0, 3]]), "lines[0] is not a list of a word, a line and a column"),
        (kernel(lines=[[0, 3, "8"]]), "lines[0] is not a number from 0"),
        (kernel(words=7), "kernels[0] has 7 words, and 6 are left in the program"),
        (kernel(words=0), "program0.bin has 2 words more than the kernels of manifest: steps[0]"),
        (lambda m: m.update(broadcast="none"), "broadcast is 'none', not one of numpy, strict"),
        (lambda m: m.update(ranks="none"), "ranks is 'none', not one of pad, equal"),
        (lambda m: m.pop("ranks") and None, "manifest lacks 'ranks'"),
        (kernel(colour=1), "steps[0]: kernels[0]: unknown key 'colour'"),
        (first("steps", items=[{"kernel": 0}]), "step 0 kernel 1 is named by no item"),
        (item(0, kernel=3), "step 0 has no kernel 3, which an item names"),
        (item(0, kernel=-1), "items[0]: 'kernel' is negative"),
        (item(0, colour=1), "items[0]: unknown key 'colour'"),
        (item(1, alternatives=[]), "step 0 choice 0 has 0 alternatives, and needs at least two"),
        (alternative(name="split"), "choice 0 has 2 alternatives with the name 'split'"),
        (alternative(name="a b"), "choice 0 has an alternative with the name 'a b'"),
        (alternative(kernels=[]), "choice 0 has no kernels in its alternative 'fused'"),
        (alternative(kernels=["0"]), "kernels[0] is not a number from 0"),
        (alternative(colour=1), "alternatives[0]: unknown key 'colour'"),
        (first("inputs", name="\ud800"), r"inputs[0]: 'name' is '\ud800', which is not text"),
        (lambda m: m.update(source="a\udc80"), r"'source' is 'a\udc80', which is not text"),
        (
            both(first("inputs", shape=[2, 4]), first("buffers", shape=[7])),
            "input 0 is tensor<2x4xf32>, which has not as many elements as its buffer 'a'",
        ),
    ],
)
def test_a_manifest_that_says_something_else(change, message):
    text = refusal(rewritten(change))
    assert text.startswith("x.hwx: ")
    assert message in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (first("steps", step="r = guess(a0)"), "steps[0]: 'r = guess(a0)' is not a step: 'guess'"),
        (
            first("steps", step="a0 = dim(argument 3, dimension 0)"),
            "there is no argument 3",
        ),
        (first("steps", step="equal(a0) 1"), "the text goes on after the step"),
        (first("steps", step=1), "'step' is not a string"),
        (lambda m: m["steps"][1].pop("origin") and None, "steps[1] lacks 'origin'"),
        (lambda m: m["steps"][1].update(origin=3), "steps[1]: origin is not an object"),
        (lambda m: m["steps"][1]["origin"].update(colour=1), "origin: unknown key 'colour'"),
        (
            lambda m: [m["steps"][i].update(step=WRONG_DIM) for i in (0, -1)] and None,
            "no shape step compares dimension 0 of input 0 with 'a0'",
        ),
        (first("steps", step="r0 = broadcast(zz)"), "symbol 'zz' is used before it is defined"),
    ],
)
def test_a_shape_program_that_says_something_else(change, message):
    assert message in refusal(rewritten(change, "shapes.json"))


def test_keys_given_twice_and_deep_nesting():
    for text in ('{"format": 1, "format": 1}', "[" * 100_000):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("manifest.json", text)
        assert "x.hwx: manifest.json: error: damaged package" in refusal(out.getvalue())


def test_compressed_members_are_refused():
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(to_bytes(example()))) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert "a member is compressed" in refusal(out.getvalue())
