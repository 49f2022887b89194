"""The commands on packages assembled by hand: what they print, what they refuse, exit codes."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import hwc
import isa
from hwc import package as hwx
from hwc.cli.main import main


@pytest.fixture
def hwxfile(tmp_path, binary_package):
    path = tmp_path / "add.hwx"
    hwx.save(binary_package(), path)
    return str(path)


ROOFLINE = r"roofline       \d+\.\d % \(1 cycles of reads at best on target accel\)"


def run(capsys, *argv):
    code = main([str(a) for a in argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_run_prints_results_cycles_and_engines(capsys, hwxfile):
    code, out, err = run(
        capsys, "run", hwxfile, "--input", "2x3xf32=1,2,3,4,5,6", "--input", "1x1xf32=0.5"
    )
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:3] == ["result 0: 2x3xf32", "[[1.5 2.5 3.5]", " [4.5 5.5 6.5]]"]
    assert "bytes read     28" in lines
    assert "bytes written  24" in lines
    assert any(re.fullmatch(ROOFLINE, line) for line in lines)
    engines = lines[-11:-5]
    names = ["engine", "fetch", "broadcast", "lane", "special", "store"]
    assert [line.split()[0] for line in engines] == names
    assert re.fullmatch(r"lane +1 +dependence \d+, input [1-9]\d*, special 0, output 0", engines[3])
    assert re.fullmatch(r"special +0 +0", engines[4])
    assert [line.split()[0] for line in lines[-4:]] == ["kernel", "0", "loading", "all"]


def test_run_prints_a_large_result_in_part_only(capsys, hwxfile):
    code, out, _ = run(capsys, "run", hwxfile, "--input", "random:99x99", "--input", "random:99x1")
    assert code == 0
    assert "..." in out
    assert len(out.splitlines()) < 40


def test_run_json(capsys, hwxfile):
    code, out, _ = run(
        capsys, "run", hwxfile, "--input", "1x3xf32=1,inf,nan", "--input", "1x1xf32=1", "--json"
    )
    value = json.loads(out)
    assert code == 0
    assert value["outputs"] == [{"type": "f32", "shape": [1, 3], "data": [[2.0, "inf", "nan"]]}]
    assert value["cycles"] == value["counters"]["cycles"] > value["ideal_cycles"] > 0
    assert 0 < value["roofline"] < 1
    assert value["resources"][value["bound"]] == value["ideal_cycles"]
    assert value["differences"] == []


def test_run_with_files_and_expectations(capsys, hwxfile, tmp_path):
    a, y = tmp_path / "a.npy", tmp_path / "y.npy"
    np.save(a, np.arange(6, dtype=np.float32).reshape(2, 3))
    common = ["run", hwxfile, "--input", f"@{a}", "--input", "1x3xf32=1,2,3"]
    code, _, _ = run(capsys, *common, "--output", f"@{y}")
    assert code == 0
    np.testing.assert_array_equal(np.load(y), [[1, 3, 5], [4, 6, 8]])
    assert run(capsys, *common, "--expected-output", f"@{y}")[0] == 0
    code, out, err = run(capsys, *common, "--expected-output", "2x3xf32=1,3,5,4,6,9")
    assert code == 1
    assert "cycles" in out
    first, *others = err.splitlines()
    assert first == "error: result 0: 1 of 6 elements differs"
    where = "at [1, 2]: got 8.0, expected 9.0, 1 apart, 1048576 ulp"
    assert others == [
        f"  first           {where}",
        f"  largest         {where}",
        f"  largest in ulp  {where}",
    ]
    expected = ["--expected-output", "2x3xf32=1,3,5,4,6,9"]
    assert run(capsys, *common, *expected, "--tolerance-ulp", "1048576")[0] == 0
    assert run(capsys, *common, *expected, "--rtol", "0.2")[0] == 0
    assert run(capsys, *common, *expected, "--atol", "1")[0] == 0
    code, out, _ = run(capsys, *common, *expected, "--json")
    assert code == 1
    (found,) = json.loads(out)["differences"]
    assert (found["result"], found["different"], found["largest"]["absolute"]) == (0, 1, 1.0)
    assert found["text"] in err


def test_the_seed_decides_what_random_gives(capsys, hwxfile, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        options = ["--input", "random:2x3", "--input", "random:2x3", "--seed", seed]
        run(capsys, "run", hwxfile, *options, "--output", f"@{tmp_path / name}")
    a, b, c = (np.load(tmp_path / n) for n in "abc")
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--input", "2x3xf32"], "wrong number of arguments: got 1 argument, expected 2"),
        (["--input", "4x5xf32", "--input", "3x5xf32"], "do not broadcast"),
        (["--input", "4x5xf32", "--input", "4x5xi32"], "argument 1 (%b): got dtype int32"),
        (
            ["--input", "4x5xf32", "--input", "5xf32"],
            "argument 1 (%b): got rank 1, shape (5,)",
        ),
        (["--input", "4x5xf99"], "4x5xf99: error: not a value"),
        (["--output", "@a", "--output", "@b"], "--output: error: got 2 values, but the program"),
        (["--expected-output", "f32", "--expected-output", "f32"], "--expected-output: error: "),
        (["--output", "y.npy"], "--output y.npy: error: expected @FILE"),
        (["--device", "toaster"], "no device 'toaster'"),
    ],
)
def test_run_refuses(capsys, hwxfile, options, message):
    code, out, err = run(capsys, "run", hwxfile, *options)
    assert code == 1
    assert out == ""
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["run", "info", "disasm", "cosim"])
def test_a_package_of_another_version(capsys, hwxfile, monkeypatch, command):
    monkeypatch.setattr("hwc.package.hwx.FORMAT_VERSION", 99)
    code, out, err = run(capsys, command, hwxfile)
    assert (code, out) == (1, "")
    assert err == (
        f"{hwxfile}: error: the package has version {hwx.FORMAT_VERSION} of the package format, "
        "this hwc has version 99: compile the program again with this hwc\n"
    )


def test_info(capsys, hwxfile):
    code, out, err = run(capsys, "info", hwxfile)
    assert (code, err) == (0, "")
    assert out.startswith(
        f"{hwxfile}: @main of m.mlir, format {hwx.FORMAT_VERSION}, "
        f"instruction set {isa.load().version}\n"
        "12 words of machine code, 0 bytes"
    )
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        "target accel",
        "lanes 8",
        "%a tensor<?x?xf32> a0xa1xf32 buffer a",
        "a1 = dim(argument 0, dimension 1)",
        "r0 = broadcast(a0, b0) tosa.add at m.mlir:2:8",
        "r output r0xr1xf32",
        "dispatch 0: 13 words, 1 kernel",
        "packet version &a &b &r a0 a1 b0 b1 r0 r1",
        "kernel 0 tosa.add",
    ):
        assert line in lines


def test_disasm(capsys, hwxfile):
    code, out, err = run(capsys, "disasm", hwxfile)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "; dispatch 0 of 1 for target accel: 13 words"
    assert "; p0 = address of a" in lines
    assert "; p3 = size a0" in lines
    assert "; kernel 0: tosa.add" in lines
    assert "4: size s1, 0, p5 ; b0" in lines
    assert lines[-4:] == ["9: loop", "10: add.f32 o0, s0, s1", "11: end", "12: halt"]


@pytest.mark.parametrize("command", ["run", "cosim", "info", "disasm"])
def test_a_package_that_is_none(capsys, tmp_path, command):
    code, out, err = run(capsys, command, tmp_path / "no.hwx")
    assert (code, out) == (1, "")
    assert err == f"{tmp_path / 'no.hwx'}: error: cannot read: No such file or directory\n"
    (tmp_path / "x.hwx").write_text("func.func")
    code, _, err = run(capsys, command, tmp_path / "x.hwx")
    assert code == 1
    assert "x.hwx: error: not a package" in err


def test_version_and_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"hwc {hwc.__version__}\n"
    commands = ("compile", "run", "cosim", "info", "disasm")
    for argv in (["--help"], *([command, "--help"] for command in commands)):
        with pytest.raises(SystemExit) as stop:
            main(argv)
        assert stop.value.code == 0
        assert capsys.readouterr().out.startswith("usage: hwc")


@pytest.mark.parametrize("argv", [[], ["fly"], ["run"], ["run", "x", "--seed", "-1"]])
def test_wrong_usage(capsys, argv):
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 2
    assert "usage: hwc" in capsys.readouterr().err


def test_as_a_module_and_with_a_reader_that_leaves(hwxfile):
    command = [sys.executable, "-W", "error", "-m", "hwc", "info", hwxfile]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "target accel" in done.stdout
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait() == 1
        assert process.stderr.read() == b""


def test_standard_output_that_is_full(hwxfile):
    command = [sys.executable, "-m", "hwc", "info", hwxfile]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "hwc: error: cannot write to standard output: No space left on device\n"


def test_a_folder_is_no_source(tmp_path, capsys):
    assert main(["compile", str(tmp_path)]) == 1
    assert "this is a folder; expected a program (MLIR or TOSA)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--seed", "-1", "expected a whole number, 0 or more, got '-1'"),
        ("--rtol", "nan", "expected a finite number, 0 or more, got 'nan'"),
        ("--atol", "x", "expected a finite number, 0 or more, got 'x'"),
    ],
)
def test_numbers_that_are_none(option, text, message, capsys):
    with pytest.raises(SystemExit):
        main(["run", "m.hwx", f"{option}={text}"])
    assert message in capsys.readouterr().err


SUM = """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


