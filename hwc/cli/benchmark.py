"""`hwc benchmark`: calls a package repeatedly; shows calls per second and where the time goes."""

from __future__ import annotations

import argparse
import json
import math
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hwc.cli import values
from hwc.cli.counters import accounts_json, inputs_json, warn_without_machine
from hwc.cli.device_option import add_device, given_device
from hwc.cli.options import add_input, add_seed, fraction, positive
from hwc.cli.plan_option import add_plan, given_plan
from hwc.cli.program_option import add_program, given_package, program_files
from hwc.cli.table import aligned
from hwc.cli.texts import check_files
from isa.progress import Task

if TYPE_CHECKING:
    from hwc.runtime.accounts import Accounts

SECONDS = 1.0
"""How long to measure calls by default."""

MOST = 1_000_000
"""The maximum number of measured calls; the times of each call are kept until the end."""

WARM_UP = 3
QUANTILES = {"min": 0.0, "p25": 0.25, "median": 0.5, "p75": 0.75, "p99": 0.99, "max": 1.0}


@dataclass
class Measurement:
    """The times of the calls of a benchmark, in seconds.

    `first` has the phases of the very first call, which links the plan. `phases` has one time per
    measured call for each phase; the time of a call is the sum of its phases. `cpu` is the CPU time
    of the process during all measured calls. `result` is the last result. `interrupt` is the
    exception that ended the calls early, if any.
    """

    first: Mapping[str, float] = field(default_factory=dict)
    warm_up: int = 0
    calls: int = 0
    phases: dict[str, array[float]] = field(default_factory=dict)
    cpu: float = 0.0
    result: Any = None
    interrupt: KeyboardInterrupt | None = None

    def add(self, result: Any, phases: Mapping[str, float]) -> None:
        """Add a measured call."""
        for phase, spent in phases.items():
            self.phases.setdefault(phase, array("d")).append(spent)
        self.result = result
        self.calls += 1

    def summary(self) -> dict[str, Any]:
        """Return the figures of all measured calls; docs/json.md describes the keys."""
        table = np.array([np.frombuffer(times)[: self.calls] for times in self.phases.values()])
        seconds = table.sum(axis=0)
        quantiles = np.quantile(seconds, list(QUANTILES.values())).tolist()
        medians = np.median(table, axis=1)
        return {
            "calls": self.calls,
            "seconds": float(seconds.sum()),
            "calls_per_second": self.calls / float(seconds.sum()),
            "seconds_per_call": {
                "first": sum(self.first.values()),
                **dict(zip(QUANTILES, quantiles, strict=True)),
                "mean": float(seconds.mean()),
                "cpu": self.cpu / self.calls,
            },
            "phases": {
                phase: {
                    "first": self.first[phase],
                    "median": float(medians[number]),
                    "mean": float(table[number].mean()),
                    "share": float(medians[number] / medians.sum()),
                }
                for number, phase in enumerate(self.phases)
            },
        }


def add(commands: Any) -> None:
    """Add the command to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "benchmark",
        help="call a package repeatedly; calls per second, and where the time goes",
        description="Call a package with the same arguments again and again, as a program in "
        "Python would, and report the calls per second, how the times of the calls are spread, and "
        "how much of the time each phase of a call takes. These are times of the host: on a device "
        "that is simulated, most of it is the simulation. The machine's own time is counted in "
        "cycles, which are the same for every call with these arguments.",
        epilog=f"Values: {values.SYNTAX}. The exit code is 0, 1 after an error, 2 if the "
        "command line is wrong, or 130 after Ctrl-C, which ends the calls and reports those that "
        "were measured.",
    )
    add_program(parser)
    add_input(parser)
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--time",
        type=fraction,
        default=SECONDS,
        metavar="SECONDS",
        help=f"begin calls for this long (default {SECONDS:g}); 1 to {MOST:,} calls are measured",
    )
    length.add_argument(
        "--calls", type=_calls, metavar="N", help=f"measure exactly N calls, {MOST:,} at most"
    )
    parser.add_argument(
        "--warm-up",
        type=positive,
        default=WARM_UP,
        metavar="N",
        help=f"calls before those that are measured, 1 or more (default {WARM_UP}); the first of "
        "them links the plan, and on the device rtl it starts the hardware",
    )
    add_seed(parser)
    add_device(parser)
    add_plan(parser, "follow this plan instead of the one with the fewest cycles")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(function=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the command."""
    from hwc.runtime.program import Program  # noqa: PLC0415 - `hwc --help` needs no simulator

    check_files(program_files(args) | {"--input": values.files(args.input)}, {})
    device = given_device(args.device)
    package = given_package(args)
    given_plan(package, args.plan)
    inputs = values.arguments(args.input, Program(package, device), args.seed, args.plan)
    program = Program(package, device)  # a new one: checking the arguments linked a plan
    limit = None if args.calls is not None else args.time
    measured = measure(
        lambda: program.timed(*inputs, plan=args.plan), args.warm_up, args.calls or MOST, limit
    )
    if measured.calls:
        warn_without_machine(package.source_name, measured.result.accounts)
        found = as_json(args, program, inputs, measured)
        if args.json:
            print(json.dumps(found, indent=2))
        else:
            for line in report(found, measured.result.accounts):
                print(line)
    if measured.interrupt is not None:
        raise measured.interrupt
    return 0


