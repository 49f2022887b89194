"""Programs as packages or text, the standard streams as `-`, and what the log says."""

import io
import json
import logging
import subprocess
import sys

import numpy as np
import pytest

import hwc
from hwc.cli.main import COMMANDS, main
from hwc.cli.verbosity import LOG
from isa.errors import TargetError

TEXT = """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
VALUES = ["--input", "3xf32=1,2,3", "--input", "1xf32=10"]
NAMES = [command.__name__.rpartition(".")[2] for command in COMMANDS]


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(TEXT)
    return path


@pytest.fixture
def package(text, capsys):
    assert run(capsys, "compile", text)[0] == 0
    return text.with_suffix(".hwx")


@pytest.fixture
def standard_input(monkeypatch):
    def give(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def test_text_is_compiled_and_run(capsys, text, package):
    code, out, err = run(capsys, "run", text, *VALUES)
    assert (code, err) == (0, "")
    assert out == run(capsys, "run", package, *VALUES)[1]
    code, out, _ = run(capsys, "run", text, *VALUES, "-t", "tiny", "--assume", "a.0 > 2")
    assert code == 0
    assert "on target tiny" in out
    code, _, err = run(capsys, "run", text, *VALUES, "--assume", "a.0 > 3")
    assert code == 1
    assert "a.0 > 3" in err
    assert run(capsys, "benchmark", text, *VALUES, "--calls", "1")[0] == 0


def test_a_program_that_computes_nothing(capsys, tmp_path):
    (tmp_path / "nothing.mlir").write_text("func.func @main() { return }")
    code, out, err = run(capsys, "run", tmp_path / "nothing.mlir")
    assert (code, err) == (0, "")
    assert "cycles         0\n" in out
    code, out, err = run(capsys, "run", tmp_path / "nothing.mlir", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["counters"]["bytes_read"] == 0


def test_a_program_with_an_error_is_a_located_error(capsys, tmp_path):
    (tmp_path / "bad.mlir").write_text(TEXT.replace("tosa.add", "tosa.while_loop"))
    code, out, err = run(capsys, "run", tmp_path / "bad.mlir", *VALUES)
    assert (code, out) == (1, "")
    assert err.startswith(f"{tmp_path}/bad.mlir:2:8: error: 'tosa.while_loop' is not supported")


@pytest.mark.parametrize(
    "option",
    [["--target", "tiny"], ["--entry", "main"], ["--library", "l.mlir"], ["--ranks", "equal"]],
)
@pytest.mark.parametrize("command", ["run", "benchmark", "cosim", "info", "disasm"])
def test_a_package_takes_no_options_for_text(capsys, package, command, option):
    values = [] if command in ("info", "disasm") else VALUES
    code, _, err = run(capsys, command, package, *values, *option)
    assert code == 1
    assert err == (
        f"{option[0]}: error: this option is for compiling, and {package} is compiled already; "
        "give it to `hwc compile`\n"
    )


def test_text_is_compiled_and_shown(capsys, text, package):
    code, out, err = run(capsys, "info", text)
    assert (code, err) == (0, "")
    assert out == run(capsys, "info", package)[1].replace(str(package), str(text))
    assert "\ntarget tiny\n" in run(capsys, "info", text, "--target", "tiny")[1]
    code, out, err = run(capsys, "disasm", text)
    assert (code, err) == (0, "")
    assert out == run(capsys, "disasm", package)[1]
    code, _, err = run(capsys, "disasm", "--words", text, "--target", "tiny")
    assert code == 1
    assert err == (
        "--target: error: this option is for compiling, and --words says that there are plain "
        "words\n"
    )


def test_packages_and_texts_on_standard_input(capsys, text, package, standard_input):
    for content in (package.read_bytes(), TEXT.encode()):
        standard_input(content)
        assert run(capsys, "run", "-", *VALUES)[1] == run(capsys, "run", package, *VALUES)[1]
    for command in ("info", "disasm"):
        standard_input(package.read_bytes())
        code, out, _ = run(capsys, command, "-")
        assert code == 0
        assert out == run(capsys, command, package)[1].replace(str(package), "-")
    standard_input(b"PK")
    code, _, err = run(capsys, "run", "-")
    assert (code, err.startswith("-: error: damaged package")) == (1, True)


def test_arrays_on_standard_input_and_output(package, tmp_path):
    x = np.arange(3, dtype=np.float32)
    given = io.BytesIO()
    np.save(given, x)
    command = [sys.executable, "-m", "hwc", "run", str(package), "--input", "@-"]
    command += ["--input", "1xf32=10", "--output", "@-"]
    done = subprocess.run(command, input=given.getvalue(), capture_output=True, check=True)
    np.testing.assert_array_equal(np.load(io.BytesIO(done.stdout)), x + 10)
    assert done.stderr.startswith(b"result 0: 3xf32\n[10. 11. 12.]\n")
    (tmp_path / "x.npy").write_bytes(given.getvalue())
    with open(tmp_path / "x.npy") as file:
        done = subprocess.run([*command, "--quiet"], stdin=file, capture_output=True, check=True)
    np.testing.assert_array_equal(np.load(io.BytesIO(done.stdout)), x + 10)
    assert done.stderr == b""
    done = subprocess.run(command, input=b"\x93NUM", capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"-: error: not a .npy file of plain elements: ")


@pytest.mark.parametrize(
    ("arguments", "stream", "named"),
    [
        (["run", "-", "--input", "@-"], "input", "PROGRAM, --input"),
        (["run", "x", "--input", "@-", "--input", "@-"], "input", "--input, --input"),
        (["run", "x", "--input", "@-", "--expected-output", "@-"], "input", "--input, --exp"),
        (["run", "x", "--output", "@-", "--output", "@-"], "output", "--output, --output"),
        (["benchmark", "-", "--input", "@-"], "input", "PROGRAM, --input"),
        (["cosim", "-", "--input", "@-"], "input", "PROGRAM, --input"),
        (["compile", "-", "--library", "-", "-o", "x"], "input", "FILE, --library"),
        (["specialize", "-", "--library", "-", "--dims", "a=1"], "input", "FILE, --library"),
    ],
)
def test_a_stream_is_named_once(capsys, arguments, stream, named):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"-: error: standard {stream} is given 2 times ({named}")
    assert err.endswith("expected once at most; name files for the others\n")


@pytest.mark.parametrize("command", ["info", "run", "disasm"])
def test_standard_input_that_is_closed(capsys, monkeypatch, command):
    monkeypatch.setattr("sys.stdin", None)
    assert run(capsys, command, "-") == (1, "", "-: error: standard input is closed\n")


@pytest.mark.parametrize("command", NAMES)
def test_an_unknown_argument_shows_the_usage_of_its_command(capsys, command):
    with_output = ["x", "-o", "y"]
    more = {"asm": with_output, "report": with_output, "specialize": ["x", "--dims", "a=1"]}
    needed = more.get(command, ["x"])
    with pytest.raises(SystemExit) as stop:
        main([command, *needed, "--fly", "high"])
    err = capsys.readouterr().err
    assert stop.value.code == 2
    assert err.startswith(f"usage: hwc {command} ")
    assert err.endswith(f"hwc {command}: error: unrecognized arguments: --fly high\n")


@pytest.mark.parametrize("command", NAMES)
def test_every_command_says_more_or_less(capsys, command):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    out = capsys.readouterr().out
    assert "--verbose" in out and "--quiet" in out


def test_what_the_log_says(capsys, text):
    code, quiet, err = run(capsys, "run", text, *VALUES, "-q")
    assert (code, err) == (0, "")
    LOG.getChild("hardware").info("building")
    assert capsys.readouterr().err == ""
    code, usual, err = run(capsys, "run", text, *VALUES)
    assert (code, err) == (0, "")
    LOG.getChild("hardware").info("building")
    assert capsys.readouterr().err == "building\n"
    code, verbose, err = run(capsys, "run", text, *VALUES, "--verbose")
    assert code == 0
    lines = err.splitlines()
    assert any(line.startswith("fuse-kernels: ") and line.endswith(" ms") for line in lines)
    assert lines[-2:] == [
        f"compiled {text} for target accel",
        "ran on device simulator, target accel",
    ]
    assert quiet == usual == verbose
    _, _, err = run(capsys, "compile", text, "-v")
    package = text.with_suffix(".hwx")
    assert err.endswith(f"wrote {package}, {package.stat().st_size} bytes\n")
    with pytest.raises(SystemExit):
        main(["run", str(text), "-v", "-q"])
    assert "not allowed with" in capsys.readouterr().err
    assert logging.getLogger("hwc").handlers


def test_a_byte_order_mark_is_no_part_of_a_text(capsys, text, tmp_path):
    text.write_bytes(b"\xef\xbb\xbf" + text.read_bytes())
    assert run(capsys, "run", text, *VALUES)[0] == 0
    text.write_bytes(b"\xef\xbb\xbffunc.func @main(%a: x)")
    assert f"{text}:1:21: error: " in run(capsys, "run", text, *VALUES)[2]


def test_errors_in_targets_are_errors_of_hwc():
    assert hwc.TargetError is TargetError
    with pytest.raises(hwc.TargetError, match="unknown target 'none'"):
        hwc.compile(TEXT, "none")
