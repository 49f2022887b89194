"""Builds benches, keeps the builds by a hash of their sources, and runs cocotb tests in them.

A bench is a module of `tb/sv`, at its side the part that runs inside the RTL simulator, under
cocotb: `<block>_testbench.py`. Two processes that want the same build wait for each other; a run
has a folder of its own, so that any number of them share a build.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import cocotb
import pytest
from _pytest.mark import ParameterSet
from cocotb_tools.check_results import get_results
from cocotb_tools.config import libs_dir
from cocotb_tools.runner import get_runner

from isa.gen.sv_target import sv_target
from isa.target import Target, load_target
from rtl_models.simulation import verilator
from rtl_models.simulation.build import (
    RANDOM_VALUES,
    cache_directory,
    initial_values,
    locked,
)
from rtl_models.sources import ROOMS, SOURCES, SYSTEM, TARGET_PACKAGE, packages
from rtl_models.tb.tools import need_tools

BENCHES = SOURCES / "tb" / "sv"

LIMITS = Path(__file__).resolve().parent / "targets"
LEAST, MOST = (str(LIMITS / f"{name}.yaml") for name in ("least", "most"))
"""Files of two targets at the limits of targets."""
TARGETS = ("tiny", "accel", "wide", LEAST, MOST)

FIRST_RESET = "first_reset"
"""The module that keeps assertions off until the first reset."""
BIND = "bind.sv"
"""The file that binds it to a bench, written for each build."""

_USES = re.compile(r"^ *(?:bind \w+ )?(\w+) (?:#\(|u_\w+ \()|\b(\w+_pkg)\b", re.MULTILINE)
"""How a module is instantiated and a package named. What it misses, Verilator misses as well."""

# Optimising the C++ costs more than it gives back: most runs are shorter than the builds.
_MAKE_FLAGS = "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"
# Lint is a test of its own, and what one version of Verilator warns of must not stop another; what
# a module refuses when it elaborates must.
_VERILATOR_FLAGS = ("-O3", "-Wno-fatal", "-Werror-USERERROR", "--assert", *RANDOM_VALUES)


def targets(*default: str, others: Sequence[str] = TARGETS) -> list[ParameterSet]:
    """Return targets as pytest's parameters: the `default` ones, and in the long run the others.

    A bench takes longer to build than to run, so that every target more costs as much as the first.
    """
    every = dict.fromkeys((*default, *others))
    return [
        pytest.param(name, id=Path(name).stem, marks=() if name in default else pytest.mark.long)
        for name in every
    ]


@dataclass(frozen=True)
class Bench:
    """A bench, built: its top module, the name or file of its target, and where it lies."""

    top: str
    target_name: str
    directory: Path

    @property
    def target(self) -> Target:
        """The target."""
        return load_target(self.target_name)

    def run(
        self,
        module: str,
        seed: int,
        folder: Path,
        *,
        plusargs: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Run the cocotb tests of `rtl_models.tb.<module>` in `folder`; fails if one of them does.

        They find the target's name or file in the environment as BENCH_TARGET. What they draw, and
        what registers and memories hold at first, follows from `seed`, a number from 1 to 2^31 - 1.
        """
        print(f"{self.top}, target {self.target_name}, seed {seed}")
        results = folder / "results.xml"
        with suppress(SystemExit):  # the runner's word for failures, which are in the results
            get_runner("verilator").test(
                hdl_toplevel=self.top,
                hdl_toplevel_lang="verilog",
                test_module=f"rtl_models.tb.{module}",
                build_dir=self.directory,
                test_dir=folder,
                results_xml=str(results),
                plusargs=[*initial_values(seed), *plusargs],
                extra_env={"BENCH_TARGET": self.target_name, **(environment or {})},
                seed=seed,
            )
        assert results.is_file(), (
            f"{self.top}, seed {seed}: the simulation has died, see its output"
        )
        tests, failures = get_results(results)
        assert tests > 0
        assert failures == 0, (
            f"{self.top} for {self.target_name}, seed {seed}: {failures} of {tests} tests failed, "
            "see the output"
        )


