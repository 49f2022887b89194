"""Runs special values through the element-wise operators of ONNX: a table of the differences.

    PYTHONPATH=.:tests python tests/bench/onnx_edges.py [--write]

`--write` writes the page docs/reports/onnx_edges.md. Exit code 1 if a difference is not explained.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path

from e2e.support.onnx_edges import EXPLAINED, OPERATORS, differences

from hwc.files import write_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "onnx_edges.md"
PREFACE = (
    "`PYTHONPATH=.:tests python tests/bench/onnx_edges.py --write` writes this page: signed zeros, "
    "1, halves, subnormals, the largest numbers, infinities and NaN, sizes of 0 and 1, every "
    "opset from 7 on in which an operator changes, every type, attributes left out and given, and "
    "the last operand as an input and as a constant. Each result of the machine is compared with "
    "ONNX's reference evaluator and with ONNX Runtime without optimisations, if they have the "
    "operator for the type. Functions may differ by 4 ulp, all others not at all; NaNs are equal."
)


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    write = parser.parse_args().write
    compared, unexplained = 0, 0
    rows = [["operator", "judge", "elements", "why", "first"], [":--", ":--", "--:", ":--", ":--"]]
    for operator in OPERATORS:
        count, found = differences(operator)
        compared += count
        for judge, texts in found.items():
            why = EXPLAINED.get((operator, judge), "not explained")
            unexplained += len(texts) if why == "not explained" else 0
            rows.append([operator, judge, str(len(texts)), why, texts[0]])
    totals = f"{compared} comparisons; {unexplained} differences are not explained."
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    head = f"# Edges of ONNX operators\n\n{textwrap.fill(PREFACE, 100)}\n\n"
    text = f"{head}{totals}\n\n{table}"
    if write:
        write_text(PAGE, text)
    print(text if not write else totals)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
