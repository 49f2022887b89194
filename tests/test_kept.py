"""Findings that are kept: where they are, for which sources, and after an interruption."""

from pathlib import Path

import pytest
from kept import Kept, digest

from hwc.errors import UserError


def test_findings_are_there_in_the_next_run(tmp_path):
    kept = Kept(tmp_path / "new" / "folder", "state")
    assert kept.find("a") is None
    kept.keep("a", [1, None, "ä"])
    assert kept.find("a") == [1, None, "ä"]
    assert Kept(tmp_path / "new" / "folder", "state").find("a") == [1, None, "ä"]
    assert Kept(tmp_path / "new" / "folder", "other").find("a") is None


def test_a_line_that_was_cut_off(tmp_path):
    kept = Kept(tmp_path, "state")
    kept.keep("a", 1)
    kept.keep("b", 2)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text()[:-3])
    again = Kept(tmp_path, "state")
    assert (again.find("a"), again.find("b")) == (1, None)
    again.keep("c", 3)
    again.keep("d", 4)
    last = Kept(tmp_path, "state")
    assert [last.find(key) for key in "abcd"] == [1, None, 3, 4]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="file: error: cannot keep results: "):
        Kept(tmp_path / "file", "state")


def test_the_state_of_sources(tmp_path):
    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def state(*paths: Path) -> str:
        return digest(tmp_path, paths)

    write("a/x.py", "x")
    write("b.txt", "b")
    both = tmp_path / "a", tmp_path / "b.txt"
    first = state(*both)
    write("a/__pycache__/x.pyc", "compiled")
    write("a/README.md", "words")
    write("c.txt", "not asked for")
    assert state(*both) == first
    assert state(tmp_path / "a") != first
    write("a/x.py", "y")
    assert state(*both) != first
    write("a/x.py", "x")
    (tmp_path / "a" / "x.py").rename(tmp_path / "a" / "y.py")
    assert state(*both) != first
