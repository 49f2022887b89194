"""`hwc compile --timing`: its rows add up to the time that the user waits, also for processes."""

import os
import shlex
import subprocess
import sys
import time
from itertools import dropwhile
from pathlib import Path

import pytest
from unit.frontend.flatbuffers import write

from hwc.cli.main import main
from hwc.frontend import tflite_schema as schema
from isa import progress

WAIT = 0.3
"""Seconds by which the converter and IREE's compiler take longer in these tests."""
MODEL = """\
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x1xf32> {
  %0 = tosa.abs %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  return %1 : tensor<2x1xf32>
}
"""
CONVERTER = f"""\
import time
class TosaConverterOutputFormat:
    Text = "text"
class TosaConverterDebugInfo:
    Enable = "places"
def tflite_flatbuffer_to_tosa_mlir(path, sink, output_format, debug_info):
    time.sleep({WAIT})
    sink.write({MODEL.encode()!r})
"""


@pytest.fixture
def tflite(tmp_path, monkeypatch):
    """A TFLite file, for a converter and a compiler that take at least `WAIT` seconds."""
    binaries = pytest.importorskip("iree.compiler.tools.binaries")
    (tmp_path / "tosa_converter_for_tflite.py").write_text(CONVERTER)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(tmp_path)
    compiler = tmp_path / "iree-compile"
    tool = shlex.quote(binaries.find_tool("iree-compile"))
    compiler.write_text(f'#!/bin/sh\nsleep {WAIT}\nexec {tool} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setattr(binaries, "find_tool", lambda _: str(compiler))
    tensors = (schema.Tensor((2, 4), 0, 0, "x"), schema.Tensor((2, 4), 0, 0, "y"))
    absolute = schema.OPERATORS.index("ABS")
    codes = (schema.OperatorCode(absolute, "", 1, absolute),)
    graph = schema.Graph(tensors, (0,), (1,), (schema.Operator(0, (0,), (1,)),))
    path = tmp_path / "m.tflite"
    path.write_bytes(write(schema.Model(3, codes, (graph,)), b"TFL3"))
    return path


def rows(text: str) -> dict[str, float]:
    """The seconds of each row of `--timing`, which come after the summary of the model."""
    lines = (line.split() for line in text.splitlines())
    split = [*dropwhile(lambda words: words[-1:] != ["ms"], lines)]
    assert all(words[2:] == ["ms"] for words in split)
    return {name: float(value) / 1000 for name, value, _ in split}


def test_the_rows_add_up_and_count_the_processes(tflite, capsys):
    start = time.perf_counter()
    assert main(["compile", str(tflite), "--timing"]) == 0
    waited = time.perf_counter() - start
    found = rows(capsys.readouterr().err)
    total = found.pop("total")
    assert total == pytest.approx(sum(found.values()), abs=0.01)
    assert total == pytest.approx(waited, abs=0.02 + 0.02 * waited)
    own = ("convert-tflite", "iree-compile", "cut-and-package", "imports-and-files")
    assert set(own) <= set(found) and "schedule-strips" in found
    assert found["convert-tflite"] >= WAIT and found["iree-compile"] >= WAIT
    assert all(0 <= found[name] < waited - 2 * WAIT for name in own[2:])


@pytest.mark.skipif(not Path("/proc/uptime").exists(), reason="only Linux says when it began")
def test_the_start_of_a_command_counts(tmp_path):
    program = Path(__file__).parent / "programs" / "negate_points.mlir"
    text = f"import time\ntime.sleep({WAIT})\nfrom hwc.cli.main import main\nmain()"
    command = [sys.executable, "-c", text, "compile", str(program), "--timing", "-o"]
    start = time.perf_counter()
    done = subprocess.run(
        [*command, str(tmp_path / "m.hwx")], check=True, capture_output=True, text=True
    )
    waited = time.perf_counter() - start
    found = rows(done.stderr)
    assert WAIT <= found["imports-and-files"] <= found["total"] <= waited + 0.02


def test_progress_names_the_part(tflite, monkeypatch):
    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "PERIOD", 0.0)
    shown: list[tuple[str, int, int | None]] = []
    observer = lambda tasks: shown.extend((t.name, t.done, t.of) for t in tasks[:1])  # noqa: E731
    progress.observe(observer)
    try:
        assert main(["compile", str(tflite), "--quiet"]) == 0
    finally:
        progress.ignore(observer)
    assert shown.index(("compiling part 0 (abs)", 0, 2)) < shown.index(
        ("compiling part 1 (reduce_sum)", 1, 2)
    )
    assert any(name == "IREE compiles 1 part for the host" for name, _, _ in shown)
