"""examples/tour.ipynb: every cell runs, and shows what it shows in the committed notebook."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from e2e.notebook import TOUR
from e2e.support.pages import ROOT

FORMS = ("text/plain", "text/html")


def shown(notebook: Any) -> list[tuple[str, str]]:
    """The source of each cell of code, with the texts that it shows; plots have no texts."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            texts = [
                text
                for output in cell.outputs
                for text in (output.get("text"), *map(output.get("data", {}).get, FORMS))
                if text
            ]
            cells.append((cell.source, "\n".join(texts)))
    return cells


def execute(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command, in a process of its own: what a kernel warns of is not an error of hwc."""
    return subprocess.run(
        [sys.executable, ROOT / "tests" / "e2e" / "notebook.py", *arguments],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_tour(tmp_path):
    output = tmp_path / "tour.ipynb"
    done = execute("--output", output)
    assert done.returncode == 0, done.stderr
    kept, now = nbformat.read(TOUR, 4), nbformat.read(output, 4)
    assert shown(now) == shown(kept), "run tests/e2e/notebook.py, and look at what it changed"
    assert str(now).count("image/png") == str(kept).count("image/png") == 2
    errors = [text for _, text in shown(kept) if "do not broadcast" in text]
    assert len(errors) == 1


def test_a_cell_that_fails(tmp_path):
    bad, new = tmp_path / "bad.ipynb", tmp_path / "new.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]), bad)
    done = execute("--notebook", bad, "--output", new)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert not new.exists()


def test_its_links_are_there():
    text = "\n".join(cell.source for cell in nbformat.read(TOUR, 4).cells)
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links
    assert [link for link in links if not (TOUR.parent / link).exists()] == []
