"""Builds and runs the benches of the control side: one module, one target, one test module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from isa.gen.sv_target import sv_target
from isa.target import load_target
from rtl_models.tb import verilator

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "rtl_models"
BENCHES = SOURCES / "tb" / "sv"
BUILD = ROOT / "build" / "rtl_core"
ROOMS = ("common", "stream", "axi", "core", "tb/sv")

LIMITS = Path(__file__).resolve().parent / "targets"
TARGETS = ("accel", "tiny", "wide", *(str(LIMITS / f"{name}.yaml") for name in ("least", "most")))
"""The named targets, and the files of two at the limits of what a target may be."""


@dataclass(frozen=True)
class Bench:
    """A bench, built: its top module, its target (name or file) and where it lies."""

    top: str
    target: str
    directory: Path

    def run(
        self,
        module: str,
        seed: int,
        *,
        plusargs: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Run the cocotb tests of `rtl_models.tb.<module>`; fails if one of them does."""
        print(f"target {self.target}, seed {seed}")
        results = get_runner("verilator").test(
            hdl_toplevel=self.top,
            hdl_toplevel_lang="verilog",
            test_module=f"rtl_models.tb.{module}",
            build_dir=self.directory,
            test_dir=self.directory,
            plusargs=list(plusargs),
            extra_env={
                "PYTHONPATH": str(ROOT),
                "BENCH_TARGET": self.target,
                **(environment or {}),
            },
            seed=seed,
        )
        tests, failures = get_results(results)
        assert tests > 0
        assert failures == 0


def packages(target: str, directory: Path) -> list[Path]:
    """Return the SystemVerilog packages in their order; the target's is written to `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    sizes = directory / "hwc_target_pkg.sv"
    text = sv_target(load_target(target))
    if not sizes.is_file() or sizes.read_text(encoding="utf-8") != text:  # else nothing is rebuilt
        sizes.write_text(text, encoding="utf-8")
    shared = SOURCES / "pkg"
    return [
        shared / "hwc_isa_pkg.sv",
        sizes,
        shared / "hwc_stream_pkg.sv",
        shared / "hwc_core_pkg.sv",
        SOURCES / "core" / "host_registers_pkg.sv",
    ]


def build(target: str, top: Path) -> Bench:
    """Build the module in the file `top` for a target; modules below are found by their names."""
    directory = BUILD / f"{top.stem}_{Path(target).stem}"
    files = packages(target, directory)
    rooms = [SOURCES / room for room in ROOMS]
    verilator.provide()
    get_runner("verilator").build(
        sources=[*files, top],
        includes=rooms,
        hdl_toplevel=top.stem,
        build_args=["-O3", "-Wall", "--assert", "-j", "2"],
        timescale=("1ns", "1ps"),
        build_dir=directory,
        always=True,
    )
    return Bench(top.stem, target, directory)
