"""Files that commands read and write: nothing that is read is overwritten."""

import io
import sys

import numpy as np
import pytest

import hwc
from hwc.cli import opt
from hwc.cli.main import main
from hwc.cli.texts import check_files
from hwc.errors import UserError

ABS = """\
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


@pytest.fixture(name="folder", autouse=True)
def _folder(tmp_path, monkeypatch):
    """Work in a folder with a program under three names, and its package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "self.mlir").write_text(ABS)
    (tmp_path / "link.mlir").symlink_to("self.mlir")
    (tmp_path / "hard.mlir").hardlink_to("self.mlir")
    assert main(["compile", "self.mlir"]) == 0
    return tmp_path


@pytest.mark.parametrize("output", ["self.mlir", "./self.mlir", "link.mlir", "hard.mlir"])
@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["hwc", "compile", "self.mlir"], "FILE"),
        (["hwc", "compile", "self.mlir", "--emit", "linalg"], "FILE"),
        (["hwc", "compile", "other.mlir", "--library", "self.mlir"], "--library"),
        (["hwc", "compile", "other.mlir", "--target", "self.mlir"], "--target"),
        (["hwc", "specialize", "self.mlir", "--dims", "x=4"], "FILE"),
        (["hwc", "asm", "self.mlir"], "FILE"),
        (["hwc", "asm", "other.txt", "--package", "self.mlir"], "--package"),
        (["hwc-opt", "self.mlir"], "the input"),
    ],
)
def test_an_output_that_is_also_an_input(folder, capsys, command, what, output):
    program = {"hwc": main, "hwc-opt": opt.main}[command[0]]
    assert program([*command[1:], "-o", output]) == 1
    expected = f"{output}: error: -o would overwrite {what}; write to another file\n"
    assert capsys.readouterr() == ("", expected)
    assert (folder / "self.mlir").read_text() == ABS


def test_standard_input_that_is_the_output(folder, capsys, monkeypatch):
    with open("self.mlir", encoding="utf-8") as text:
        monkeypatch.setattr(sys, "stdin", text)
        assert main(["compile", "-", "-o", "self.mlir"]) == 1
    assert "self.mlir: error: -o would overwrite FILE" in capsys.readouterr().err
    assert (folder / "self.mlir").read_text() == ABS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--input", "@x.npy", "--output", "@x.npy"], "x.npy: error: {} --input"),
        (["--input", "f32=1", "--output", "@self.hwx"], "self.hwx: error: {} PROGRAM"),
        (
            ["--input", "3xf32", "--expected-output", "@x.npy", "--output", "@x.npy"],
            "x.npy: error: {} --expected-output",
        ),
    ],
)
def test_a_result_that_would_overwrite_an_input(folder, capsys, options, message):
    np.save("x.npy", np.ones(3, np.float32))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["run", "self.hwx", *options]) == 1
    assert capsys.readouterr() == (
        "",
        message.format("--output would overwrite") + "; write to another file\n",
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_two_outputs_that_are_one_file():
    with pytest.raises(UserError, match=r"^./y: error: --output would overwrite --output; write"):
        check_files({}, {"--output": ["y", "./y"]})


def test_what_is_not_a_regular_file_may_be_both(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    check_files({"FILE": "/dev/null"}, {"-o": "/dev/null"})
    check_files({"FILE": "-", "none": None}, {"-o": "-"})


def test_the_name_of_a_target_is_not_a_file(folder):
    assert main(["compile", "self.mlir", "--target", "tiny", "-o", "tiny"]) == 0
    assert (folder / "tiny").read_bytes()[:2] == b"PK"


@pytest.mark.parametrize(
    ("content", "kind", "advice"),
    [
        (
            b"PK\x03\x04\0\0",
            "a package or another archive",
            "`hwc run FILE` runs a package, and `hwc info FILE` shows it",
        ),
        (b"\x93NUMPY\x01\0", "a NumPy array", "arrays are the arguments of `hwc run`"),
        ("module {}".encode("utf-16"), "text in UTF-16", "save it as UTF-8"),
    ],
)
def test_files_of_another_kind_are_named(folder, capsys, content, kind, advice):
    (folder / "other").write_bytes(content)
    assert main(["compile", "other"]) == 1
    message, help_ = capsys.readouterr().err.splitlines()
    assert message == f"other: error: this is {kind}, expected a program (MLIR, TOSA or ONNX)"
    assert help_.startswith("help: ") and help_.endswith(advice)
    with pytest.raises(UserError, match=f"^other: error: this is {kind}"):
        hwc.compile("other")


def test_a_package_is_named_before_the_output_that_it_would_have(folder, capsys):
    assert main(["compile", "self.mlir"]) == 0
    assert main(["compile", "self.hwx"]) == 1
    message = "self.hwx: error: this is a package or another archive, expected a program"
    assert capsys.readouterr().err.startswith(message)
    (folder / "text.hwx").write_text(ABS)
    assert main(["compile", "text.hwx"]) == 1
    assert capsys.readouterr().err == "text.hwx: error: name the package to write with -o\n"


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"ML\xefR\x0d", "MLIR bytecode"), (b"\x1c\0\0\0TOSA", "a TOSA flatbuffer")],
)
def test_a_program_is_not_assembly(folder, capsys, content, kind):
    (folder / "other").write_bytes(content)
    assert main(["asm", "other", "-o", "out"]) == 1
    assert capsys.readouterr().err.startswith(f"other: error: this is {kind}, expected text\nhelp")


def test_text_that_only_looks_like_another_kind(folder):
    (folder / "other").write_text("//  TOSA\n" + ABS)
    assert main(["compile", "other"]) == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["compile", "none"], "none: error: cannot read: No such file or directory"),
        (["compile", "self.mlir", "-t", "none"], "error: unknown target 'none'; known"),
        (["compile", "self.mlir", "-t", "self.mlir"], "self.mlir:2:20: error: is not valid YAML"),
        (["run", "self.hwx"], "hwc: error: wrong number of arguments: got 0 arguments, expected 1"),
        (["run", "self.hwx", "--input", "i8"], "hwc: error: argument 0 (%x): got dtype int8"),
        (["run", "self.hwx", "--input", "random:2x2"], "hwc: error: argument 0 (%x): got rank 2"),
        (["run", "self.hwx", "--plan", "x"], "--plan: error: no plan 'x'"),
    ],
)
def test_every_error_says_error(capsys, command, message):
    assert main(command) == 1
    assert capsys.readouterr().err.startswith(message)
