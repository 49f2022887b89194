"""Runs one random dispatch again and shows it.

PYTHONPATH=.:tests python -m lockstep.replay TARGET SEED
    [--kernels=N --points=N --body=N --spoiled=0 or 1] [--waves=FILE.fst]
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

from lockstep.generator import Generator, Limits
from lockstep.support import play

from hwc.runtime.rtl_device import Lockstep
from isa.disasm import disassemble
from isa.target import load_target


def main() -> int:
    """Run it; 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target")
    parser.add_argument("seed", type=int)
    for field in dataclasses.fields(Limits):
        parser.add_argument(f"--{field.name}", type=int, default=int(field.default))
    parser.add_argument("--waves", type=Path)
    args = parser.parse_args()
    limits = Limits(args.kernels, args.points, args.body, bool(args.spoiled))
    pair = Lockstep(load_target(args.target), args.waves)
    dispatch = Generator(pair.target, args.seed, limits).draw()
    print(disassemble(dispatch.words))
    print("packet", *map(hex, dispatch.packet))
    outcome, differences = play(pair, dispatch)
    pair.close()
    print(outcome)
    print(*differences or ["no difference"], sep="\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
