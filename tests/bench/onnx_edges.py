"""Runs special values through the element-wise operators of ONNX: a table of the differences.

    PYTHONPATH=.:tests python tests/bench/onnx_edges.py [--write]

`--write` writes the page docs/reports/onnx_edges.md. Exit code 1 if a difference is not explained.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path

from e2e.support.onnx_edge_cases import OPERATORS
from e2e.support.onnx_edges import differences

from hwc.files import write_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "onnx_edges.md"
PREFACE = (
    "`PYTHONPATH=.:tests python tests/bench/onnx_edges.py --write` writes this page: signed zeros, "
    "1, halves, subnormals, the largest numbers, infinities and NaN through every operator of "
    "`RULES` in `hwc/onnx/operators.py`, in every opset in which its definition differs, with "
    "every type, attributes left out and given, operands as inputs and as constants, and sizes "
    "that are free, known, 0 and 1. Each result of the machine is compared with ONNX's reference "
    "evaluator and with ONNX Runtime without optimisations, if they have the operator for the "
    "type. Functions may differ by 4 ulp, all others not at all; NaNs are equal. A reason "
    "(`tests/e2e/support/onnx_edge_reasons.py`) holds for the operands that it names, and only if "
    "the machine computes what ONNX's documents define."
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
        for (judge, why), all_ in found.items():
            unexplained += 0 if why else len(all_)
            first = all_[0]
            text = f"opset {first.case.version}, {first.case.result[0]} {first.text}"
            rows.append([operator, judge, str(len(all_)), why or "not explained", text])
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
