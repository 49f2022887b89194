"""Bench of the stream path: builds it for a target, plays kernels from memory to memory through it.

`stream_testbench.py` is the part that runs inside the RTL simulator, `sv/stream_bench.sv` the part
that is free running.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cocotb_tools.runner import get_results, get_runner

from isa.gen.sv_target import sv_target
from isa.target import Target, load_target
from rtl_models.tb import verilator
from rtl_models.tb.stream_cases import MEMORY_BASE, MEMORY_BYTES, Case, save, stimuli

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "rtl_models"
BUILD = ROOT / "build" / "rtl_streams"


@dataclass(frozen=True)
class Bench:
    """A module with its bench, built for a target: where it lies."""

    target: Target
    toplevel: str
    directory: Path


def build(
    target_name: str,
    toplevel: str,
    sources: Iterable[str],
    parameters: dict[str, int | str] | None = None,
    variant: str = "",
) -> Bench:
    """Build `sources` (paths below rtl_models, without .sv) for a target.

    Builds of one module with other parameters are told apart by `variant`.
    """
    target = load_target(target_name)
    directory = BUILD / target.name / (toplevel + variant)
    directory.mkdir(parents=True, exist_ok=True)
    package = directory / "hwc_target_pkg.sv"
    text = sv_target(target)
    if not package.is_file() or package.read_text(encoding="utf-8") != text:
        package.write_text(text, encoding="utf-8")
    pkg = SOURCES / "pkg"
    verilator.provide()
    get_runner("verilator").build(
        sources=[
            pkg / "hwc_isa_pkg.sv",
            package,
            pkg / "hwc_stream_pkg.sv",
            *(SOURCES / f"{name}.sv" for name in sources),
        ],
        hdl_toplevel=toplevel,
        parameters=parameters or {},
        build_args=["-O3", "-Wall", "--assert", "-j", "2"],
        timescale=("1ns", "1ps"),
        build_dir=directory,
        always=True,
    )
    return Bench(target, toplevel, directory)


def run(
    bench: Bench, test_module: str, environment: dict[str, str], plusargs: Sequence[str], seed: int
) -> None:
    """Run the cocotb tests of a module in rtl_models/tb; fails if one of them does."""
    results = get_runner("verilator").test(
        hdl_toplevel=bench.toplevel,
        hdl_toplevel_lang="verilog",
        test_module=f"rtl_models.tb.{test_module}",
        build_dir=bench.directory,
        test_dir=bench.directory,
        plusargs=list(plusargs),
        extra_env={"PYTHONPATH": str(ROOT), "HWC_TARGET": bench.target.name, **environment},
        seed=seed,
    )
    tests, failures = get_results(results)
    assert tests > 0
    assert failures == 0, f"{bench.toplevel} for {bench.target.name}: {failures} of {tests} failed"


EXTERNAL = "_external"
STREAM_PATH = (
    *(f"common/{name}" for name in ("delay_line", "fifo", "pulse_counter", "ram_1w1r")),
    *(
        f"stream/{name}"
        for name in (
            "strip_walker",
            "fetch_planner",
            "request_engine",
            "stream_ring",
            "broadcast_walk",
            "lane_select",
            "broadcast_unit",
            "landing_buffer",
            "input_stream",
            "input_streams",
            "output_buffer",
            "store_packer",
            "store_engine",
        )
    ),
    "axi/axi_read_master",
    "axi/axi_write_master",
    "tb/sv/axi_memory_model",
    "tb/sv/stream_bench",
)


def build_stream_path(target_name: str, external_memory: bool = False) -> Bench:
    """Build the whole path for a target, with its memory or with the bus outside."""
    target = load_target(target_name)
    parameters: dict[str, int | str] = {
        "MemoryBase": f"64'd{MEMORY_BASE}",
        "MemoryWords": MEMORY_BYTES // target.axi_bytes,
    }
    if not external_memory:
        return build(target_name, "stream_bench", STREAM_PATH, parameters)
    parameters["ExternalMemory"] = "1'b1"
    return build(target_name, "stream_bench", STREAM_PATH, parameters, EXTERNAL)


def play(bench: Bench, cases: Sequence[Case], seed: int, stalls: bool = False) -> None:
    """Run kernels one after another: every bit right; without stalls every cycle as well."""
    generator = np.random.default_rng(seed)
    with (bench.directory / "stimuli.bin").open("wb") as file:
        for case in cases:
            file.write(stimuli(bench.target, case, generator))
    save(cases, bench.directory / "cases.json")
    trace = bench.directory / "trace.txt"
    trace.unlink(missing_ok=True)
    run(
        bench,
        "axi_testbench" if bench.directory.name.endswith(EXTERNAL) else "stream_testbench",
        {
            "HWC_STIMULI": str(bench.directory / "stimuli.bin"),
            "HWC_CASES": str(bench.directory / "cases.json"),
            "HWC_TRACE": str(trace),
            "HWC_STALLS": "1" if stalls else "",
        },
        [f"+stimuli={bench.directory / 'stimuli.bin'}", f"+trace={trace}"],
        seed,
    )
