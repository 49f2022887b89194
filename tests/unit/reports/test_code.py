"""The lines of the source beside the instructions, or why they are not at hand."""

from pathlib import Path

import pytest

import hwc
from hwc.errors import UserError
from hwc.reports.code import SourceText, rows, source_text, streams

TEXT = """// Two operators.
func.func @main(%x: tensor<?xf32>, %b: tensor<1xf32>) -> tensor<?xf32> {
  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.add %0, %b : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program that was loaded, and whose package names the file `m.mlir` of this folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.mlir").write_text(TEXT)
    hwc.compile(Path("m.mlir")).save("m.hwx")
    return hwc.load("m.hwx")


def test_the_words_of_a_kernel(program):
    (step,) = program.package.steps
    found = list(rows(step.kernels[0]))
    body = [row for row in found if row.line is not None]
    assert [(row.text.strip().split()[0], row.line) for row in body] == [
        ("abs.f32", 3),
        ("add.f32", 4),
    ]
    assert [row.remark for row in found if row.text.startswith("base")] == [
        "input0",
        "input1",
        "output0",
    ]
    assert [row.number for row in found] == list(range(len(step.kernels[0].words)))


def test_the_streams_of_a_kernel(program):
    (step,) = program.package.steps
    found = [(s.name, s.buffer, s.written) for s in streams(step.kernels[0])]
    assert found == [
        ("s0", "input0", False),
        ("s1", "input1", False),
        ("o0", "output0", True),
    ]


def test_the_file_that_the_package_names(program):
    text = source_text(program.package, None, None)
    assert text.missing == ""
    assert text.line(3) == "%0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>"
    assert text.line(0) == text.line(99) == ""


def test_a_file_that_has_changed(program, tmp_path):
    (tmp_path / "m.mlir").write_text(TEXT + "\n")
    assert source_text(program.package, None, None).missing == (
        "m.mlir has changed since it was compiled"
    )


def test_a_file_that_has_become_another_kind(program, tmp_path):
    (tmp_path / "m.mlir").write_bytes(b"\xff\xfe")
    assert source_text(program.package, None, None).missing == "m.mlir is not the source any more"


def test_a_file_that_is_gone(program, tmp_path):
    (tmp_path / "m.mlir").unlink()
    assert source_text(program.package, None, None).missing == "there is no file m.mlir here"


def test_a_program_that_has_its_text():
    program = hwc.compile(TEXT)
    assert source_text(program.package, program.source, None).line(3).startswith("%0 = tosa.abs")


def test_a_package_of_standard_input_names_no_file():
    program = hwc.compile(TEXT)
    assert source_text(program.package, None, None).missing == (
        "the program had no file when it was compiled"
    )


def test_another_file_with_the_same_text(program, tmp_path):
    (tmp_path / "m.mlir").rename(tmp_path / "n.mlir")
    assert source_text(program.package, None, "n.mlir").line(4).startswith("%1 = tosa.add")


def test_another_text_is_refused(program, tmp_path):
    (tmp_path / "n.mlir").write_text(TEXT + "// more\n")
    with pytest.raises(UserError, match=r"^n.mlir: error: the package was compiled from another"):
        source_text(program.package, None, "n.mlir")


def test_a_file_that_cannot_be_read(program):
    with pytest.raises(UserError, match=r"^no.mlir: error: cannot read: No such file"):
        source_text(program.package, None, "no.mlir")


def test_a_package_without_lines(binary_package):
    package = binary_package()
    assert "has no lines: only" in source_text(package, None, None).missing
    with pytest.raises(UserError, match=r"^x.mlir: error: the package names no lines"):
        source_text(package, None, "x.mlir")


def test_a_long_line_is_cut_around_the_operation():
    line = f"{'a' * 500} tosa.add {'b' * 500}"
    found = SourceText("m", [line]).line(1, 502)
    assert found.startswith("…a") and "tosa.add" in found and found.endswith("b…")
    assert len(found) == 202