def measure(
    call: Callable[[], tuple[Any, Mapping[str, float]]],
    warm_up: int,
    calls: int,
    seconds: float | None,
) -> Measurement:
    """Make `warm_up` calls, then measure `calls` calls, or fewer if `seconds` have passed.

    Ctrl-C ends the calls; the result then has the calls measured so far.
    """
    measured = Measurement()
    cpu = time.process_time()
    try:
        with Task("warming up", warm_up, "calls") as warming:
            for number in range(warm_up):
                _, phases = call()
                if not number:
                    measured.first = phases
                measured.warm_up += 1
                warming.advance()
        cpu = time.process_time()
        begin = time.perf_counter()
        whole, unit = (calls, "calls") if seconds is None else (math.ceil(seconds), "seconds")
        with Task("measuring", whole, unit) as measuring:
            while measured.calls < calls:
                measured.add(*call())
                spent = time.perf_counter() - begin
                if seconds is not None and spent >= seconds:
                    break
                measuring.reach(measured.calls if seconds is None else int(spent))
    except KeyboardInterrupt as stopped:
        measured.interrupt = stopped
    measured.cpu = time.process_time() - cpu
    return measured


def as_json(
    args: argparse.Namespace, program: Any, inputs: Sequence[Any], measured: Measurement
) -> dict[str, Any]:
    """Return everything that was measured; docs/json.md describes the keys."""
    return {
        "package": args.package,
        "device": args.device,
        "target": program.target.name,
        "plan": measured.result.plan or None,
        "inputs": inputs_json(program.inputs, [value.shape for value in inputs]),
        "cycles": measured.result.cycles,
        "accounts": accounts_json(measured.result.accounts),
        "warm_up": measured.warm_up,
        "interrupted": measured.interrupt is not None,
        **measured.summary(),
    }


def report(found: Mapping[str, Any], accounts: Accounts | None = None) -> Iterator[str]:
    """Yield a readable description of a measurement, line by line.

    For a model with parts on the host, `accounts` say what the machine's cycles are for.
    """
    from hwc.runtime.phases import PHASES  # noqa: PLC0415 - as above

    calls, rate = found["calls"], found["calls_per_second"]
    stopped = ", interrupted" if found["interrupted"] else ""
    yield (
        f"{calls} {'call' if calls == 1 else 'calls'} in {found['seconds']:.3g} s on "
        f"{found['device']}, target {found['target']}, after {found['warm_up']} to warm up{stopped}"
    )
    yield ""
    if found["plan"]:
        yield f"plan              {found['plan']}"
    if accounts is None:
        yield f"cycles            {found['cycles']}"
    else:
        yield accounts.headline(found["cycles"])
    yield f"calls per second  {_rate(rate)}"
    yield f"cycles simulated  {_rate(found['cycles'] * rate)} per second"
    yield ""
    spread = found["seconds_per_call"]
    unit, factor = _unit(spread["median"])
    yield from aligned(
        [
            [f"{unit} per call", *spread],
            ["", *(_digits(factor * value) for value in spread.values())],
        ],
        right=range(1, 1 + len(spread)),
    )
    yield ""
    rows = [["phase", f"first, {unit}", f"median, {unit}", "share", ""]]
    for phase, times in found["phases"].items():
        shown = (_digits(factor * times[key]) for key in ("first", "median"))
        rows.append([phase, *shown, f"{100 * times['share']:.1f} %", PHASES[phase]])
    yield from aligned(rows, right=(1, 2, 3))


def _calls(text: str) -> int:
    number = positive(text)
    if number > MOST:
        raise argparse.ArgumentTypeError(f"expected {MOST} calls at most, got {text!r}")
    return number


def _unit(seconds: float) -> tuple[str, float]:
    """Return the unit that suits a time, and the number of units per second."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return unit, factor
    return "us", 1e6


def _rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _digits(value: float) -> str:
    """Format a time with at least three digits and without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
