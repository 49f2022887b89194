"""A sweep of 100,000 points: its speed, and that neither kills nor other workers change its table.

    python tests/bench/sweep.py [--write]    # the table in docs/reports/sweep.md
    python tests/bench/sweep.py --picture    # docs/reports/sweep.png, a page in Debian's chromium

The sweep runs three times, each time with two workers: on a cluster of its own without
interruption; killed at random ten times, and resumed each time; and on a Dask scheduler with two
workers that are started by hand. The three tables are compared byte by byte. A last column has the
processor time, which other work on the computer does not change as much as the time.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hwc.files import write_text

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "docs" / "reports"
PROGRAM = "docs/examples/residual.mlir"
TARGETS = ("--targets", "accel,wide", "--vary", "lanes=8,16")
SHAPES = ("--shapes", "n=1..1000, d=64..1600:+64")
POINTS = 1000 * 25 * 4
KILLS = 10
PICTURE = (
    *("--shapes", "n=1..4096:*2, d=64,128,256,512,768,1024,60", "--targets", "accel,wide"),
    *("--vary", "lanes=4,8,16", "--vary", "axi_bits=128,256", "--workers", "1"),
)
WIDTH, HEIGHT = 1200, 2560


def command(folder: Path, *options: str, shapes: tuple[str, ...] = SHAPES) -> list[str]:
    """The command of the sweep."""
    hwc = [sys.executable, "-m", "hwc", "sweep", PROGRAM]
    return [*hwc, *shapes, *TARGETS, "-o", str(folder), *options]


def environment() -> dict[str, str]:
    """What the processes need to run this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run(arguments: list[str]) -> None:
    subprocess.run(arguments, cwd=ROOT, env=environment(), check=True, stdout=subprocess.DEVNULL)


def killed(folder: Path, seconds: float) -> int:
    """Start the sweep and kill it, ten times; return how often it was not finished yet."""
    rng = random.Random(0)
    kills = 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            command(folder, "--workers", "2"),
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
        )
        try:
            process.wait(rng.uniform(0.5, 1.5) * seconds / KILLS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        chunks = len(list((folder / "chunks").glob("*.parquet")))
        print(f"killed {kills} times, {chunks} chunks are finished", flush=True)
    run(command(folder, "--workers", "2"))
    return kills


@contextmanager
def by_hand(folder: Path) -> Iterator[str]:
    """A Dask scheduler and two workers; gives the address of the scheduler."""
    file = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    common = ["--no-dashboard", "--scheduler-file", str(file)]
    commands = [
        [*dask, "scheduler", "--port", "0", *common],
        *[[*dask, "worker", "--nthreads", "1", *common]] * 2,
    ]
    processes = [
        subprocess.Popen(c, cwd=folder, env=environment(), stderr=subprocess.DEVNULL)
        for c in commands
    ]
    try:
        while not file.exists():
            time.sleep(0.1)
        text = file.read_text()
        yield next(part for part in text.split('"') if part.startswith("tcp://"))
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def measure() -> list[str]:
    """Run the three sweeps; return the lines of the report."""
    rows: list[str] = []
    tables: list[bytes] = []
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)

        def note(name: str, folder: Path, began: float, used: float) -> float:
            tables.append((folder / "table.parquet").read_bytes())
            seconds, processor = time.monotonic() - began, cpu() - used
            same = "the same" if tables[-1] == tables[0] else "DIFFERENT"
            rows.append(
                f"| {name} | {seconds:.0f} s | {POINTS / seconds:.0f} | {processor:.0f} s "
                f"| {same if len(tables) > 1 else f'{len(tables[0]):,} bytes'} |"
            )
            print(rows[-1], flush=True)
            return seconds

        began, used = time.monotonic(), cpu()
        run(command(base / "whole", "--workers", "2"))
        seconds = note("two workers of its own", base / "whole", began, used)
        page = (base / "whole" / "index.html").stat().st_size
        began, used = time.monotonic(), cpu()
        kills = killed(base / "killed", seconds)
        note(f"the same, killed {kills} times and resumed", base / "killed", began, used)
        began, used = time.monotonic(), cpu()
        with by_hand(base) as address:
            run(command(base / "hand", "--scheduler", address))
        note("a Dask scheduler and two workers by hand", base / "hand", began, used)
    if len(set(tables)) > 1:
        sys.exit("error: the tables differ")
    return [*rows, "", f"The page has {page / 1e6:.1f} MB."]


def cpu() -> float:
    """Processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(lines: list[str]) -> str:
    return "\n".join(
        [
            "# A sweep of 100,000 points",
            "",
            "Written by `python tests/bench/sweep.py --write`, on "
            f"{len(os.sched_getaffinity(0))} processors: [residual.mlir](../examples/residual.mlir)"
            f" for 25,000 shapes (`{SHAPES[1]}`) on four targets (`{' '.join(TARGETS)}`).",
            "",
            "| run | time | points per second | processor time | table |",
            "|---|---|---|---|---|",
            *lines,
            "",
        ]
    )


def picture() -> None:
    """Take the picture of a page."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("error: the picture needs chromium: apt-get install chromium")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "sweep"
        run([sys.executable, "-m", "hwc", "sweep", PROGRAM, *PICTURE, "-o", str(folder)])
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=8000"]
        options += [f"--screenshot={REPORTS / 'sweep.png'}"]
        page = [chromium, *options, f"file://{folder}/index.html"]
        subprocess.run(page, check=True, stderr=subprocess.DEVNULL)
    print(f"see {REPORTS / 'sweep.png'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/reports/sweep.md")
    parser.add_argument("--picture", action="store_true", help="only take the picture")
    args = parser.parse_args()
    if args.picture:
        picture()
        return
    text = report(measure())
    print(text)
    if args.write:
        write_text(REPORTS / "sweep.md", text)


if __name__ == "__main__":
    main()
