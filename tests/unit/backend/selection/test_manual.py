"""docs/elementwise.md: it is what the table of rules gives, and misses no operation of mlir-opt 22.

`python tests/unit/backend/selection/test_manual.py --write` writes the page.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hwc.backend.selection.manual import operations_without_a_row, page
from hwc.dialects.upstream_arith import Arith
from hwc.dialects.upstream_math import Math
from hwc.frontend.scalar_operations import BEHAVIOUR, REFUSED, refusal

PAGE = Path(__file__).resolve().parents[4] / "docs" / "elementwise.md"


def upstream():
    """The folder of upstream's tools, which are part of a Python package, or None."""
    folders = (Path(folder) / "mlir" for folder in sys.path)
    return next((folder for folder in folders if (folder / "bin" / "mlir-opt").is_file()), None)


def test_the_page_is_up_to_date():
    expected = PAGE.read_text(encoding="utf-8")
    assert page() == expected, f"run python {Path(__file__).name} --write"


def test_every_rule_has_a_behaviour_and_every_behaviour_a_rule():
    missing, without_rule = operations_without_a_row()
    assert not missing, f"hwc/frontend/scalar_operations.py: give BEHAVIOUR of {sorted(missing)}"
    assert not without_rule, f"{sorted(without_rule)} have no rule: REFUSED needs the reason"


def test_an_operation_is_either_compiled_or_refused():
    assert not set(BEHAVIOUR) & set(REFUSED)
    assert refusal("arith.addf") is None
    message, advice = refusal("math.cosh") or ("", "")
    assert message.startswith("'math.cosh' is not supported: ")
    assert advice


def test_no_operation_of_xdsl_is_missing():
    names = {op.name for op in (*Arith.operations, *Math.operations)}
    assert names <= set(BEHAVIOUR) | set(REFUSED)


def test_no_operation_of_mlir_opt_is_missing():
    """The names are strings in the library; mlir-opt says which of them are operations."""
    folder = upstream()
    if folder is None:
        pytest.skip("mlir-opt is not installed")
    library = next((folder / "lib").glob("libMLIR.so*")).read_bytes()
    found = re.findall(rb"(?<![\w.])(?:arith|math)\.[a-z0-9_]+(?=\x00)", library)
    names = sorted({name.decode() for name in found} | set(BEHAVIOUR) | set(REFUSED))
    text = "\n// -----\n".join(f'"{name}"() : () -> ()' for name in names)
    command = [str(folder / "bin" / "mlir-opt"), "--split-input-file", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    unknown = set(re.findall(r"unregistered operation \'([a-z0-9_.]+)\'", done.stderr))
    unknown |= set(re.findall(r"#?'?([a-z0-9_.]+)'? op created with unregistered", done.stderr))
    operations = set(names) - unknown
    assert len(operations) > 90, done.stderr[:2000]
    assert operations == set(BEHAVIOUR) | set(REFUSED)


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    PAGE.write_text(page(), encoding="utf-8")
