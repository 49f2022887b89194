"""`hwc sweep` as a process: killed and resumed, interrupted, and with workers of several kinds.

The table has the same bytes however it was made. Chunks are small here, so that a small sweep has
many of them, and that does not change the table either.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from e2e.support.pages import ROOT, check_page, missing_links

PROGRAM = ROOT / "docs" / "examples" / "residual.mlir"
ARGUMENTS = (str(PROGRAM), "--shapes", "n=1..20, d=8..64:+8", "--targets", "tiny,accel")
CHUNKS = 16
"""The chunks of that sweep: twenty points each."""

SWEEP = Path(__file__).parent / "support" / "slow_sweep.py"
KILLS = 2


def environment() -> dict[str, str]:
    """What processes of this checkout need."""
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def start(
    *arguments: object, chunk: int = 20, pause: float = 0, **options: object
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SWEEP), str(chunk), str(pause), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        **options,  # type: ignore[call-overload]
    )


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def finished_chunks(folder: Path) -> int:
    return len(list((folder / "chunks").glob("*.parquet")))


def wait_for(condition, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> bytes:
    """The table of the sweep, made by one worker without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    out = finish(start(*ARGUMENTS, "-o", folder, "--workers", 1))
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["target", "tiny", "accel"]
    assert lines[-2:] == [f"table  {folder}/table.parquet", f"page   {folder}/index.html"]
    return (folder / "table.parquet").read_bytes()


def test_killed_and_resumed(table, tmp_path):
    """The whole sweep is killed at random, again and again; what is finished stays as it is."""
    rng = random.Random(1)
    kept: dict[str, int] = {}
    for _ in range(KILLS):
        process = start(*ARGUMENTS, "-o", tmp_path, "--workers", 1, pause=0.4)
        before = finished_chunks(tmp_path)
        after = before + rng.randint(1, 4)
        wait_for(lambda process=process, n=after: finished_chunks(tmp_path) >= n or process.poll())
        process.kill()
        process.communicate()
        files = {f.name: f.stat().st_mtime_ns for f in (tmp_path / "chunks").glob("*.parquet")}
        assert before < len(files) < CHUNKS
        assert kept.items() <= files.items()
        kept = files
    process = start(*ARGUMENTS, "-o", tmp_path, "--workers", 1)
    _, err = process.communicate(timeout=300)
    assert f"{20 * len(kept)} of 320 points are finished already" in err
    assert (tmp_path / "table.parquet").read_bytes() == table


@contextmanager
def scheduler(folder: Path, workers: int) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler and its workers, as by hand; yield its address and its process."""
    file = folder / "scheduler.json"
    common: dict[str, Any] = {"env": environment(), "stderr": subprocess.DEVNULL, "cwd": folder}
    dask = [sys.executable, "-m", "dask"]
    own = [*dask, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    worker = [*dask, "worker", "--no-dashboard", "--no-nanny", "--nthreads", "1"]
    worker += ["--scheduler-file", str(file)]
    processes = [subprocess.Popen(own, **common)]
    try:
        wait_for(file.exists)
        processes += [subprocess.Popen(worker, **common) for _ in range(workers)]
        address = next(text for text in file.read_text().split('"') if text.startswith("tcp://"))
        yield address, processes[0]
    finally:
        # Killed, because a worker whose scheduler is gone first may take minutes to end by itself.
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()


def test_a_scheduler_and_two_workers_started_by_hand(table, tmp_path):
    with scheduler(tmp_path, workers=2) as (address, _):
        finish(start(*ARGUMENTS, "-o", tmp_path / "kept", "--scheduler", address))
    assert (tmp_path / "kept" / "table.parquet").read_bytes() == table


@pytest.mark.long
def test_a_lost_scheduler(tmp_path):
    with scheduler(tmp_path, workers=1) as (address, own):
        process = start(*ARGUMENTS, "-o", tmp_path / "kept", "--scheduler", address, pause=0.2)
        wait_for(lambda: finished_chunks(tmp_path / "kept") > 0)
        own.kill()
        _, err = process.communicate(timeout=120)
    assert err == (
        "error: the connection to the Dask scheduler is lost; the same command goes on from here\n"
    )
    assert process.returncode == 1


def test_two_workers_of_which_one_is_killed_and_then_ctrl_c(table, tmp_path):
    process = start(
        *(*ARGUMENTS, "-o", tmp_path, "--workers", 2),
        chunk=1,
        pause=0.1,
        start_new_session=True,
        # A background process of a shell, which the tests may be, ignores SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )

    def wait_for_chunks(number: int) -> None:
        wait_for(lambda: finished_chunks(tmp_path) >= number or process.poll() is not None)

    wait_for_chunks(1)
    children = psutil.Process(process.pid).children(recursive=True)
    workers = [child for child in children if "spawn_main" in " ".join(child.cmdline())]
    assert len(workers) == 2
    workers[0].kill()
    wait_for_chunks(finished_chunks(tmp_path) + 4)  # of 320
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    done = finished_chunks(tmp_path)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == (
        f"{tmp_path}: {done} of 320 points are finished; the same command goes on from there"
    )
    psutil.wait_procs(children, timeout=30)
    assert not [child for child in children if child.is_running()]
    finish(start(*ARGUMENTS, "-o", tmp_path, "--workers", 1, chunk=1))
    assert (tmp_path / "table.parquet").read_bytes() == table


def test_the_page_of_documentation(tmp_path, monkeypatch):
    page = ROOT / "docs" / "sweeps.md"
    shutil.copy(PROGRAM, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert {"sh", "python"} <= check_page(page.read_text(encoding="utf-8"), tmp_path)
    assert not missing_links(page)
