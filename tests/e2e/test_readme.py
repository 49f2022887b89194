"""Every command of the README is run, and its output is the output that the README shows.

Shell blocks: a line `$ command` is run, the lines below it are its output, standard output and
then errors; `...` stands for any text. Python blocks are doctests. A block of MLIR is a file, named
in the sentence above it.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"`([\w.]+)`[^`\n]*$")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(block):
    """The commands of a shell block, each with the output shown for it."""
    assert block.startswith("$ ")
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def check_shell(block, folder):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for command, shown in commands(block):
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


def test_the_tour(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds = []
    for match in BLOCK.finditer(README):
        kind, block = match.groups()
        kinds.append(kind)
        if kind == "mlir":
            name = NAMED.search(README[: match.start()].rstrip().rpartition("\n\n")[2])
            assert name, "the sentence above the block names the file"
            (tmp_path / name[1]).write_text(block)
        elif kind == "sh":
            check_shell(block, tmp_path)
        elif kind == "python":
            test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
            results = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
            assert (results.failed, results.attempted > 0) == (0, True)
        else:
            assert kind == "text"
    assert {"mlir", "sh", "python"} <= set(kinds)


def test_every_file_it_links_to_is_there():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert links
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing


def test_the_commands_it_names_are_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([\w-]+)", README):
        assert re.search(rf"^{target}:", makefile, re.M), target
