"""`hwc cosim`: run a package on the simulator and on the hardware, and compare everything."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hwc.cli import values
from hwc.cli.options import count
from hwc.cli.random_shapes import random_shapes
from hwc.errors import MachineError, UserError

BAR = 30
PAINTS = 4
"""How often a second the bar is painted anew, at most."""

AFTER = 300
"""Cycles of a waveform beyond those where the two have parted."""
WAVES = (".vcd", ".fst")
_RECORD = "waves.vcd"
_KEPT = re.compile(rf"(simulator|hardware)\.txt|input\d+\.npy|{re.escape(_RECORD)}")
"""What a run that differs leaves in its folder, so also what one before may have left there."""

_CLEAR = "\r\033[K"


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cosim",
        help="run a package on simulator and hardware, side by side",
        description="Run a package on the simulator and on the hardware (SystemVerilog, simulated "
        "by Verilator), and compare memory, cycles, every counter, every strip of every engine, "
        "and faults. The hardware is built on first use for the package's target and a size of "
        "memory (1 MiB, 2 MiB, 4 MiB ...), which takes minutes. Of the first run that differs, "
        "inputs, both traces and, unless --waves names one, a waveform are kept.",
        epilog=f"Values: {values.SYNTAX}. Exit code: 0; 1 on an error or a difference.",
    )
    parser.add_argument("package", metavar="PACKAGE", help="a .hwx file")
    parser.add_argument(
        "--input", action="append", default=[], metavar="VALUE", help="an argument, in order"
    )
    parser.add_argument(
        "--random-shapes",
        type=_runs,
        default=0,
        metavar="N",
        help="run N times with random shapes that fit, many sizes 1, and random values",
    )
    parser.add_argument("--seed", type=count, default=0, help="of everything random (default 0)")
    parser.add_argument(
        "--waves",
        metavar="FILE",
        help="write a waveform of all runs: x.vcd, or x.fst, which is smaller and needs the header "
        "lz4.h (Debian, Ubuntu: liblz4-dev). Hardware that is started again, because it has "
        "broken down or needs more memory, writes x-2.vcd, and so on",
    )
    parser.add_argument(
        "--keep",
        metavar="FOLDER",
        help="where to keep what is kept of a run that differs, in place of what an earlier one "
        "left there (default: PACKAGE.cosim in the current folder)",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc import package as hwx  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.program import Program  # noqa: PLC0415 - as above
    from hwc.runtime.rtl_device import Lockstep  # noqa: PLC0415 - as above

    package = hwx.load(args.package)
    waves, keep = _waves(args.waves), _keep(args.keep, args.package)
    progress = _Progress(max(1, bool(args.input) + args.random_shapes))
    device = Lockstep(Program(package).target, waves, progress.within)
    program = Program(package, device)
    first: list[Any] | None = None
    try:
        for number, arguments in enumerate(_calls(args, program)):
            progress.begin(number)
            device.earlier = device.dispatches
            found = _run(program, arguments, device.differences)
            shapes = ", ".join("x".join(map(str, np.shape(a))) or "scalar" for a in arguments)
            for text in found:
                _say(f"error: run {number} (shapes {shapes}): {text}")
            if first is None and device.differences:
                first = arguments
        progress.end()
    finally:
        device.close()
        progress.leave()
    failed = first is not None
    if first is not None:
        try:
            _keep_run(args.package, package, keep, first, device)
        except UserError as error:
            _say(str(error))
    for path in device.hardware.waveforms:
        if not _written(path):
            failed = True
            _say(f"--waves {args.waves}: error: no waveform was written to {path}")
    if len(device.hardware.waveforms) > 1:
        _say(f"waveforms, in order: {', '.join(map(str, device.hardware.waveforms))}")
    differences = len(device.differences)
    verdict = _number(differences, "difference") if differences else "no difference"
    dispatches, cycles = _number(device.dispatches, "dispatch"), _number(device.cycles, "cycle")
    print(f"{dispatches}, {cycles} compared on target {program.target.name}: {verdict}")
    return 1 if failed else 0


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}{'es' if what[-1] == 'h' else 's'}"


def _runs(text: str) -> int:
    number = count(text)
    if not number:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, came {text!r}")
    return number


def _waves(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if path.suffix not in WAVES:
        raise UserError(f"--waves {name}: error: expected a name that ends in .vcd or .fst")
    _need_folder("--waves", path.resolve().parent)
    try:
        new = not path.exists()
        path.open("ab").close()
        if new:  # it is written when the hardware starts
            path.unlink()
    except OSError as error:
        raise UserError(f"--waves {name}: error: cannot be written: {error.strerror}") from error
    return path


def _keep(name: str | None, package: str) -> Path:
    path = Path(Path(package).stem + ".cosim" if name is None else name)
    _need_folder("--keep", path.resolve().parent)
    if path.exists() and not path.is_dir():
        raise UserError(f"--keep: error: {path} is a file; name another folder")
    return path


def _need_folder(option: str, path: Path) -> None:
    if not path.is_dir():
        raise UserError(f"{option}: error: there is no folder {path}; make it first")


def _run(program: Any, arguments: Sequence[Any], differences: list[str]) -> list[str]:
    """Run the program; returns what is new among the differences.

    Raises:
        MachineError: the machine refused it, and there is no difference.
    """
    before = len(differences)
    try:
        program(*arguments)
    except MachineError:
        if len(differences) == before:
            raise
    return differences[before:]


def _keep_run(name: str, package: Any, keep: Path, arguments: Sequence[Any], device: Any) -> None:
    """Keep what the first run that differs was, and say how to see it again.

    Raises:
        UserError: the folder cannot be written.
    """
    try:
        keep.mkdir(exist_ok=True)
        for path in keep.iterdir():
            if _KEPT.fullmatch(path.name):
                path.unlink()
        for which, table in device.traces.items():
            (keep / f"{which}.txt").write_text(table, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--keep: error: cannot write to {keep}: {error.strerror}") from error
    for number, array in enumerate(arguments):
        values.write_npy(str(keep / f"input{number}.npy"), np.asarray(array))
    kept = [f"{which}.txt" for which in device.traces]
    assert device.first is not None
    place = device.first[0], device.first[1] + AFTER
    if not device.hardware.waveforms and _record(package, keep / _RECORD, arguments, place):
        kept.append(_RECORD)
    again = "".join(
        f" --input {shlex.quote(f'@{keep}/input{i}.npy')}" for i in range(len(arguments))
    )
    _say(f"kept in {keep}: {', '.join(kept)} of the first run that differs; to see it again:")
    _say(f"  hwc cosim {shlex.quote(name)}{again}")


def _record(package: Any, waves: Path, arguments: Sequence[Any], place: tuple[int, int]) -> bool:
    """Run it once more with a waveform up to a dispatch and its cycle; whether there is one."""
    from hwc.runtime.program import Program  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.rtl_device import Recorded, Recorder  # noqa: PLC0415 - as above

    device = Recorder(Program(package).target, waves, *place)
    try:
        Program(package, device)(*arguments)
    except Recorded:
        pass
    except UserError as error:
        _say(f"no waveform: {error}")
        return False
    finally:
        device.close()
    if not _written(waves):
        _say(f"no waveform: the hardware has written nothing to {waves}")
    return _written(waves)


def _written(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _calls(args: argparse.Namespace, program: Any) -> Iterator[list[Any]]:
    """Yield the arguments of every run."""
    inputs = program.inputs
    if len(args.input) != len(inputs) and (args.input or not args.random_shapes):
        names = ", ".join(f"%{t.name}: {t}" for t in inputs) or "the program takes nothing"
        raise UserError(
            f"hwc cosim: error: came {_number(len(args.input), 'value')} for "
            f"{_number(len(inputs), 'argument')}: give --input {_number(len(inputs), 'time')} "
            f"({names}) or --random-shapes N"
        )
    if args.input or not args.random_shapes:
        yield [
            values.parse(
                text,
                inputs[i].type if i < len(inputs) else None,
                np.random.default_rng([args.seed, i]),
            )
            for i, text in enumerate(args.input)
        ]
    for number in range(args.random_shapes):
        rng = np.random.default_rng([args.seed, number, len(inputs)])
        shapes = random_shapes(program.package, program.target, rng)
        yield [values.random_array(s, t.type, rng) for s, t in zip(shapes, inputs, strict=True)]


class _Progress:
    """Shows on a terminal how far it is: runs, and how much of one the hardware has done."""

    def __init__(self, of: int) -> None:
        self._of = of
        self._number = 0
        self._painted = 0.0
        self._open = False  # a line without an end is there

    def begin(self, number: int) -> None:
        """Begin the run with a number from 0; the first says nothing if it is the only one."""
        self._number = number
        if self._of > 1:
            self._paint(number, "")

    def within(self, cycles: int, expected: int) -> None:
        """In a run, the hardware has simulated so many cycles of a dispatch."""
        if time.monotonic() - self._painted > 1 / PAINTS:
            share = min(cycles / expected, 1.0)
            self._paint(self._number + share, f", cycle {cycles:,} of {expected:,}")

    def end(self) -> None:
        """All runs are done."""
        if self._of > 1 or self._open:
            self._paint(self._of, "")

    def leave(self) -> None:
        """Nothing more is shown."""
        if self._open:
            print(file=sys.stderr, flush=True)

    def _paint(self, done: float, text: str) -> None:
        if sys.stderr.isatty():
            self._open = True
            self._painted = time.monotonic()
            filled = int(BAR * done / self._of)
            bar = "#" * filled + "." * (BAR - filled)
            line = f"{_CLEAR}[{bar}] {int(done)}/{self._of}{text}"
            print(line, end="", file=sys.stderr, flush=True)


def _say(text: str) -> None:
    """Write a line to standard error, in place of a bar that is there."""
    print((_CLEAR if sys.stderr.isatty() else "") + text, file=sys.stderr, flush=True)
