"""How programs and results look in an interactive session: text, and HTML in a notebook.

The HTML sets no colours, so it follows the theme of the notebook. Everything in it is escaped. Both
forms stay short for any size of program: long lists are cut after a few rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import counted
from hwc.package import HostStep
from hwc.runtime.roofline import bytes_moved, roofline_share

if TYPE_CHECKING:
    from hwc.runtime.kernels import KernelResult
    from hwc.runtime.program import Program
    from hwc.runtime.results import Result, StepResult, Timing

ROWS = 12
"""The largest number of rows shown of a list."""
LONGEST = 60
"""The largest number of characters shown of a name."""
ELEMENTS = 36
"""The largest number of elements of a result that is shown in full."""
LINES = 8
"""The largest number of lines shown of the elements of a result."""


def program_text(program: Program) -> str:
    """Describe a program in a few lines."""
    facts = _program_facts(program)
    return "\n".join([_program_title(program), *_aligned(facts)])


def program_html(program: Program) -> str:
    """Describe a program as HTML."""
    return _title(_program_title(program)) + _table((), _program_facts(program))


def result_text(result: Result) -> str:
    """Describe a result: its figures and the first elements of its arrays."""
    lines = [f"hwc.Result: {_figures(result)}"]
    for name, array in _outputs(result):
        lines.append(f"  {name}: {_array_title(array)}")
        lines += [f"    {line}" for line in _elements(array).splitlines()]
    return "\n".join([*lines, *(f"  {line}" for line in _more(len(result.outputs)))])


def result_html(result: Result) -> str:
    """Describe a result as HTML: its arrays, its kernels or steps, and the counters."""
    arrays = [
        (name, _array_title(array), f"<pre>{escape(_elements(array))}</pre>")
        for name, array in _outputs(result)
    ]
    shown = _title(f"hwc.Result: {_figures(result)}")
    shown += _table(("", "type", "elements"), arrays, is_html=2)
    shown += "".join(f"<p>{line}</p>" for line in _more(len(result.outputs)))
    if len(result.steps) > 1:
        rows = [_step_row(number, step) for number, step in enumerate(result.steps)]
        heads = ("step", "on", "operators", "cycles", "bytes", "roofline", "seconds")
        shown += _table(heads, rows, numbers=(0, 3, 4, 5, 6))
    elif result.kernels:
        shown += _kernels(result.kernels)
    return shown + _counters(result.counters)


def timing_text(timing: Timing) -> str:
    """Describe in one line what a call takes."""
    return f"hwc.Timing: {_figures(timing)}, {counted(len(timing.kernels), 'kernel')}"


def timing_html(timing: Timing) -> str:
    """Describe what a call takes as HTML."""
    return _title(timing_text(timing)) + _kernels(timing.kernels) + _counters(timing.counters)


def step_text(step: StepResult) -> str:
    """Describe in one line what a step took."""
    if step.counters is None:
        return f"<step on the host: {_short(step.operators)}; {1000 * step.seconds:.3g} ms>"
    took = f"{step.counters['cycles']:,} cycles, {_percent(step.roofline)} of the roofline"
    return f"<step on the machine: {_short(step.operators)}; {took}>"


def kernel_text(kernel: KernelResult) -> str:
    """Describe in one line what a kernel took."""
    where = f"kernel {kernel.kernel} of step {kernel.step}"
    took = f"{kernel.cycles:,} cycles, {_percent(kernel.roofline)} of the roofline"
    sizes = _sizes(kernel.sizes)
    return f"<{where}: {_short(kernel.operators)}; {sizes}; {took}; limit: {kernel.limit}>"


def row_html(row: Mapping[str, Any]) -> str:
    """Show a row of a table as HTML, one line for each column, without counters that are 0."""
    return _table((), [(name, _value(value)) for name, value in row.items() if value != 0])


def _program_title(program: Program) -> str:
    package = program.package
    closed = " (closed)" if program.closed else ""
    return f"hwc.Program: {_short(package.entry)} of {_short(package.source_name)}{closed}"


def _program_facts(program: Program) -> list[tuple[str, str]]:
    package = program.package
    facts = [("target", f"{program.target.name}, on the device {program.device_name}")]
    for role, tensors in (("argument", program.inputs), ("result", program.outputs)):
        names = [f"%{t.name}: " if role == "argument" else "" for t in tensors]
        for number, (name, tensor) in enumerate(zip(names, tensors[:ROWS], strict=False)):
            facts.append((f"{role} {number}", f"{_short(name)}{tensor}"))
        facts += [("", line) for line in _more(len(tensors))]
    choices = package.choices
    if len(choices) == 1:
        facts.append(("plans", _short(", ".join(a.name for a in choices[0].alternatives))))
    elif choices:
        count = prod(len(choice.alternatives) for choice in choices)
        facts.append(("plans", f"{count:,}, from {len(choices)} choices"))
    if package.host_steps:
        on_host = sum(isinstance(step, HostStep) for step in package.steps)
        steps = f"{len(package.steps) - on_host} on the machine, {on_host} on the host"
        facts.append(("steps", steps))
    return facts


def _figures(result: Result | Timing) -> str:
    accounts = result.accounts
    text = f"{result.cycles:,} cycles" if accounts is None else accounts.headline(result.cycles)
    kernels = result.kernels
    if kernels:
        share = roofline_share(result.counters, kernels[0].target)
        text += f", {_percent(share)} of the roofline"
    text += f", {bytes_moved(result.counters):,} bytes moved"
    return f"{text}, plan {_short(result.plan)}" if result.plan else text


def _outputs(result: Result) -> Iterator[tuple[str, NDArray[Any]]]:
    for number, array in enumerate(result.outputs[:ROWS]):
        yield f"result {number}", array


def _array_title(array: NDArray[Any]) -> str:
    return f"{array.dtype} {array.shape}"


def _elements(array: NDArray[Any]) -> str:
    if array.dtype.kind == "V":
        return "elements of a type that NumPy lacks"
    shown = np.array2string(array, threshold=ELEMENTS, edgeitems=2, max_line_width=LONGEST)
    lines = shown.splitlines()
    return "\n".join(lines if len(lines) <= LINES else [*lines[: LINES - 1], "..."])


def _step_row(number: int, step: StepResult) -> tuple[str, ...]:
    row = step.row()
    counts = ("", "", "")
    if row["cycles"] is not None:
        counts = (f"{row['cycles']:,}", f"{row['bytes']:,}", _percent(row["roofline"]))
    return (str(number), row["on"], row["operators"], *counts, f"{row['seconds']:.3g}")


def _kernels(kernels: Sequence[KernelResult]) -> str:
    # A kernel has the number of its place in the order of execution, as in traces and reports.
    heads = ("kernel", "operators", "sizes", "cycles", "bytes", "roofline", "limit")
    rows = [
        (
            *(str(number), kernel.operators, _sizes(kernel.sizes)),
            *(f"{kernel.cycles:,}", f"{bytes_moved(kernel.counters):,}"),
            *(_percent(kernel.roofline), kernel.limit),
        )
        for number, kernel in enumerate(kernels[:ROWS])
    ]
    table = _table(heads, rows, numbers=(0, 3, 4, 5))
    return table + "".join(f"<p>{line}</p>" for line in _more(len(kernels)))


def _counters(counters: Mapping[str, int]) -> str:
    rows = [(name, f"{value:,}") for name, value in counters.items() if value]
    table = _table((), rows, most=len(rows), numbers=(1,))
    return f"<details><summary>counters</summary>{table}</details>"


def _title(text: str) -> str:
    return f"<p><b>{escape(text)}</b></p>"


def _table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    is_html: int = -1,
    most: int = 3 * ROWS,
    numbers: Sequence[int] = (),
) -> str:
    """Return a table; do not escape the cells of column `is_html`; `numbers` are right-aligned."""
    if not rows:
        return ""
    styles = [
        f' style="text-align:{"right" if column in numbers else "left"}"'
        for column in range(len(rows[0]))
    ]
    head = "".join(
        f"<th{style}>{escape(text)}</th>" for style, text in zip(styles, heads, strict=False)
    )
    lines = [f"<tr>{head}</tr>"] if heads else []
    for row in rows[:most]:
        cells = (
            text if column == is_html else escape(_short(text)) for column, text in enumerate(row)
        )
        shown = (f"<td{style}>{cell}</td>" for style, cell in zip(styles, cells, strict=True))
        lines.append(f"<tr>{''.join(shown)}</tr>")
    more = len(rows) - most
    end = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table>{''.join(lines)}</table>{end}"


def _aligned(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max(len(name) for name, _ in rows)
    return (f"  {name:{width}}  {text}" for name, text in rows)


def _more(count: int) -> list[str]:
    return [f"and {count - ROWS} more"] if count > ROWS else []


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _sizes(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes)) or "scalar"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _value(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
