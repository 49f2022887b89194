"""Share of the roofline that additions of 1 Mi elements reach, on the named targets.

    python tests/bench/roofline.py

The programs are written in assembly. The roofline of a run is the largest of bytes read and bytes
written per bus width and the beats of the lanes and of special functions. Exit code 1 if a share is
below 95 %.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from hwc.runtime.roofline import ideal_cycles
from isa.asm import assemble
from isa.dispatch import Job
from isa.load import load
from isa.target import Target, load_target
from sim.machine import Machine
from sim.memory import Memory

ROWS = COLUMNS = 1024
LEAST = 0.95
PROGRAM, PACKET, DATA = 0x1000, 0x2000, 0x3000
TYPES = {"f32": "add.f32", "i16": "add.i16", "i8": "add.i8"}
SECOND = {
    "dense": (ROWS, COLUMNS),
    "row": (1, COLUMNS),
    "column": (ROWS, 1),
    "scalar": (1, 1),
}


def program(kind: str, second: Sequence[int]) -> list[int]:
    """Words of an addition of a matrix and a second operand."""
    text = ""
    shapes = (ROWS, COLUMNS), second, (ROWS, COLUMNS)
    for parameter, (stream, shape) in enumerate(zip(("s0", "s1", "o0"), shapes, strict=True)):
        text += f"base {stream}, {kind}, rank=2, p{parameter}, +0\n"
        text += f"size {stream}, 0, #{shape[0]}\nsize {stream}, 1, #{shape[1]}\n"
    return assemble(f"{text}loop\n{TYPES[kind]} o0, s0, s1\nend\nhalt\n")


def measure(target: Target, kind: str, second: Sequence[int], skew: int) -> tuple[int, int, float]:
    """Cycles, ideal cycles, bytes read per byte of the operands.

    Operands start `skew` elements past a page. An operand is read more than once if the block that
    repeats does not fit a ring: a row of 1024 f32 elements is twice the ring of `tiny`.
    """
    size = load().types[kind].bytes
    nbytes = ROWS * COLUMNS * size
    memory = Memory(DATA + 4 * nbytes)
    addresses = [DATA + n * (nbytes + 4096) + skew * size for n in range(3)]
    words, packet = program(kind, second), [load().version, *addresses]
    for address, values in ((PROGRAM, words), (PACKET, packet)):
        memory.view(address, 8 * len(values)).view("<u8")[:] = np.array(values, np.uint64)
    window = DATA, memory.end // 4096 * 4096
    job = Job(PROGRAM, len(words), PACKET, len(packet), window)
    run = Machine(target).run(memory, job)
    assert run.fault is None, run.fault
    counters = run.counters
    own = nbytes + second[0] * second[1] * size
    return counters["cycles"], ideal_cycles(counters, target), counters["bytes_read"] / own


def main() -> int:
    """Print the table; returns the exit code."""
    print(f"additions of {ROWS}x{COLUMNS} elements; share = ideal cycles / cycles")
    print(f"{'target':8}{'type':6}{'second':8}{'skew':>5}{'reads':>8}{'ideal':>10}"
          f"{'cycles':>10}{'share':>9}")  # fmt: skip
    worst = 1.0
    for name in ("accel", "tiny", "wide"):
        target = load_target(name)
        for kind in TYPES:
            for pattern, second in SECOND.items():
                for skew in (0, 3):
                    cycles, ideal, read = measure(target, kind, second, skew)
                    worst = min(worst, ideal / cycles)
                    print(f"{name:8}{kind:6}{pattern:8}{skew:5}{read:8.3f}{ideal:10.0f}"
                          f"{cycles:10}{100 * ideal / cycles:8.2f}%")  # fmt: skip
    print(f"least share: {100 * worst:.2f} %, wanted: {100 * LEAST:.0f} %")
    return int(worst < LEAST)


if __name__ == "__main__":
    sys.exit(main())
