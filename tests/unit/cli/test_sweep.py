"""`hwc sweep` in this process: what it prints, where it writes, and what it refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hwc.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
SHAPES = ("--shapes", "n=1,3, d=8,9")


@pytest.fixture
def program(tmp_path, monkeypatch) -> str:
    shutil.copy(ROOT / "docs" / "examples" / "residual.mlir", tmp_path)
    monkeypatch.chdir(tmp_path)
    return "residual.mlir"


def run(capsys, *argv: str) -> tuple[int, str, str]:
    code = main(["sweep", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_line_for_each_target(capsys, program):
    arguments = (program, *SHAPES, "--targets", "tiny", "--vary", "lanes=4,64", "--workers", "1")
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    head, first, second, blank, *paths = out.splitlines()
    assert head.split()[:5] == ["target", "cells", "errors", "cycles", "roofline"]
    words = first.split()
    assert (words[:2], words[3]) == (["tiny", "lanes=4"], "2")
    assert int(words[4]) > 50
    assert second.split() == ["tiny", "lanes=64", "4"]
    assert blank == ""
    assert paths == ["table  residual.sweep/table.parquet", "page   residual.sweep/index.html"]
    assert Path("residual.sweep/index.html").is_file()
    again = run(capsys, *arguments)
    assert again == (0, out, "residual.sweep: 8 of 8 points are finished already\n")
    assert run(capsys, *arguments, "--quiet") == (0, out, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--shapes", "m=1"),
            "shapes: error: no size is called 'm'; the sizes of the program are n",
        ),
        (("--shapes", "n=1"), "shapes: error: the size d is not given"),
        ((), "shapes: error: the size n is not given"),
        (("--shapes", "n=3..1"), "shapes: n: error: the range 3..1 is empty"),
        ((*SHAPES, "--targets", "tiny,none"), "error: unknown target 'none'"),
        ((*SHAPES, "--targets", "no.yaml"), "no.yaml: error: "),
        (
            (*SHAPES, "--vary", "lanes"),
            "--vary lanes: error: expected KEY=VALUES, such as lanes=4,8",
        ),
        ((*SHAPES, "--vary", "lane=2"), "vary: error: unknown key 'lane'; known: lanes, vlen"),
        ((*SHAPES, "--vary", "name=x"), "vary: error: unknown key 'name'; known: lanes, vlen"),
        ((*SHAPES, "--targets", ""), "targets: error: got '', expected names of targets or paths"),
        ((*SHAPES, "--targets", "tiny,"), "targets: error: got 'tiny,', expected names of targets"),
        ((*SHAPES, "-o", "-"), "-o -: error: a sweep is a folder of files; give the name of a"),
        ((*SHAPES, "--vary", "lanes=x"), "vary: lanes: error: got 'x', expected a number"),
        (
            (*SHAPES, "--vary", "lanes=2", "--vary", "lanes=4"),
            "--vary lanes=4: error: lanes is given twice",
        ),
    ],
)
def test_what_is_refused_before_anything_starts(capsys, program, options, message):
    code, out, err = run(capsys, program, *options)
    assert (code, out) == (1, "")
    assert err.removeprefix("hwc: ").startswith(message)
    assert len(err.splitlines()) == 1
    assert not Path("residual.sweep").exists()


def test_packages_are_refused(capsys, program):
    assert main(["compile", program]) == 0
    code, _, err = run(capsys, "residual.hwx", *SHAPES)
    assert code == 1
    assert err.startswith("residual.hwx: error: this is a package")


def test_a_program_on_standard_input_needs_a_folder(capsys):
    code, _, err = run(capsys, "-", *SHAPES)
    assert (code, err) == (
        1,
        "-o: error: a program on standard input has no name for the folder\n",
    )


def test_a_missing_extra_is_one_line(capsys, program, monkeypatch):
    monkeypatch.setattr("hwc.sweeps.extra._NEEDED", ("numpy", "no_such"))
    code, _, err = run(capsys, program, *SHAPES)
    assert (code, err) == (1, "error: a sweep needs no_such: pip install 'hwc[sweep]'\n")


def test_where_a_worker_can_be(capsys, program):
    with pytest.raises(SystemExit):
        main(["sweep", program, "--workers", "2", "--scheduler", "tcp://localhost:1"])
    assert "not allowed with argument" in capsys.readouterr().err