def build(
    top: str,
    target_name: str = "tiny",
    *,
    parts: Sequence[str] = (),
    parameters: Mapping[str, int | str] | None = None,
    defines: Mapping[str, str] | None = None,
) -> Bench:
    """Build the module `top` for a target, or find an earlier build of the same sources.

    `parts` are modules that its text does not name, because macros in `defines` do. The test that
    runs is skipped where the tools are missing.
    """
    need_tools()
    if verilator.has_space(Path(libs_dir)):
        pytest.skip("cocotb cannot build where the path to its libraries has a space")
    sources = sources_of([top, FIRST_RESET, *parts])
    [text] = [file.read_text(encoding="utf-8") for file in sources if file.stem == top]
    has_state = "rst_ni" in text
    bind = f"bind {top} {FIRST_RESET} u_{FIRST_RESET} (.clk_i, .rst_ni);\n" if has_state else ""
    target = load_target(target_name)
    package = sv_target(target)
    flags: list[str] = list(_VERILATOR_FLAGS)
    control = BENCHES / f"{top}.vlt"
    if control.is_file():
        sources.insert(0, control)
        flags.append("--no-public-flat-rw")
    made_of = [
        _MAKE_FLAGS,
        flags,
        bind,
        parameters or {},
        defines or {},
        cocotb.__version__,
        libs_dir,
    ]
    digest = hashlib.sha256(repr(made_of).encode())
    for source in sources:
        digest.update(source.name.encode())
        digest.update(package.encode() if source.name == TARGET_PACKAGE else source.read_bytes())
    room = cache_directory() / "benches"
    directory = room / f"{top}-{target.name}-{digest.hexdigest()[:20]}"
    bench = Bench(top, target_name, directory)
    if (directory / top).is_file():
        return bench
    room.mkdir(parents=True, exist_ok=True)
    with locked(directory.with_suffix(".lock")), TemporaryDirectory(dir=room) as name:
        if not (directory / top).is_file():
            work = Path(name)
            (work / TARGET_PACKAGE).write_text(package, encoding="utf-8")
            (work / BIND).write_text(bind, encoding="utf-8")
            _verilate(bench, work, [*sources, work / BIND], flags, parameters or {}, defines or {})
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            (work / top).rename(directory / top)
    return bench


def _verilate(
    bench: Bench,
    work: Path,
    sources: Iterable[Path],
    flags: Sequence[str],
    parameters: Mapping[str, int | str],
    defines: Mapping[str, str],
) -> None:
    """Build a bench in the folder `work`, which holds the package of its target."""
    verilator.provide()
    before = os.environ.get("MAKEFLAGS")
    os.environ["MAKEFLAGS"] = f"{before or ''} {_MAKE_FLAGS}"
    try:
        get_runner("verilator").build(
            sources=[work / s.name if s.name == TARGET_PACKAGE else s for s in sources],
            hdl_toplevel=bench.top,
            parameters=dict(parameters),
            defines=dict(defines),
            build_args=list(flags),
            timescale=("1ns", "1ps"),
            build_dir=work,
            always=True,
        )
    finally:
        if before is None:
            del os.environ["MAKEFLAGS"]
        else:
            os.environ["MAKEFLAGS"] = before


def sources_of(modules: Iterable[str]) -> list[Path]:
    """Return the files of modules and of all that they are made of: packages first, in order."""
    rooms = ("pkg", *ROOMS, SYSTEM, "tb/sv")
    files = {file.stem: file for room in rooms for file in SOURCES.glob(f"{room}/*.sv")}
    ordered = packages(Path(TARGET_PACKAGE))  # the target's package has no text to read
    files |= {package.stem: package for package in ordered}
    found: set[str] = set()
    names = list(modules)
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            if files[name].name != TARGET_PACKAGE:
                text = files[name].read_text(encoding="utf-8")
                names += files.keys() & {name for pair in _USES.findall(text) for name in pair}
    order = [package.stem for package in ordered if package.stem in found]
    return [files[name] for name in (*order, *sorted(found - set(order)))]
