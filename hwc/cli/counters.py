"""The cost of a call, as text, JSON or CSV: cycles, engines and kernels."""

from __future__ import annotations

import argparse
import csv
import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hwc.cli.table import aligned
from hwc.cli.texts import write
from hwc.errors import counted

if TYPE_CHECKING:
    from hwc.package import Tensor
    from hwc.runtime.accounts import Accounts
    from hwc.runtime.kernels import KernelResult
    from isa.target import Target

_LOG = logging.getLogger("hwc.cli")

LONGEST = 60
"""The maximum length of a name, of sizes and of operators in a table."""

MOST_KERNELS = 24
"""The maximum number of rows in the table of kernels; a model may have thousands of kernels."""


def add_csv(parser: argparse.ArgumentParser) -> None:
    """Add `--csv`."""
    parser.add_argument(
        "--csv",
        metavar="FILE",
        help="write a table of the kernels as CSV, with all of their counters: a line for each "
        "kernel, in the order of execution; - is standard output, and the report is then on "
        "standard error",
    )


def short(text: str) -> str:
    """Shorten a text that is too long for a table."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def by_x(sizes: Sequence[int]) -> str:
    """Format sizes as on the command line."""
    return "x".join(map(str, sizes)) or "scalar"


def percent(share: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * share:.1f} %"


def summary(
    plan: str, counters: Mapping[str, int], target: Target, accounts: Accounts | None = None
) -> Iterator[str]:
    """Yield lines with the totals of a call: cycles, bytes and the engines' time.

    For a model with parts on the host, `accounts` say what the machine's cycles are for.
    """
    from hwc.runtime.roofline import (  # noqa: PLC0415 - `hwc --help` needs none of it
        bound,
        ideal_cycles,
        roofline_share,
    )

    if plan:
        yield f"plan           {short(plan)}"
    if accounts is None:
        yield f"cycles         {counters['cycles']}"
    else:
        yield from account_lines(accounts, counters["cycles"])
    yield f"bytes read     {counters['bytes_read']}"
    yield f"bytes written  {counters['bytes_written']}"
    share, resource = percent(roofline_share(counters, target)), bound(counters, target)
    least = f"{ideal_cycles(counters, target)} cycles" + (f" of {resource}" if resource else "")
    yield f"roofline       {share} ({least} at best on target {target.name})"
    yield ""
    rows = [["engine", "busy", "stalled"]]
    for name, busy in counters.items():
        engine, is_busy, _ = name.partition("_busy")
        if is_busy:
            stall = f"{engine}_stall"
            causes = {n.removeprefix(stall): n for n in counters if n.startswith(stall)}
            stalls = (f"{cause} {counters[n]}".lstrip("_ ") for cause, n in causes.items())
            rows.append([engine, str(busy), ", ".join(stalls)])
    yield from aligned(rows, right=(1,))


def whole_name(accounts: Accounts | None) -> str:
    """Return the head of a row with the machine's totals."""
    return "all" if accounts is None else "machine"


def warn_without_machine(name: str, accounts: Accounts | None) -> None:
    """Warn about a model that runs on the host alone."""
    if accounts is not None and not accounts.regions:
        _LOG.warning("%s: warning: %s", name, accounts.headline(0))


def accounts_json(accounts: Accounts | None) -> dict[str, Any] | None:
    """Return what `--json` prints of the accounts of a call; docs/json.md describes the keys."""
    return None if accounts is None else accounts.to_json()


def account_lines(accounts: Accounts, cycles: int) -> Iterator[str]:
    """Yield what a call of a model took on the machine, on the host, and between them."""
    yield accounts.headline(cycles)
    seconds = accounts.host_seconds
    took = "not measured: nothing ran" if seconds is None else f"{1000 * seconds:.2f} ms, measured"
    yield f"host: {took}"
    machine, host = accounts.machine.operations, accounts.host.operations
    yield f"operations     {machine:,} on the machine, {host:,} on the host"
    if accounts.uncounted:
        names = ", ".join(f"{n} {name}" for name, n in accounts.uncounted.items())
        yield f"not counted    {short(names)}"
    copies = accounts.copies
    into, back = (counted(number, "value") for number in (copies.to_machine, copies.to_host))
    yield f"to machine     {into}, {copies.bytes_to_machine:,} bytes"
    yield f"to host        {back}, {copies.bytes_to_host:,} bytes"
    yield ""


