"""`hwc cosim`: run a package on the simulator and on the hardware, and compare everything."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hwc.cli import values
from hwc.cli.options import count
from hwc.errors import DispatchError, UserError
from hwc.package import Package
from isa.target import Target

MAX_POINTS = 1 << 14
"""Points of random shapes, at most; the hardware is simulated at some 10,000 cycles a second."""

TRIES = 500
BAR = 30


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cosim",
        help="run a package on simulator and hardware, side by side",
        description="Run a package on the simulator and on the hardware (SystemVerilog, simulated "
        "by Verilator), and compare memory, cycles, every counter, every strip of every engine, "
        "and faults. The hardware is built for the package's target on first use.",
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
        "--traces",
        metavar="FOLDER",
        help="write what engines did with strips, of dispatches that differ, by simulator and by "
        "hardware",
    )
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc import package as hwx  # noqa: PLC0415 - `hwc --help` needs none of this
    from hwc.runtime.program import Program  # noqa: PLC0415
    from hwc.runtime.rtl_device import Lockstep  # noqa: PLC0415

    package = hwx.load(args.package)
    target = Target.from_dict(dict(package.target), where=args.package)
    waves = None if args.waves is None else Path(args.waves)
    traces = None if args.traces is None else Path(args.traces)
    for option, path in (("--waves", waves and waves.resolve().parent), ("--traces", traces)):
        if path is not None and not path.is_dir():
            raise UserError(f"{option}: error: there is no folder {path}; make it first")
    device = Lockstep(target, waves, traces)
    program = Program(package, device)
    try:
        for number, arguments in enumerate(_calls(args, program)):
            before = len(device.differences)
            program(*arguments)
            shapes = ", ".join("x".join(map(str, a.shape)) or "scalar" for a in arguments)
            for text in device.differences[before:]:
                print(f"error: run {number} (shapes {shapes}): {text}", file=sys.stderr)
    finally:
        device.close()
    verdict = f"{len(device.differences)} differences" if device.differences else "no difference"
    print(
        f"{device.dispatches} dispatches, {device.cycles} cycles compared on target "
        f"{target.name}: {verdict}"
    )
    return 1 if device.differences else 0


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


def random_shapes(
    package: Package, target: Target, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Draw sizes for every argument that the shape program accepts, many of them 1.

    Raises:
        UserError: none was found.
    """
    lanes, vlen = target.lanes, target.vlen
    sizes = (1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 3, 17, vlen - 1, vlen, vlen + 1)
    for _ in range(TRIES):
        shapes = _draw(package, sizes, rng)
        try:
            package.shape_program.evaluate(package.inputs, shapes)
        except DispatchError:
            continue
        return shapes
    raise UserError(
        f"--random-shapes: error: found no shapes that fit in {TRIES} tries; give them with --input"
    )


def _draw(
    package: Package, sizes: Sequence[int], rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Sizes that broadcast with each other, dimension by dimension from the innermost."""
    wide: dict[int, int] = {}
    for tensor in package.inputs:
        for place, size in enumerate(reversed(tensor.shape)):
            if isinstance(size, int) and size != 1:
                wide[place] = size
    room = MAX_POINTS
    for place in range(max((len(t.shape) for t in package.inputs), default=0)):
        if place not in wide:
            wide[place] = int(rng.choice([s for s in sizes if 0 < s <= room]))
        room = max(1, room // max(1, wide[place]))
    ones = rng.choice((0.0, 0.2, 0.5))
    drawn: dict[str, int] = {}
    shapes: list[tuple[int, ...]] = []
    for tensor in package.inputs:
        shape: list[int] = []
        for place, size in zip(range(len(tensor.shape) - 1, -1, -1), tensor.shape, strict=True):
            if isinstance(size, str):
                shape.append(drawn.setdefault(size, 1 if rng.random() < ones else wide[place]))
            else:
                shape.append(size)
        shapes.append(tuple(shape))
    return shapes


def _progress(done: int, of: int) -> None:
    """Show how far it is, on a terminal."""
    if sys.stderr.isatty():
        filled = BAR * done // of
        end = "\n" if done == of else ""
        bar = "#" * filled + "." * (BAR - filled)
        print(f"\r[{bar}] {done}/{of}", end=end, file=sys.stderr, flush=True)
