"""The section of a page with the source of each kernel beside its instructions."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

from hwc.reports.code import Row, SourceText, rows
from hwc.reports.report import Ran
from hwc.reports.words import by_x, short


def folded(summary: str, content: str) -> str:
    """Return HTML whose content a reader can expand."""
    return f"<details><summary>{summary}</summary>{content}</details>"


def kernel_code(row: Ran, source: SourceText, names: Mapping[str, str], *, is_open: bool) -> str:
    """Return the facts about a kernel, and its instructions beside the source, in HTML.

    `names` maps buffers to readable names.
    """
    result, kernel = row.result, row.kernel
    assert result is not None and kernel is not None
    head = (
        f"<b>{row.number}</b> {html.escape(short(row.operators))} "
        f"<span class=quiet>{result.cycles:,} cycles</span>"
    )
    needs = ", ".join(f"{name} {cycles:,}" for name, cycles in result.resources.items())
    stalls = ", ".join(f"{n.replace('_', ' ')} {c:,}" for n, c in result.stalls.items())
    facts = [f"Computes {row.operators}.", f"Sizes {by_x(result.sizes)}, {result.points:,} points."]
    if result.points:
        facts += [
            f"Fetched from cycle {result.start:,} and written until cycle {result.end:,} of "
            f"dispatch {result.dispatch} of step {result.step}.",
            f"Cycles at best: {needs}; limited by {result.limit}.",
            f"Waited: {stalls or 'never'}.",
        ]
    else:
        facts.append("Without points, only its set-up takes cycles.")
    lines = "".join(f"<li>{html.escape(fact)}</li>" for fact in facts)
    columns = {line.line: line.column for line in kernel.lines}
    words = list(rows(kernel))
    loop = next((w.number for w in words if w.text.startswith("loop")), 0)

    def table(part: Sequence[Row], last: str, label: str) -> str:
        if all(word.line is None and not word.remark for word in part):
            last = ""
        lines = "\n".join(_code_rows(part, columns, source, names, has_last=bool(last)))
        return _code_table(lines, last, f"{label} kernel {row.number}")

    body = table(words[loop:], "source", "Instructions of")
    setup = table(words[:loop], "parameter", "Words that set up")
    more = folded(f"The {loop} words that set up its streams", setup) if loop else ""
    wanted = " open" if is_open else ""
    return (
        f'<details class="kernel" id="kernel-{row.number}"{wanted}><summary>{head}</summary>\n'
        f"<ul class=plain>{lines}</ul>\n{body}{more}</details>"
    )


def _code_table(body: str, last: str, label: str) -> str:
    """Return a table of instructions; `last` is the head of its last column, '' if it has none."""
    column = f"<th scope=col>{last}</th>" if last else ""
    return (
        f'<div class="table code" tabindex="0" role="region" aria-label="{label}"><table>'
        "<thead><tr>"
        "<th scope=col class=number>word</th><th scope=col>instruction</th>"
        f"{column}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _code_rows(
    words: Sequence[Row],
    columns: Mapping[int, int],
    source: SourceText,
    names: Mapping[str, str],
    *,
    has_last: bool,
) -> Iterator[str]:
    """Yield the rows of a kernel's words; words from the same source line share a cell.

    Without a last column, a row has only the number and the instruction.
    """
    at = 0
    while at < len(words):
        word = words[at]
        end = at + 1
        while word.line is not None and end < len(words) and words[end].line == word.line:
            end += 1
        if word.line is None:
            value = names.get(word.remark, word.remark)
            shown = word.remark if value == word.remark else f"{value} ({word.remark})"
            size = "size " if word.text.startswith("size") and shown else ""
            cell = f"<td class=quiet>{size}{html.escape(shown)}</td>"
        else:
            text = html.escape(source.line(word.line, columns.get(word.line, 1)))
            where = f"<span class=quiet>line {word.line}</span>"
            cell = f"<td class=source rowspan={end - at}>{where} <code>{text}</code></td>"
        if not has_last:
            cell = ""
        for each in words[at:end]:
            code = html.escape(each.text)
            yield (
                f"<tr><td class=number>{each.number}</td><td><code>{code}</code></td>{cell}</tr>"
            )
            cell = ""
        at = end
