"""`hwc time`, and the table of kernels that `hwc run` shows as well."""

import csv
import io
import json

import pytest

import hwc
from hwc.cli.counters import MOST_KERNELS, kernel_lines
from hwc.cli.main import main

ROWS = "tensor<?x?xf32>"
TEXT = f"""\
func.func @main(%a: {ROWS} {{hwc.symbols = ["n", "d"]}}, %b: {ROWS}) -> {ROWS} {{
  %0 = tosa.add %a, %b : ({ROWS}, {ROWS}) -> {ROWS}
  return %0 : {ROWS}
}}
"""
BY_SHAPE = ["--shape", "40x50", "--shape", "1x50"]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(TEXT)
    return path


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_report_is_that_of_a_run(capsys, text):
    _, timed, _ = run(capsys, "time", text, *BY_SHAPE)
    inputs = ["--input", "random:40x50", "--input", "random:1x50"]
    _, ran, _ = run(capsys, "run", text, *inputs)
    assert ran.endswith(timed)
    *_, kernel, loading, whole = timed.splitlines()
    cycles = int(timed.splitlines()[0].split()[1])
    assert kernel.split()[:2] == ["0", "40x50"]
    assert kernel.endswith("tosa.add")
    assert int(kernel.split()[2]) + int(loading.split()[1]) == int(whole.split()[1]) == cycles


def test_which_resource_sets_the_roofline(capsys, text):
    text.write_text(TEXT.replace("tosa.add", "tosa.pow"))
    _, busy, _ = run(capsys, "time", text, *BY_SHAPE)
    assert "(1000 cycles of special functions at best on target accel)\n" in busy
    _, idle, _ = run(capsys, "time", text, "--shape", "0x50", "--shape", "1x50")
    assert "(0 cycles at best on target accel)\n" in idle


def test_shapes_by_name(capsys, text):
    expected = run(capsys, "time", text, *BY_SHAPE)
    for shapes in (["a=40x50", "b=1x50"], ["b=1x50", "40x50"], ["n=40", "d=50", "b=1x50"]):
        options = [option for shape in shapes for option in ("--shape", shape)]
        assert run(capsys, "time", text, *options) == expected


def test_a_scalar(capsys, tmp_path):
    path = tmp_path / "abs.mlir"
    path.write_text(TEXT.replace(' {hwc.symbols = ["n", "d"]}', "").replace("?x?x", ""))
    code, out, _ = run(capsys, "time", path, "--shape", "scalar", "--shape", "b=scalar")
    assert code == 0
    assert "\n0        scalar " in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shape", "4x"], "--shape 4x: error: not a shape; expected sizes such as 8x1x64"),
        (["--shape", "-4"], "--shape -4: error: not a shape"),
        (["--shape", "y" * 99], f"--shape {'y' * 57}...: error: not a shape"),
        (["--shape", "a=4x5", "--shape", "a=4x5"], "'a' has a shape already, got 'a=4x5'"),
        (["--shape", "4x5"], "argument 1 (%b): got no shape"),
        (["--shape", "4x5", "--shape", "3x5"], "do not broadcast"),
        (["--shape", "c=4x5"], "there is no argument or size 'c'"),
        (["--shape", "4x5", "--shape", "4x5", "--plan", "x"], "--plan: error: no plan 'x'"),
    ],
)
def test_what_is_refused(capsys, text, options, message):
    options = [o if o != "-4" else "-4" for o in options]
    joined = [f"--shape={v}" for o, v in zip(options[::2], options[1::2], strict=True)]
    if "--plan" in options:
        joined = options
    code, out, err = run(capsys, "time", text, *joined)
    assert (code, out) == (1, "")
    assert message in err


def test_the_kernels_as_a_file(capsys, text, tmp_path):
    path = tmp_path / "kernels.csv"
    _, out, _ = run(capsys, "time", text, *BY_SHAPE, "--csv", path, "--json")
    (row,) = csv.DictReader(io.StringIO(path.read_text()))
    (kernel,) = json.loads(out)["kernels"]
    assert row["sizes"] == "40x50"
    assert row["lines"] == "2"
    for key in ("number", "points", "cycles", "limit", "roofline", "main_stall", "operators"):
        assert row[key] == str(kernel[key])
    assert all(row[name] == str(n) for name, n in kernel["counters"].items())


@pytest.mark.parametrize(
    "command", [["time", *BY_SHAPE], ["run", "--input", "40x50xf32", "--input", "1x50xf32"]]
)
def test_the_kernels_on_standard_output(capsys, text, command):
    """The report makes room for them."""
    name, *options = command
    _, out, err = run(capsys, name, text, *options, "--csv", "-")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["sizes"] == "40x50"
    assert "roofline" in err
    assert run(capsys, name, text, *options, "--csv", "-", "--quiet")[1:] == (out, "")


def test_files_that_cannot_be_written(capsys, text):
    code, _, err = run(capsys, "time", text, *BY_SHAPE, "--csv", text)
    assert code == 1
    assert "--csv would overwrite PROGRAM" in err
    code, _, err = run(capsys, "time", text, *BY_SHAPE, "--csv", text / "x.csv")
    assert code == 1
    assert "x.csv: error: cannot write" in err


def test_no_kernels_of_the_hardware(capsys, text, monkeypatch, tmp_path):
    """Outputs are not written either."""
    call = hwc.Program.__call__

    def without(self, *arguments, plan=None):
        result = call(self, *arguments, plan=plan)
        object.__setattr__(result, "kernels", None)
        return result

    monkeypatch.setattr(hwc.Program, "__call__", without)
    inputs = ["--input", "40x50xf32", "--input", "1x50xf32"]
    output = tmp_path / "y.npy"
    code, out, err = run(capsys, "run", text, *inputs, "--csv", "-", "--output", f"@{output}")
    assert (code, out) == (1, "")
    assert "--csv: error: the device 'simulator' does not tell kernels apart" in err
    assert not output.exists()
    code, out, _ = run(capsys, "run", text, *inputs)
    assert (code, "kernel " in out) == (0, False)
    assert json.loads(run(capsys, "run", text, *inputs, "--json")[1])["kernels"] is None


def test_many_kernels():
    """The worst are shown, and one line stands for the others; the lines add up."""
    timing = hwc.compile(TEXT).time((40, 50), (1, 50))
    (kernel,) = timing.kernels
    counters = dict(timing.counters, cycles=79 + 30 * kernel.cycles)
    lines = list(kernel_lines([kernel] * 30, counters, timing.target))
    assert len(lines) == 1 + MOST_KERNELS + 2
    assert lines[-3].split()[:3] == ["7", "others", str(7 * kernel.cycles)]
    rows = [line.split() for line in lines[1:-3]]
    assert sum(int(row[2]) for row in rows) == 23 * kernel.cycles
    assert [lines[-2].split()[1], lines[-1].split()[1]] == ["79", str(counters["cycles"])]
