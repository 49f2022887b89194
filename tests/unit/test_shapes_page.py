"""The table of reference items in docs/shapes.md: each has a test that exists, or a reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TITLE = "## The reference documents, item by item"
ITEMS = {"000": 40, "001": 28, "002": 35, "003": 34, "004": 36}
"""Number of items of each document."""

REASON = "stays out: "


def rows() -> list[tuple[str, str, str]]:
    """Document, item, and what the table says about it."""
    text = (ROOT / "docs" / "shapes.md").read_text(encoding="utf-8").partition(TITLE)[2]
    found: list[tuple[str, str, str]] = []
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        table = re.findall(r"^\| (.+) \| (.+) \|$", section, re.M)
        found += [(section[:3], item, test) for item, test in table if item != "item"]
    return found


@cache
def functions(path: Path) -> set[str]:
    """The names of a file's test functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def problem(test: str) -> str | None:
    """What is wrong with the second column of a row, None if nothing is."""
    named = re.findall(r"`((?:e2e|unit|filecheck|lockstep|bench)/[^`]+)`", test)
    if not named:
        return None if REASON in test and test.partition(REASON)[2] else "neither test nor reason"
    for reference in named:
        file, _, case = reference.partition("::")
        path = ROOT / "tests" / file
        name, _, parameter = case.partition("[")
        if not path.is_file():
            return f"there is no file tests/{file}"
        if path.suffix == ".mlir":
            continue
        if name not in functions(path):
            return f"there is no test {name or '(no name)'} in tests/{file}"
        if parameter and f'"{parameter[:-1]}"' not in path.read_text(encoding="utf-8"):
            return f"{name} has no case {parameter[:-1]!r}"
    return None


def test_every_item_is_there_once():
    found = rows()
    for document, count in ITEMS.items():
        items = [item for where, item, _ in found if where == document]
        assert len(items) == len(set(items)) == count, document
    assert len(found) == sum(ITEMS.values()) == 173


def test_every_test_exists_and_every_other_item_has_a_reason():
    wrong = [f"{d}, {item}: {p}" for d, item, test in rows() if (p := problem(test))]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("`unit/test_shapes_page.py::rows`", None),
        ("`unit/test_shapes_page.py::test_nothing`", "there is no test test_nothing"),
        ("`unit/test_shapes_page.py`", "there is no test"),
        ("`unit/test_nothing.py::test_a`", "there is no file tests/unit/test_nothing.py"),
        ("`unit/test_shapes_page.py::problem[nothing at all]`", "problem has no case"),
        ("stays out: not element-wise", None),
        ("stays out: ", "neither test nor reason"),
        ("works", "neither test nor reason"),
    ],
)
def test_a_wrong_row_is_found(test, expected):
    found = problem(test)
    assert (found is None) if expected is None else expected in (found or "")