def kernel_lines(
    kernels: Sequence[KernelResult],
    counters: Mapping[str, int],
    target: Target,
    whole: str = "all",
) -> Iterator[str]:
    """Yield a table of the kernels of a call; `counters` are the totals of the call.

    `whole` is the head of the last row, which is about the machine alone.

    If there are too many kernels, the table shows the slowest ones, the slowest first.
    """
    from hwc.runtime.roofline import (  # noqa: PLC0415 - `hwc --help` needs none of it
        bytes_moved,
        roofline_share,
    )

    numbered = list(enumerate(kernels))
    if len(kernels) > MOST_KERNELS:
        numbered.sort(key=lambda each: -each[1].cycles)
        numbered = numbered[: MOST_KERNELS - 1]
    total = max(1, counters["cycles"])
    head = [
        "kernel",
        "sizes",
        "cycles",
        "share",
        "bytes",
        "roofline",
        "limited by",
        "waits most for",
    ]
    rows = [[*head, "operators"]]
    for number, kernel in numbered:
        rows.append(
            [
                str(number),
                short(by_x(kernel.sizes)),
                str(kernel.cycles),
                percent(kernel.cycles / total),
                str(bytes_moved(kernel.counters)),
                percent(kernel.roofline),
                kernel.limit,
                _stall(kernel),
                short(kernel.operators),
            ]
        )
    others = len(kernels) - len(numbered)
    if others:
        shown = [kernel for _, kernel in numbered]
        cycles = sum(k.cycles for k in kernels) - sum(k.cycles for k in shown)
        nbytes = sum(bytes_moved(k.counters) for k in kernels)
        nbytes -= sum(bytes_moved(k.counters) for k in shown)
        name = f"{others} others"
        rows.append([name, "", str(cycles), percent(cycles / total), str(nbytes), "", "", "", ""])
    left = counters["cycles"] - sum(kernel.cycles for kernel in kernels)
    rows.append(["loading", "", str(left), percent(left / total), "", "", "", "", ""])
    share = percent(roofline_share(counters, target))
    moved = str(bytes_moved(counters))
    rows.append([whole, "", str(counters["cycles"]), "100.0 %", moved, share, "", "", ""])
    yield from aligned(rows, right=(2, 3, 4, 5))


def _stall(kernel: KernelResult) -> str:
    """Say what a kernel waited for most, and for what share of the cycles that it occupied."""
    name = kernel.main_stall
    if name is None:
        return ""
    engine, _, cause = name.partition("_stall")
    waits = kernel.counters[name] / kernel.occupied
    return f"{engine}: {cause.strip('_') or 'any'} {percent(waits)}"


def inputs_json(tensors: Sequence[Tensor], shapes: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Return arguments with the shapes of a call for `--json`."""
    return [
        {"name": tensor.name, "type": tensor.type, "shape": list(shape)}
        for tensor, shape in zip(tensors, shapes, strict=True)
    ]


def roofline_json(counters: Mapping[str, int], target: Target) -> dict[str, Any]:
    """Return the roofline of a call for `--json`; docs/json.md describes the keys."""
    from hwc.runtime.roofline import (  # noqa: PLC0415 - `hwc --help` needs none of it
        bound,
        ideal_cycles,
        resource_cycles,
        roofline_share,
    )

    return {
        "resources": resource_cycles(counters, target),
        "ideal_cycles": ideal_cycles(counters, target),
        "bound": bound(counters, target),
        "roofline": roofline_share(counters, target),
    }


def kernels_json(kernels: Sequence[KernelResult] | None) -> list[dict[str, Any]] | None:
    """Return the kernels for `--json`; docs/json.md describes the keys."""
    if kernels is None:
        return None
    return [
        {
            "number": number,
            "step": kernel.step,
            "kernel": kernel.kernel,
            "dispatch": kernel.dispatch,
            "operators": kernel.operators,
            "lines": list(kernel.lines),
            "sizes": list(kernel.sizes),
            "points": kernel.points,
            "start": kernel.start,
            "end": kernel.end,
            "cycles": kernel.cycles,
            "occupied": kernel.occupied,
            "resources": kernel.resources,
            "ideal_cycles": kernel.ideal_cycles,
            "bound": kernel.bound,
            "roofline": kernel.roofline,
            "limit": kernel.limit,
            "main_stall": kernel.main_stall,
            "counters": dict(kernel.counters),
        }
        for number, kernel in enumerate(kernels)
    ]


def write_csv(path: str, kernels: Sequence[KernelResult]) -> None:
    """Write kernels as CSV, one line each; sizes have the same form as on the command line.

    Raises:
        UserError: the file cannot be written.
    """
    from hwc.runtime.kernels import COLUMNS, kernel_table  # noqa: PLC0415 - as above

    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in kernel_table(kernels):
        lines = " ".join(map(str, row["lines"]))
        writer.writerow(row | {"sizes": by_x(row["sizes"]), "lines": lines})
    write(path, text.getvalue())
