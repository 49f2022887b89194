"""Bench of the stream path: plays kernels from memory to memory through it.

`stream_testbench.py` is the part that runs inside the RTL simulator, `sv/stream_bench.sv` the part
that is free running. With the bus outside, `axi_testbench.py` has cocotbext-axi's memory on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from isa.target import load_target
from rtl_models.tb import bench
from rtl_models.tb.bench import Bench
from rtl_models.tb.stream_cases import MEMORY_BASE, MEMORY_BYTES, Case, save, stimuli

EXTERNAL = "axi_bench"


def build(target_name: str, external_memory: bool = False) -> Bench:
    """Build the whole path for a target, with its memory or with the bus outside."""
    if external_memory:
        return bench.build(EXTERNAL, target_name)
    parameters = {
        "MemoryBase": f"64'd{MEMORY_BASE}",
        "MemoryWords": MEMORY_BYTES // load_target(target_name).axi_bytes,
    }
    return bench.build("stream_bench", target_name, parameters=parameters)


def play(bench: Bench, cases: Sequence[Case], seed: int, stalls: bool = False) -> None:
    """Run kernels one after another: every bit right; without stalls every cycle as well."""
    generator = np.random.default_rng(seed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "stimuli.bin").open("wb") as file:
            for case in cases:
                file.write(stimuli(bench.target, case, generator))
        save(cases, folder / "cases.json")
        bench.run(
            "axi_testbench" if bench.top == EXTERNAL else "stream_testbench",
            seed,
            folder,
            plusargs=[f"+stimuli={folder / 'stimuli.bin'}", f"+trace={folder / 'trace.txt'}"],
            environment={
                "BENCH_FOLDER": name,
                "BENCH_STALLS": "1" if stalls else "",
            },
        )
