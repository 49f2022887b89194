"""`hwc cosim`: runs a package on the simulator and on the hardware, and compares everything."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hwc.cli import values
from hwc.cli.options import add_input, count, positive
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import (
    add_program,
    given_package,
    program_again,
    program_files,
)
from hwc.cli.random_shapes import random_shapes
from hwc.cli.texts import STANDARD, check_files
from hwc.cli.verbosity import clear_progress
from hwc.errors import MachineError, UserError, diagnostic
from isa.progress import Task

AFTER = 300
"""The number of cycles that a waveform continues after the first difference."""
WAVES = (".vcd", ".fst")
_RECORD = "waves.vcd"
_KEPT = re.compile(rf"(simulator|hardware)\.txt|input\d+\.npy|{re.escape(_RECORD)}")
"""The files that a run with a difference leaves in the folder; the next such run replaces them."""

NOT_COMPARED = 3
"""The exit code if the hardware could not be simulated in a run, and nothing else is wrong."""


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cosim",
        help="run a package on the simulator and on the hardware, and compare",
        description="Run a package on the simulator and on the hardware (SystemVerilog, simulated "
        "by Verilator), and compare memory, cycles, every counter, every strip of every engine, "
        "and faults. The hardware is built on first use for the target of the package, and once "
        "more for waveforms, which takes minutes. The inputs, both traces "
        "and a waveform of the first run with a difference are kept (no waveform if --waves names "
        "one).",
        epilog=f"Values: {values.SYNTAX}. The exit code is 0 if everything was compared and is "
        f"equal, 1 after an error or a difference, {NOT_COMPARED} if no difference was found but a "
        "run could not be compared to its end (the disk was full, or the hardware's process was "
        "killed), and 130 after Ctrl-C, which ends the runs; a summary of what was compared is "
        "always printed.",
    )
    add_program(parser)
    add_input(parser)
    parser.add_argument(
        "--random-shapes",
        type=positive,
        default=0,
        metavar="N",
        help="run N times with random values of random shapes that fit; many sizes are 1",
    )
    parser.add_argument(
        "--seed", type=count, default=0, help="seed of all random choices (default 0)"
    )
    add_plan(parser, "follow this plan in every run, not the one with the fewest cycles")
    parser.add_argument(
        "--waves",
        metavar="FILE",
        help="write a waveform of all runs: x.vcd, or x.fst, which is smaller and needs the header "
        "lz4.h (Debian, Ubuntu: liblz4-dev). If the hardware has to be started again, after a "
        "crash or for more memory, it writes x-2.vcd, and so on",
    )
    parser.add_argument(
        "--keep",
        metavar="FOLDER",
        help="folder for the files of a run with a difference; files of an earlier run are "
        "replaced (default: PACKAGE.cosim in the current folder)",
    )
    parser.set_defaults(function=execute)


@dataclass
class _Done:
    """The progress so far; `kept` is true once the files of a run with a difference were kept."""

    runs: int = 0
    not_compared: int = 0
    kept: bool = False
    failed: bool = False


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc.runtime.lockstep import Lockstep  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.program import Program  # noqa: PLC0415 - as above

    check_files(program_files(args) | {"--input": values.files(args.input)}, {})
    package = given_package(args)
    given_plan(package, args.plan)
    waves, keep = _waves(args.waves), _keep(args.keep, args.package)
    runs = max(1, bool(args.input) + args.random_shapes)
    device = Lockstep(Program(package).target, waves)
    program = Program(package, device)
    done = _Done()
    interrupt: KeyboardInterrupt | None = None
    try:
        with Task("comparing", runs, "runs") as comparing:
            for arguments in _calls(args, program):
                _run(args, program, arguments, device, done)
                if device.differences and not done.kept:
                    done.kept = True
                    _keep_run(args, package, keep, arguments, device)
                done.runs += 1
                comparing.advance()
    except KeyboardInterrupt as stopped:
        interrupt = stopped
    except UserError as error:
        if not done.runs:
            raise
        done.failed = True
        _say(diagnostic(error, "hwc"))
    finally:
        device.close()
    _check_waveforms(args, device, done)
    for line in _summary(device, done, program.target.name):
        print(line)
    if interrupt is not None:
        print(f"interrupted after {done.runs} of {_number(runs, 'run')}")
        raise interrupt
    if done.failed or device.differences:
        return 1
    return NOT_COMPARED if done.not_compared else 0


def _summary(device: Any, done: _Done, target: str) -> Iterator[str]:
    """Yield lines that say what was compared and what was not."""
    differences = len(device.differences)
    verdict = _number(differences, "difference") if differences else "no difference"
    dispatches, cycles = _number(device.dispatches, "dispatch"), _number(device.cycles, "cycle")
    yield f"{dispatches}, {cycles} compared on target {target}: {verdict}"
    if done.not_compared:
        yield f"{_number(done.not_compared, 'run')} not compared to the end: see the errors"


def _check_waveforms(args: argparse.Namespace, device: Any, done: _Done) -> None:
    for path in device.hardware.waveforms:
        if not _written(path):
            done.failed = True
            _say(f"--waves {args.waves}: error: no waveform was written to {path}")
    if len(device.hardware.waveforms) > 1:
        _say(f"waveforms, in order: {', '.join(map(str, device.hardware.waveforms))}")


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}{'es' if what[-1] == 'h' else 's'}"


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
        if new:  # the file is written when the hardware starts
            path.unlink()
    except OSError as error:
        raise UserError(f"--waves {name}: error: cannot be written: {error.strerror}") from error
    return path


def _keep(name: str | None, package: str) -> Path:
    stem = "hwc" if package == STANDARD else Path(package).stem
    path = Path(f"{stem}.cosim" if name is None else name)
    _need_folder("--keep", path.resolve().parent)
    if path.exists() and not path.is_dir():
        raise UserError(f"--keep: error: {path} is a file; name another folder")
    return path


def _need_folder(option: str, path: Path) -> None:
    if not path.is_dir():
        raise UserError(f"{option}: error: there is no folder {path}; create it first")


def _run(
    args: argparse.Namespace, program: Any, arguments: Sequence[Any], device: Any, done: _Done
) -> None:
    """Run the program; report what differs, or why the run could not be compared.

    Raises:
        MachineError: simulator and hardware refused the dispatch in the same way.
    """
    from hwc.runtime.lockstep import NotComparedError  # noqa: PLC0415 - as above

    device.earlier = device.dispatches
    before = len(device.differences)
    problems: list[str] = []
    try:
        program(*arguments, plan=args.plan)
    except MachineError:
        if len(device.differences) == before:
            raise
    except NotComparedError as error:
        done.not_compared += 1
        problems.append(str(error))
    shapes = ", ".join("x".join(map(str, np.shape(a))) or "scalar" for a in arguments)
    for text in (*device.differences[before:], *problems):
        _say(f"error: run {done.runs} (shapes {shapes}): {text}")


def _keep_run(
    args: argparse.Namespace, package: Any, keep: Path, arguments: Sequence[Any], device: Any
) -> None:
    """Keep the files of the first run with a difference, and print the command that repeats it.

    If the folder cannot be written, print that instead.
    """
    try:
        _write_run(keep, arguments, device)
    except UserError as error:
        _say(str(error))
        return
    kept = [f"{which}.txt" for which in device.traces]
    assert device.first is not None
    dispatch, cycle = device.first
    recorded = not device.hardware.waveforms and _record(
        package, keep / _RECORD, arguments, args.plan, dispatch, cycle + AFTER
    )
    if recorded:
        kept.append(_RECORD)
    again = "".join(
        f" --input {shlex.quote(f'@{keep}/input{i}.npy')}" for i in range(len(arguments))
    )
    again += "" if args.plan is None else f" --plan {shlex.quote(args.plan)}"
    _say(f"kept in {keep}: {', '.join(kept)} of the first run with a difference; to repeat it:")
    _say(f"  hwc cosim {program_again(args)}{again}")


def _write_run(keep: Path, arguments: Sequence[Any], device: Any) -> None:
    """Write the traces and inputs of the first run with a difference.

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


