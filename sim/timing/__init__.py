"""The timing model: cycles and counters of a kernel from its description alone.

docs/timing.md is the specification of the model, and the contract of the RTL. Timing never changes
a result, and results never change timing: timing depends only on shapes, types, addresses and the
body.

`contract` is the recurrence over strips, in the terms of the document. The inputs of the recurrence
come from `strips` (the streams) and `body` (the vector pipe). `walk` takes a kernel from its first
strip to its last; `steady` finds strips whose times need no evaluation because they repeat.
"""

from sim.timing.dispatch import load_cycles, setup_cycles, shape_cycles, word_cycles
from sim.timing.sequence import AtWork, take_over
from sim.timing.walk import kernel_time, kernel_times

__all__ = [
    "AtWork",
    "kernel_time",
    "kernel_times",
    "load_cycles",
    "setup_cycles",
    "shape_cycles",
    "take_over",
    "word_cycles",
]
