"""`hwc run --trace`: the file that it writes, and what it refuses before anything runs."""

import re
import sys

import numpy as np
import pytest
from trace_reader import check_counters, read

import hwc
from hwc.cli.main import main
from hwc.runtime import program as programs
from hwc.runtime.trace.recorder import Recorder

TEXT = """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
VALUES = ["--input", "random:3000xf32", "--input", "1xf32=10"]


@pytest.fixture
def package(tmp_path):
    path = tmp_path / "add.hwx"
    hwc.compile(TEXT, "tiny").save(path)
    return str(path)


@pytest.fixture
def run(package, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*options):
        code = main(["run", package, *VALUES, *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_a_trace(run, package, tmp_path):
    code, out, err = run("--trace", "t.pftrace")
    assert (code, err) == (0, "")
    assert (0, out, "") == run()
    found = read((tmp_path / "t.pftrace").read_bytes())
    assert found.process == "main of - on tiny (simulator)"
    result = hwc.load(package)(np.zeros(3000, np.float32), np.zeros(1, np.float32))
    check_counters(found, result.counters)


def test_a_window(run, tmp_path):
    assert run("--trace", "t.pftrace", "--trace-strips", "5:7") == run()
    found = read((tmp_path / "t.pftrace").read_bytes())
    stored = [s.args["strip"] for s in found.of("store") if s.name.startswith("strip")]
    assert stored == [5, 6]


def test_a_trace_without_a_run(run, package, tmp_path, capsys):
    assert run("--trace", "run.pftrace")[0] == 0
    command = ["time", package, "--shape", "3000", "--shape", "b=1"]
    assert main([*command, "--trace", "time.pftrace"]) == 0
    assert capsys.readouterr().err == ""
    traces = [(tmp_path / f"{name}.pftrace").read_bytes() for name in ("run", "time")]
    assert traces[0] == traces[1]
    assert main([*command, "--trace-strips", "1:2"]) == 1
    assert capsys.readouterr().err.startswith("--trace-strips: error: got no file")


def test_merged_strips_are_told(run, monkeypatch):
    monkeypatch.setattr(programs, "Recorder", lambda strips: Recorder(strips, limit=100))
    code, _, err = run("--trace", "t.pftrace")
    assert code == 0
    merged = (
        r"t.pftrace: up to \d+ strips are merged in a slice; --trace-strips FIRST:END shows each"
    )
    assert re.fullmatch(merged, err.strip())
    assert run("--trace", "t.pftrace", "--quiet")[2] == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--trace-strips", "7:5"],
            "--trace-strips 7:5: error: expected FIRST:END with FIRST below END, such as 1000:1200",
        ),
        (
            ["--trace-strips", "7"],
            "--trace-strips 7: error: expected FIRST:END with FIRST below END, such as 1000:1200",
        ),
        (
            ["--trace-strips", "47:50"],
            "strips 47:50: error: the call has 47 strips, numbered from 0",
        ),
    ],
)
def test_bad_windows(run, tmp_path, options, message):
    assert run("--trace", "t.pftrace", *options) == (1, "", message + "\n")
    assert not (tmp_path / "t.pftrace").exists()


def test_a_window_without_a_file(run):
    message = "--trace-strips: error: got no file for the trace; add --trace FILE\n"
    assert run("--trace-strips", "1:2") == (1, "", message)


def test_a_trace_does_not_go_to_standard_output(run):
    message = "--trace -: error: expected the name of a file, such as t.pftrace\n"
    assert run("--trace", "-") == (1, "", message)


def test_a_folder_that_is_not_there(run, tmp_path):
    message = f"--trace no/t.pftrace: error: there is no folder {tmp_path}/no; create it first\n"
    assert run("--trace", "no/t.pftrace", "--output", "@y.npy") == (1, "", message)
    assert not (tmp_path / "y.npy").exists()


def test_a_file_that_cannot_be_written(run):
    code, out, err = run("--trace", ".")
    assert (code, out) == (1, "")
    assert err == ".: error: cannot write: Is a directory\n"


def test_a_trace_does_not_overwrite_an_input(run, package):
    code, _, err = run("--trace", package)
    assert (code, err) == (
        1,
        f"{package}: error: --trace would overwrite PROGRAM; write to another file\n",
    )


def test_without_the_library(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "perfetto.protos.perfetto.trace.perfetto_trace_pb2", None)
    message = "error: a trace needs the library `perfetto`: pip install 'hwc[trace]'\n"
    assert run("--trace", "t.pftrace") == (1, "", message)
    assert not (tmp_path / "t.pftrace").exists()
    assert run()[0] == 0
