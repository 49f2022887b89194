"""`hwc cosim`: run a package on the simulator and on the hardware, and compare everything."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hwc.cli import values
from hwc.cli.options import count
from hwc.cli.random_shapes import random_shapes
from hwc.errors import MachineError, UserError

BAR = 30
AFTER = 300
"""Cycles of a waveform beyond those where the two have parted."""
WAVES = (".vcd", ".fst")
_CLEAR = "\r\033[K"


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cosim",
        help="run a package on simulator and hardware, side by side",
        description="Run a package on the simulator and on the hardware (SystemVerilog, simulated "
        "by Verilator), and compare memory, cycles, every counter, every strip of every engine, "
        "and faults. The hardware is built for the package's target on first use. Of the first "
        "run that differs, inputs, both traces and a waveform are kept.",
        epilog=f"Values: {values.SYNTAX}. Exit code: 0; 1 on an error or a difference.",
    )
    parser.add_argument("package", metavar="PACKAGE", help="a .hwx file")
    parser.add_argument(
        "--input", action="append", default=[], metavar="VALUE", help="an argument, in order"
    )
    parser.add_argument(
        "--random-shapes",
        type=count,
        default=0,
        metavar="N",
        help="run N times with random shapes that fit, many sizes 1, and random values",
    )
    parser.add_argument("--seed", type=count, default=0, help="of everything random (default 0)")
    parser.add_argument(
        "--waves",
        metavar="FILE",
        help="write a waveform of all runs: x.vcd, or x.fst, which is smaller and needs the header "
        "lz4.h (Debian, Ubuntu: liblz4-dev)",
    )
    parser.add_argument(
        "--keep",
        metavar="FOLDER",
        help="where to keep what is kept of a run that differs (default: PACKAGE.cosim in the "
        "current folder)",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc import package as hwx  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.program import Program  # noqa: PLC0415 - as above
    from hwc.runtime.rtl_device import Lockstep  # noqa: PLC0415 - as above

    package = hwx.load(args.package)
    waves, keep = _waves(args.waves), _keep(args.keep, args.package)
    device = Lockstep(Program(package).target, waves, keep)
    program = Program(package, device)
    first: list[Any] | None = None
    before = 0  # dispatches of the runs in front of that one
    try:
        for number, arguments in enumerate(_calls(args, program)):
            found = _run(program, arguments, device.differences)
            shapes = ", ".join("x".join(map(str, np.shape(a))) or "scalar" for a in arguments)
            for text in found:
                _say(f"error: run {number} (shapes {shapes}): {text}")
            if first is None and device.differences:
                first = arguments
            if first is None:
                before = device.dispatches
    finally:
        device.close()
    if first is not None:
        _keep_inputs(keep, first)
        again = _inputs(keep, len(first))
        kept = ["simulator.txt", "hardware.txt"]
        assert device.first is not None
        place = device.first[0] - before, device.first[1] + AFTER
        if waves is None and _record(package, keep, first, place):
            kept.append("waves.vcd")
        _say(f"kept in {keep}: {', '.join(kept)} of the first run that differs; to see it again:")
        _say(f"  hwc cosim {shlex.quote(args.package)}{again}")
    differences = len(device.differences)
    verdict = (
        f"{differences} difference{'s' * (differences != 1)}" if differences else "no difference"
    )
    print(
        f"{device.dispatches} dispatches, {device.cycles} cycles compared on target "
        f"{program.target.name}: {verdict}"
    )
    return 1 if first is not None else 0


def _waves(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if path.suffix not in WAVES:
        raise UserError(f"--waves {name}: error: expected a name that ends in .vcd or .fst")
    _need_folder("--waves", path.resolve().parent)
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


def _record(package: Any, keep: Path, arguments: Sequence[Any], place: tuple[int, int]) -> bool:
    """Run it once more with a waveform up to a dispatch and its cycle; whether there is one."""
    from hwc.runtime.program import Program  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.rtl_device import Recorded, Recorder  # noqa: PLC0415 - as above

    device = Recorder(Program(package).target, keep / "waves.vcd", *place)
    try:
        Program(package, device)(*arguments)
    except Recorded:
        return True
    except UserError as error:
        _say(f"no waveform: {error}")
    finally:
        device.close()
    return False


def _keep_inputs(keep: Path, arguments: Sequence[Any]) -> None:
    for number, array in enumerate(arguments):
        values.write_npy(str(keep / f"input{number}.npy"), np.asarray(array))


def _inputs(keep: Path, number: int) -> str:
    """Return the options that give the inputs kept."""
    return "".join(f" --input {shlex.quote(f'@{keep}/input{i}.npy')}" for i in range(number))


def _calls(args: argparse.Namespace, program: Any) -> Iterator[list[Any]]:
    """Yield the arguments of every run."""
    inputs = program.inputs
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
        _progress(number, args.random_shapes)
        rng = np.random.default_rng([args.seed, number, len(inputs)])
        shapes = random_shapes(program.package, program.target, rng)
        yield [values.random_array(s, t.type, rng) for s, t in zip(shapes, inputs, strict=True)]
    if args.random_shapes:
        _progress(args.random_shapes, args.random_shapes)


def _progress(done: int, of: int) -> None:
    """Show how far it is, on a terminal."""
    if sys.stderr.isatty():
        filled = BAR * done // of
        end = "\n" if done == of else ""
        bar = "#" * filled + "." * (BAR - filled)
        print(f"\r[{bar}] {done}/{of}", end=end, file=sys.stderr, flush=True)


def _say(text: str) -> None:
    """Write a line to standard error, in place of a bar that is there."""
    print((_CLEAR if sys.stderr.isatty() else "") + text, file=sys.stderr, flush=True)
