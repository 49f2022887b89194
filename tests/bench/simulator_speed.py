"""How long simulating an addition takes, beside NumPy's addition of the same arrays.

    python tests/bench/simulator_speed.py

One line for each target: the best times of paired runs, their ratios to NumPy's, simulated cycles
per second. Exit code 1 if a simulation with timing takes more than 10 times as long as NumPy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np

from isa.asm import assemble
from isa.dispatch import Job
from isa.load import load
from isa.target import load_target
from sim.machine import Machine
from sim.memory import Memory

ELEMENTS = 1 << 22
ROUNDS = 7
LIMIT = 10.0
PROGRAM, PACKET, DATA = 0x1000, 0x2000, 0x3000

TEXT = f"""
base s0, f32, rank=1, p0, +0
size s0, 0, #{ELEMENTS}
base s1, f32, rank=1, p1, +0
size s1, 0, #{ELEMENTS}
base o0, f32, rank=1, p2, +0
size o0, 0, #{ELEMENTS}
loop
add.f32 o0, s0, s1
end
halt
"""


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def main() -> int:
    """Measure all targets; returns the exit code."""
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(ELEMENTS).astype(np.float32) for _ in range(2))
    result = np.zeros_like(a)
    addresses = [DATA + n * a.nbytes for n in range(3)]
    words = assemble(TEXT)
    memory = Memory(DATA + 3 * a.nbytes)
    packet = [load().version, *addresses]
    for address, values in ((PROGRAM, words), (PACKET, packet)):
        memory.view(address, 8 * len(values)).view("<u8")[:] = values
    for address, array in zip(addresses, (a, b, result), strict=True):
        memory.view(address, a.nbytes).view("<f4")[:] = array

    window = DATA // 4096 * 4096, memory.end // 4096 * 4096
    job = Job(PROGRAM, len(words), PACKET, len(packet), window)
    print(f"f32 addition of {ELEMENTS} elements, best of {ROUNDS} paired runs")
    print(f"{'target':8}{'NumPy ms':>10}{'results ms':>12}{'+timing ms':>12}"
          f"{'ratio':>8}{'ratio':>8}{'cycles':>10}{'Mcycles/s':>11}")  # fmt: skip
    worst = 0.0
    for name in ("accel", "tiny", "wide"):
        machine = Machine(load_target(name))

        def run(with_timing: bool, machine: Machine = machine):
            return machine.run(memory, job, with_timing=with_timing)

        cycles = run(True).counters["cycles"]
        times = [
            (
                seconds(lambda: np.add(a, b, out=result)),
                seconds(lambda run=run: run(False)),
                seconds(lambda run=run: run(True)),
            )
            for _ in range(ROUNDS)
        ]
        numpy, functional, timed = (min(column) for column in zip(*times, strict=True))
        simulated = memory.view(addresses[2], a.nbytes).view("<f4")
        assert np.array_equal(simulated, result), "the simulator's sum is NumPy's"
        worst = max(worst, timed / numpy)
        print(f"{name:8}{numpy * 1e3:10.2f}{functional * 1e3:12.2f}{timed * 1e3:12.2f}"
              f"{functional / numpy:8.2f}{timed / numpy:8.2f}{cycles:10}"
              f"{cycles / timed / 1e6:11.1f}")  # fmt: skip
    print(f"worst ratio with timing: {worst:.2f}, allowed: {LIMIT:.0f}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
