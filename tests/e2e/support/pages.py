"""Pages of documentation whose commands are run: the output has to be the one that the page shows.

Shell blocks: a line `$ command` is run, the lines below it are its output, standard output and
then errors; `...` stands for any text. Python blocks are doctests, each with the names of those
before it. A block of MLIR is a file, named in the sentence above it.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"`([\w.]+)`[^`\n]*$")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def check_page(page: str, folder: Path) -> set[str]:
    """Run the blocks of a page in a folder, which is the current one; return their kinds."""
    kinds: set[str] = set()
    names: dict[str, object] = {}
    for match in BLOCK.finditer(page):
        kind, block = match.groups()
        kinds.add(kind)
        if kind == "mlir":
            name = NAMED.search(page[: match.start()].rstrip().rpartition("\n\n")[2])
            assert name, "the sentence above the block names the file"
            (folder / name[1]).write_text(block)
        elif kind == "sh":
            check_shell(block, folder)
        elif kind == "python":
            test = doctest.DocTestParser().get_doctest(block, names, "page", "page", 0)
            runner = doctest.DocTestRunner(optionflags=OPTIONS)
            results = runner.run(test, clear_globs=False)
            names = test.globs
            assert (results.failed, results.attempted > 0) == (0, True)
        else:
            assert kind == "text"
    return kinds


def check_shell(block: str, folder: Path) -> None:
    """Run the commands of a shell block, and compare what comes with what is shown."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command, shown in _commands(block):
        done = subprocess.run(
            command.split(),
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        came = done.stdout + done.stderr
        assert doctest.OutputChecker().check_output(shown, came, OPTIONS), f"{command}\n{came}"


def missing_links(page: Path) -> list[str]:
    """Return the links of a page to files that are not there; it has some links."""
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    links = [link for link in links if "://" not in link]
    assert links
    return [link for link in links if not (page.parent / link).exists()]


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a shell block, each with the output shown for it."""
    assert block.startswith("$ ")
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output