def _record(  # noqa: PLR0917 - what to run, and where to stop
    package: Any,
    waves: Path,
    arguments: Sequence[Any],
    plan: str | None,
    dispatch: int,
    cycle: int,
) -> bool:
    """Run again with a waveform up to a cycle of a dispatch; return whether it was written."""
    from hwc.runtime.program import Program  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.recorder import Recorded, Recorder  # noqa: PLC0415 - as above

    device = Recorder(Program(package).target, waves, dispatch, cycle)
    try:
        Program(package, device)(*arguments, plan=plan)
    except Recorded:
        pass
    except UserError as error:
        _say(f"no waveform: {error}")
        return False
    finally:
        device.close()
    if not _written(waves):
        _say(f"no waveform: the hardware wrote nothing to {waves}")
    return _written(waves)


def _written(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _calls(args: argparse.Namespace, program: Any) -> Iterator[list[Any]]:
    """Yield the arguments of every run."""
    inputs = program.inputs
    if len(args.input) != len(inputs) and (args.input or not args.random_shapes):
        names = ", ".join(f"%{t.name}: {t}" for t in inputs) or "the program has no arguments"
        raise UserError(
            f"hwc cosim: error: got {_number(len(args.input), 'value')} for "
            f"{_number(len(inputs), 'argument')}: use --input {_number(len(inputs), 'time')} "
            f"({names}), or --random-shapes N"
        )
    if args.input or not args.random_shapes:
        yield values.arguments(args.input, program, args.seed, args.plan)
    for number in range(args.random_shapes):
        rng = np.random.default_rng([args.seed, number, len(inputs)])
        shapes = random_shapes(program.package, program.target, rng)
        yield [values.random_array(s, t.type, rng) for s, t in zip(shapes, inputs, strict=True)]


def _say(text: str) -> None:
    """Write a line to standard error; it replaces progress."""
    clear_progress()
    print(text, file=sys.stderr, flush=True)