def in_locale(folder, *arguments, **environment):
    """Run a command with a file name beyond ASCII; return its exit code and both outputs."""
    command = [sys.executable, "-m", "hwc", *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("environment", [C_LOCALE, {"PYTHONIOENCODING": "ascii"}])
def test_names_beyond_ascii_wherever_the_encoding_lacks_them(tmp_path, environment):
    (tmp_path / "é.mlir").write_text(SUM, encoding="utf-8")
    assert in_locale(tmp_path, "compile", "é.mlir", **environment) == (0, b"", b"")
    assert hwx.load(tmp_path / "é.hwx").source_name == "é.mlir"
    code, out, _ = in_locale(tmp_path, "info", "é.hwx", **environment)
    assert code == 0
    assert rb"@main of \xe9.mlir" in out
    given = ("--input", "random:3", "--input", "random:4")
    code, _, err = in_locale(tmp_path, "run", "é.hwx", *given, **environment)
    assert code == 1
    assert err.startswith(rb"\xe9.mlir:2:8: error: 'tosa.add'")
    code, _, err = in_locale(tmp_path, "compile", "ü.mlir", **environment)
    assert code == 1
    assert err.startswith(rb"\xfc.mlir: error: cannot read")


def test_a_closed_standard_input(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hwc", "compile", "-", "-o", "m.hwx"],
        cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=lambda: os.close(0),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "-: error: standard input is closed\n")
    assert os.listdir(tmp_path) == []
