"""Runs one case of the lockstep tests again and shows it: a random dispatch, or a program.

PYTHONPATH=.:tests python -m lockstep.replay random TARGET SEED [--kernels=N --points=N --body=N
    --spoiled=0 or 1 --drop=2,4-6 --word=7:0x2] [--waves=FILE.vcd]
PYTHONPATH=.:tests python -m lockstep.replay program TARGET NAME --shapes=4x1,1x5 --seed=N
    [--wrong=KIND] [--waves=FILE.vcd]
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from lockstep import cases, programs, support
from lockstep.shrink import edited, from_options

from hwc.errors import UserError
from hwc.runtime.lockstep import Lockstep
from isa.disasm import disassemble
from isa.target import load_target
from rtl_models.tb.random_dispatches import Limits


def random(args: argparse.Namespace) -> list[str]:
    """Play a random dispatch."""
    limits = Limits(args.kernels, args.points, args.body, bool(args.spoiled))
    pair = Lockstep(load_target(args.target), args.waves)
    dispatch = support.drawn(pair.target, args.seed, limits)
    dispatch = edited(dispatch, from_options(args.drop, args.word))
    print(disassemble(dispatch.words))
    print("packet", *map(hex, dispatch.packet))
    outcome, differences = support.play(pair, dispatch)
    pair.close()
    print("fault", outcome.fault, "cycles", outcome.counters["cycles"])
    return differences


def program(args: argparse.Namespace) -> list[str]:
    """Play a program."""
    (text,) = [text for text in programs.texts() if text.name == args.name]
    package = programs.package(text, args.target)
    print(text.text)
    pair = Lockstep(load_target(args.target), args.waves)
    differences = cases.play(pair, package, args.shapes, args.seed, args.wrong)
    pair.close()
    return differences


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(description=__doc__)
    commands = top.add_subparsers(required=True)
    one = commands.add_parser("random")
    one.add_argument("target")
    one.add_argument("seed", type=int)
    for field in dataclasses.fields(Limits):
        one.add_argument(f"--{field.name}", type=int, default=int(field.default))
    one.add_argument("--drop", default="")
    one.add_argument("--word", action="append", default=[])
    one.set_defaults(function=random)
    two = commands.add_parser("program")
    two.add_argument("target")
    two.add_argument("name")
    two.add_argument("--shapes", type=cases.from_text, default=[])
    two.add_argument("--seed", type=int, default=0)
    two.add_argument("--wrong", default="", choices=("", *cases.WRONG))
    two.set_defaults(function=program)
    for command in (one, two):
        command.add_argument("--waves", type=Path)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 if there is a difference."""
    args = parser().parse_args(arguments)
    try:
        differences = args.function(args)
    except UserError as error:
        differences = [str(error)]
    print(*differences or ["no difference"], sep="\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
