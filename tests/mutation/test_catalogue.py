"""The list of deliberate bugs fits the sources, and says so where it does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from mutation.catalogue import CatalogueError, load

ROOT = Path(__file__).resolve().parents[2]
ENTRY = dict(name="m", bug="a bug", file="a.sv", find="x", replace="y", test="t")


def write(path: Path, *entries: dict[str, str]) -> Path:
    path.write_text(yaml.safe_dump(list(entries)))
    return path


@pytest.mark.parametrize("mutation", load(), ids=lambda mutation: mutation.name)
def test_every_mutation_applies_once(mutation):
    mutation.changed(ROOT / "rtl_models" / mutation.file)


def test_every_test_exists():
    """With the parameters in brackets, too: pytest says which one it does not find."""
    tests = sorted({mutation.test for mutation in load()})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist", "-m", ""]
    done = subprocess.run([*command, *tests], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_there_are_enough():
    mutations = load()
    assert len(mutations) >= 30
    assert sum("tests/lockstep" in m.test for m in mutations) >= len(mutations) // 2


@pytest.mark.parametrize(("text", "count"), [("a b", 0), ("x x", 2)])
def test_a_text_that_is_not_there_once(tmp_path, text, count):
    (mutation,) = load(write(tmp_path / "list.yaml", ENTRY))
    (tmp_path / "rtl_models").mkdir()
    source = tmp_path / "rtl_models" / "a.sv"
    source.write_text(text)
    with pytest.raises(CatalogueError, match=f"m: a.sv has the text {count} times"):
        mutation.plant(tmp_path)
    assert source.read_text() == text


def test_planting(tmp_path):
    (mutation,) = load(write(tmp_path / "list.yaml", ENTRY))
    (tmp_path / "rtl_models").mkdir()
    source = tmp_path / "rtl_models" / "a.sv"
    source.write_text("a x b")
    mutation.plant(tmp_path)
    assert source.read_text() == "a y b"


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([{**ENTRY, "extra": "1"}], "missing or unknown: extra"),
        ([{k: v for k, v in ENTRY.items() if k != "test"}], "missing or unknown: test"),
        ([{**ENTRY, "replace": "x"}], "are the same"),
        ([ENTRY, ENTRY], "two of that name"),
    ],
)
def test_a_list_that_is_wrong(tmp_path, entries, message):
    with pytest.raises(CatalogueError, match=message):
        load(write(tmp_path / "list.yaml", *entries))
