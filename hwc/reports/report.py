"""The report of a call: what a page shows of a program, a result and a trace."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from hwc.errors import counted
from hwc.files import write_text
from hwc.package import HostStep, Kernel, MachineStep, Package
from hwc.reports.code import SourceText, streams
from hwc.reports.extra import need_extra
from hwc.reports.graph import Node
from hwc.runtime.kernels import KernelResult
from hwc.runtime.results import Result, StepResult, Timing
from isa.encode import decode
from isa.target import Target

if TYPE_CHECKING:
    from hwc.runtime.trace import Trace

TABLE = "table"
"""The value that a kernel which fills the machine's table passes to its reader."""


_READING = ("lookup.", "interp.")
"""Prefixes of the instructions that read the machine's table."""


@dataclass(frozen=True)
class Ran:
    """A row of a call: a kernel with its counters, or a step on the host.

    `number` counts the kernels in the order of execution; a step on the host has none. `place` is
    the number of the step in the package.
    """

    node: Node
    operators: str
    place: int
    number: int | None = None
    result: KernelResult | None = None
    kernel: Kernel | None = None
    step: StepResult | None = None


@dataclass(frozen=True)
class Report:
    """A page about one call; `html` makes it, and `save` writes it."""

    package: Package
    target: Target
    result: Result | Timing
    ran: Sequence[Ran]
    source: SourceText
    trace: Trace | None = None

    def __repr__(self) -> str:
        return f"hwc.Report: {self._about()}; save(path) writes the page"

    def _repr_html_(self) -> str:
        """Return a sentence for a notebook: the page itself is too large for one."""
        text = escape(self._about())
        return (
            f"<p><b>hwc.Report: {text}</b></p><p><code>save(path)</code> writes the page, one HTML "
            "file.</p>"
        )

    def _about(self) -> str:
        timeline = "without" if self.trace is None else "with"
        cycles, accounts = self.result.cycles, self.result.accounts
        took = f"{cycles:,} cycles" if accounts is None else accounts.headline(cycles)
        return (
            f"{self.name} on target {self.target.name}, {took}, "
            f"{counted(len(self.kernels), 'kernel')}, {timeline} a timeline"
        )

    @property
    def name(self) -> str:
        """The file of the program, or its function if the program had no file."""
        package = self.package
        return f"@{package.entry}" if package.source_name == "-" else package.source_name

    @property
    def kernels(self) -> list[Ran]:
        """The rows of kernels, in the order of execution."""
        return [row for row in self.ran if row.result is not None]

    def html(self) -> str:
        """Return the page: one file that needs nothing else, not even a network.

        Raises:
            UserError: the plotting library is missing.
        """
        from hwc.reports.page import report_page  # noqa: PLC0415 - it imports this module

        need_extra()
        return report_page(self).html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page.

        Raises:
            UserError: the file cannot be written, or the plotting library is missing.
        """
        write_text(path, self.html())


def names_of(package: Package) -> dict[str, str]:
    """Return readable names for the buffers of arguments and results, by buffer name."""
    named: dict[str, str] = {}
    for number, tensor in enumerate(package.outputs):
        for buffer, _ in tensor.parts:
            named[buffer] = f"result {number}"
    for tensor in package.inputs:
        for buffer, _ in tensor.parts:
            named[buffer] = f"%{tensor.name}"
    return named


def ran_by(package: Package, result: Result | Timing) -> list[Ran]:
    """Return what a call ran, in order."""
    found: list[Ran] = []
    for number, kernel in enumerate(result.kernels or ()):
        found.append(_kernel(package, number, kernel))
    hosts = {n: step for n, step in enumerate(package.steps) if isinstance(step, HostStep)}
    if not hosts:
        return found
    by_step: dict[int, list[Ran]] = {}
    for row in found:
        assert row.result is not None
        by_step.setdefault(row.result.step, []).append(row)
    rows: list[Ran] = []
    for number, step in enumerate(package.steps):
        if isinstance(step, HostStep):
            node = Node([t.buffer for t in step.inputs], [t.buffer for t in step.outputs])
            own = result.steps[number] if isinstance(result, Result) else None
            rows.append(Ran(node, step.source, number, step=own))
        rows += by_step.get(number, ())
    return rows


def _kernel(package: Package, number: int, result: KernelResult) -> Ran:
    step = package.steps[result.step]
    assert isinstance(step, MachineStep), "hwc.reports.same_call checks the result"
    kernel = step.kernels[result.kernel]
    read: dict[str, None] = {}
    written: dict[str, None] = {}
    for stream in streams(kernel):
        (written if stream.written else read)[stream.buffer] = None
    if kernel.fills:
        written[TABLE] = None
    elif any(decode(word).name.startswith(_READING) for word in kernel.words):
        read[TABLE] = None
    node = Node(list(read), list(written))
    return Ran(node, result.operators, result.step, number, result, kernel)
