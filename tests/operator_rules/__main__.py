"""Break every rule of every operator of TOSA 1.0, and write docs/reports/operator_rules.md.

    PYTHONPATH=.:tests python -m operator_rules [--write] [OPERATOR ...]

Exit code 1 if a misfit is accepted, crashes or is refused without operator, place or origins, or if
a legal example is refused or wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from operator_rules.check import (
    NOT_COMPILED,
    REFUSED,
    examples,
    judged,
    misfits,
    refusals,
)
from operator_rules.report import page

from hwc.files import write_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "operator_rules.md"


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("operators", nargs="*", help="these operators only, and nothing is written")
    args = parser.parse_args()
    chosen = [e for e in examples() if not args.operators or e.operator in args.operators]
    found = refusals(misfits(chosen))
    legal = judged(chosen)
    text = page(found, legal)
    if args.write and not args.operators:
        write_text(PAGE, text)
    else:
        print(text)
    wrong = [each for each in found if each.verdict != REFUSED or each.lacks]
    bad = [problem for problem in legal.values() if problem not in (None, NOT_COMPILED)]
    return 1 if wrong or bad else 0


if __name__ == "__main__":
    sys.exit(main())
