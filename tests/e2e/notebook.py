"""Execute the tour, and keep it with its outputs.

    PYTHONPATH=.:tests python tests/e2e/notebook.py [--notebook FILE] [--output FILE]

Without options it replaces examples/tour.ipynb, which is what to do after a change of what the
tour shows. Exit code 1 if a cell fails; the file is then unchanged.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from hwc.files import write_text
from isa.target import CONFIGS

TOUR = CONFIGS.parent / "examples" / "tour.ipynb"
SECONDS = 300
"""A cell may take this long."""


def execute(path: Path) -> Any:
    """Return a notebook with the outputs of now, and nothing that differs between runs."""
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    # A slow cell writes its text in several pieces; the notebook has it as one.
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources=folder,
        coalesce_streams=True,
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was executed
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def main(arguments: list[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description="Execute examples/tour.ipynb.")
    parser.add_argument("--notebook", type=Path, default=TOUR)
    parser.add_argument("--output", type=Path, default=TOUR)
    args = parser.parse_args(arguments)
    try:
        notebook = execute(args.notebook)
    except CellExecutionError as error:
        print(f"{args.notebook}: error: {error}", file=sys.stderr)
        return 1
    write_text(args.output, nbformat.writes(notebook) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
