"""`hwc report`: the page that it writes, and what it refuses."""

import json

import pytest
from unit.reports.html_reader import data, tables, text

from hwc.cli.main import main

PROGRAM = """func.func @main(%x: tensor<?x?xf32>, %b: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %x, %b : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.tanh %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""
INPUTS = ("--input", "random:8x64", "--input", "random:1x64")
SHAPES = ("--shape", "8x64", "--shape", "1x64")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Runs a command in a folder with a program and its package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.mlir").write_text(PROGRAM)

    def run(*argv):
        code = main(list(argv))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert run("compile", "m.mlir") == (0, "", "")
    return run


def test_a_page_of_a_package(run, tmp_path):
    assert run("report", "m.hwx", *INPUTS, "-o", "r.html") == (0, "", "")
    page = (tmp_path / "r.html").read_text()
    _, out, _ = run("run", "m.hwx", *INPUTS, "--json")
    ran = json.loads(out)
    assert f"cycles{ran['cycles']:,}" in text(page)
    assert [point["cycles"] for point in data(page)["roofline"]] == [
        kernel["cycles"] for kernel in ran["kernels"]
    ]
    assert "line 3 %1 = tosa.tanh" in text(page)
    assert data(page)["timeline"]["bars"]


def test_the_page_from_shapes_is_the_page_of_the_call(run, tmp_path):
    run("report", "m.hwx", *INPUTS, "-o", "a.html")
    assert run("report", "m.hwx", *SHAPES, "-o", "b.html") == (0, "", "")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


@pytest.mark.parametrize("arguments", [INPUTS, SHAPES])
def test_a_page_without_the_timeline(run, tmp_path, monkeypatch, arguments):
    def fail(*_, **options):
        raise AssertionError("nothing is traced")

    for name in ("trace", "traced"):
        monkeypatch.setattr(f"hwc.runtime.program.Program.{name}", fail)
    assert run("report", "m.hwx", *arguments, "--no-timeline", "-o", "r.html") == (0, "", "")
    page = (tmp_path / "r.html").read_text()
    assert data(page)["roofline"]
    assert "The report was made without a trace." in text(page)


def test_a_page_of_a_program_on_standard_output(run):
    code, out, err = run("report", "m.mlir", "-t", "tiny", *SHAPES, "-o", "-")
    assert (code, err) == (0, "")
    assert "on target tiny" in text(out)


def test_a_file_with_the_source(run, tmp_path):
    (tmp_path / "m.mlir").rename("n.mlir")
    run("report", "m.hwx", *SHAPES, "-o", "r.html")
    assert "there is no file m.mlir here" in text((tmp_path / "r.html").read_text())
    run("report", "m.hwx", *SHAPES, "-o", "r.html", "--source", "n.mlir")
    assert "tosa.tanh %0" in text((tmp_path / "r.html").read_text())


def test_a_comparison_of_two_targets(run, tmp_path):
    for target, command in (("accel", ("run", *INPUTS)), ("wide", ("time", *SHAPES))):
        name, *options = command
        _, out, _ = run(name, "m.mlir", "-t", target, *options, "--json")
        (tmp_path / f"{target}.json").write_text(out)
    code = run("report", "--compare", "accel.json", "wide.json", "-o", "c.html")
    assert code == (0, "", "")
    page = (tmp_path / "c.html").read_text()
    cycles = [json.loads((tmp_path / f"{t}.json").read_text())["cycles"] for t in ("accel", "wide")]
    assert f"{cycles[0]:,} cycles become {cycles[1]:,}" in text(page)
    (found,) = [table for table in tables(page) if table[0][0] == "kernels"]
    assert found[1][1] == "tosa.add, tosa.tanh"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("-o", "r.html"), "hwc: error: expected PROGRAM, or --compare A.json B.json"),
        (("m.hwx", "-o", "r.html"), "hwc: error: wrong number of arguments: got 0 arguments"),
        (
            ("m.hwx", *INPUTS, *SHAPES, "-o", "r.html"),
            "--shape: error: give values with --input, or shapes with --shape",
        ),
        (("m.hwx", "--shape", "8x", "-o", "r.html"), "--shape 8x: error: not a shape; expected"),
        (
            ("m.hwx", *SHAPES, "-o", "no/r.html"),
            "no/r.html: error: cannot write: No such file or directory",
        ),
        (
            ("m.hwx", *SHAPES, "-o", "m.hwx"),
            "m.hwx: error: --output would overwrite PROGRAM; write to another file",
        ),
        (
            ("m.hwx", *SHAPES, "--source", "no.mlir", "-o", "r.html"),
            "no.mlir: error: cannot read: No such file or directory",
        ),
        (
            ("m.hwx", "--compare", "a", "b", "-o", "r.html"),
            "--compare: error: got a program, m.hwx, too; a comparison is of two files of JSON",
        ),
        (
            ("--compare", "a", "b", *SHAPES, "-o", "r.html"),
            "--shape: error: this option is for a call, and --compare makes none",
        ),
        (
            ("--compare", "a", "b", "-t", "tiny", "-o", "r.html"),
            "--target: error: this option is for compiling, and --compare compiles nothing",
        ),
        (
            ("--compare", "a.json", "b.json", "-o", "r.html"),
            "a.json: error: cannot read: No such file or directory",
        ),
        (
            ("--compare", "m.mlir", "m.mlir", "-o", "r.html"),
            "m.mlir: error: not JSON: Expecting value: line 1 column 1 (char 0); expected what "
            "`hwc run --json` or `hwc time --json` prints",
        ),
    ],
)
def test_what_is_refused(run, tmp_path, argv, message):
    code, out, err = run("report", *argv)
    assert (code, out) == (1, "")
    assert err.startswith(message)
    assert not (tmp_path / "r.html").exists()


def test_without_the_extra(run, tmp_path, monkeypatch):
    monkeypatch.setattr("hwc.reports.extra.find_spec", lambda name: None)
    for argv in (("m.hwx", *SHAPES), ("--compare", "m.mlir", "m.mlir")):
        code, out, err = run("report", *argv, "-o", "r.html")
        assert (code, out) == (1, "")
        assert err == "hwc: error: a report needs plotly: pip install 'hwc[report]'\n"
    assert not (tmp_path / "r.html").exists()
