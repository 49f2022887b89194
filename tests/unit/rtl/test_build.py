"""Builds of the hardware are whole or not there, whatever happens to them or to who builds.

Scripts stand in for Verilator, which takes minutes, and for the compiler; `make` is real.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isa.target import load_target
from rtl_models.simulation import build as builds
from rtl_models.simulation.build import BuildError, build, find_build
from rtl_models.tb.tools import need_tools

VERILATOR = """#!/bin/sh
echo "$$" >> "$RUNS"
cat > Vmachine_bench.mk <<'END'
.PHONY: default
default: Vmachine_bench
%.o:
\tsleep 0.02 # -c $@
\ttouch $@
Vmachine_bench: 1.o 2.o 3.o
\tprintf '#!/bin/sh\\n' > $@
\tsleep $${SECONDS_TO_LINK:-0.02}
\tprintf 'echo whole\\n' >> $@
\tchmod +x $@
END
"""
SCRIPT = """
from isa.target import load_target
from rtl_models.simulation.build import build
print(build(load_target("tiny")))
"""
MOMENTS = 50
"""How many builds are killed."""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Tools that build a script instead of hardware; gives the file with a line for each build."""
    need_tools("make", "perl", "c++")
    folder, runs = tmp_path / "bin", tmp_path / "runs"
    folder.mkdir()
    runs.touch()
    (folder / "verilator").write_text(VERILATOR)
    (folder / "verilator").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RUNS", str(runs))
    monkeypatch.setenv("HWC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[3]))
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    return runs


@pytest.fixture
def tiny():
    return load_target("tiny")


def is_whole(executable: Path) -> bool:
    return subprocess.run([executable], capture_output=True, check=True).stdout == b"whole\n"


def start(**environment: str) -> subprocess.Popen[str]:
    """Start a process that builds."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def contents(cache: Path) -> set[str]:
    return {path.suffix for path in cache.iterdir()}


def test_a_build_is_kept(tools, tiny, tmp_path):
    assert find_build(tiny) is None
    executable = build(tiny)
    assert is_whole(executable)
    assert build(tiny) == find_build(tiny) == executable
    assert len(tools.read_text().splitlines()) == 1
    assert contents(tmp_path / "cache") == {"", ".lock"}


def test_phases_are_reported(tools, tiny, caplog):
    with caplog.at_level(logging.INFO, "hwc.hardware"):
        build(tiny)
    first, second, last = [r.getMessage() for r in caplog.records]
    assert first == "building the hardware for target tiny, once: 1 of 2, Verilator writes C++"
    assert second.startswith("building the hardware for target tiny: 2 of 2, compiling 3 files, ")
    assert last.startswith("built the hardware for target tiny in ")


def test_progress_counts_files(tools, tiny, told):
    build(tiny)
    (compiling,) = {(name, of, unit) for tasks in told for name, _, of, unit in tasks}
    assert compiling == ("compiling the hardware", 3, "files")
    done = [tasks[0][1] for tasks in told if tasks]
    assert done == [max(n - len(os.sched_getaffinity(0)), 0) for n in (1, 2, 3)]
    assert told[-1] == []


DAMAGES = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "empty": lambda path: path.write_bytes(b""),
    "changed": lambda path: path.write_bytes(path.read_bytes().replace(b"whole", b"other")),
    "not executable": lambda path: path.chmod(0o644),
    "gone": lambda path: path.unlink(),
    "without digest": lambda path: path.with_name(path.name + ".sha256").unlink(),
    "a digest that is no text": lambda path: path.with_name(path.name + ".sha256").write_bytes(
        b"\xff"
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_build_is_built_again(tools, tiny, damage):
    executable = build(tiny)
    DAMAGES[damage](executable)
    assert find_build(tiny) is None
    assert build(tiny) == executable
    assert is_whole(executable)
    assert len(tools.read_text().splitlines()) == 2


def test_processes_that_build_wait_for_each_other(tools, tiny):
    processes = [start() for _ in range(3)]
    outputs = {process.communicate(timeout=60)[0] for process in processes}
    assert outputs == {f"{find_build(tiny)}\n"}
    assert len(tools.read_text().splitlines()) == 1


def test_a_build_that_is_killed_is_never_used(tools, tiny, tmp_path):
    """Killed at any moment; what is there then is whole, and the next one begins anew."""
    rng, whole = random.Random(0), 0
    for _ in range(MOMENTS):
        process = start()
        time.sleep(rng.uniform(0.1, 0.7))
        process.kill()
        process.communicate()
        found = find_build(tiny)
        if found is not None:
            whole += 1
            assert is_whole(found)
            shutil.rmtree(found.parent)
    assert whole < MOMENTS, "no build was killed"
    assert is_whole(build(tiny))
    assert contents(tmp_path / "cache") == {"", ".lock"}


def test_what_killed_builds_left_is_removed(tools, tiny, tmp_path):
    cache = tmp_path / "cache"
    (cache / "wide-1.work").mkdir(parents=True)
    (cache / "wide-2.work").mkdir()
    with builds.locked(cache / "wide-2.lock"):  # somebody is at it
        build(tiny)
    assert not (cache / "wide-1.work").exists()
    assert (cache / "wide-2.work").exists()


def test_a_tool_that_fails(tools, tiny, tmp_path, monkeypatch):
    (tmp_path / "bin" / "verilator").write_text("#!/bin/sh\necho '%Error: no such thing'\nexit 1\n")
    with pytest.raises(BuildError, match="tiny cannot be built; verilator says:\n%Error: no such"):
        build(tiny)
    assert contents(tmp_path / "cache") == {".lock"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_tools(tools, tmp_path, number):
    """`hwc` ends with the code for the signal; nothing runs on, and nothing is left."""
    source = Path(__file__).resolve().parents[2] / "e2e" / "programs" / "add.mlir"
    command = [sys.executable, "-m", "hwc"]
    package = str(tmp_path / "add.hwx")
    subprocess.run([*command, "compile", source, "-o", package, "--target", "tiny"], check=True)
    inputs = ["--input", "2x2xf32=1", "--input", "1x2xf32=2"]
    with subprocess.Popen(
        [*command, "run", package, *inputs, "--device", "rtl"],
        env={**os.environ, "SECONDS_TO_LINK": "1000"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        end = time.monotonic() + 60
        while not list((tmp_path / "cache").glob("*.work/3.o")):
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (128 + number, "")
    assert [line.partition(": ")[2][:6] for line in err.splitlines()] == ["1 of 2", "2 of 2"]
    assert contents(tmp_path / "cache") == {".lock"}
    assert not processes_in(tmp_path / "cache")


def processes_in(folder: Path) -> list[str]:
    """The processes that work in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd").startswith(str(folder)):
                found.append(process.name)
        except OSError:
            continue
    return found
