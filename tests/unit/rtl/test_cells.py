"""`python -m rtl_models.synthesis --cells`: what is counted, and what is counted again."""

from __future__ import annotations

import json

import pytest

from rtl_models.synthesis import __main__ as command
from rtl_models.synthesis import cells
from rtl_models.synthesis.run import SynthesisError

COUNTS = {"cells": 7, "flip_flops": 3, "memories": 1, "memory_bits": 64}


@pytest.fixture
def counted(monkeypatch):
    """The targets that are synthesised, of three; their hardware is not."""
    found: list[str] = []

    def count(target, top, folder, progress):
        if found.count("fails"):
            raise SynthesisError("error: no")
        found.append(f"{target.name} {target.lanes}")
        return COUNTS

    monkeypatch.setattr(command, "need_tools", lambda: None)
    monkeypatch.setattr(command, "count", count)
    monkeypatch.setattr(command, "sources_digest", lambda: "now")
    monkeypatch.setattr(
        cells, "TARGETS", (("tiny", {}), ("tiny", {"lanes": 4}), ("accel", {"lanes": 4}))
    )
    return found


def test_what_is_there_is_not_counted_again(counted, tmp_path, capsys):
    file = tmp_path / "cells.json"
    arguments = ["--folder", str(tmp_path / "work"), "--cells", str(file)]
    assert command.main(arguments) == 0
    assert counted == ["tiny 2", "tiny 4", "accel 4"]
    rows = json.loads(file.read_text())["targets"]
    assert [row["target"]["lanes"] for row in rows] == [2, 4, 4]
    assert all(
        {**row, "target": None} == {**COUNTS, "sources": "now", "target": None} for row in rows
    )
    assert all("name" not in row["target"] for row in rows)
    whole = file.read_text()
    # A row of other sources, and one that is gone.
    rows[0]["sources"] = "before"
    file.write_text(cells.text(rows[:2]))
    counted.clear()
    assert command.main(arguments) == 0
    assert counted == ["tiny 2", "accel 4"]
    assert file.read_text() == whole
    counted.clear()
    assert command.main(arguments) == 0
    assert counted == []
    assert capsys.readouterr().out == f"see {file}\n" * 3


def test_a_target_that_yosys_does_not_take(counted, tmp_path, capsys):
    counted.append("fails")
    assert command.main(["--folder", str(tmp_path), "--cells", str(tmp_path / "c.json")]) == 1
    assert capsys.readouterr().err == "error: no\n"
    assert not (tmp_path / "c.json").exists()


def test_comments_are_not_hardware(tmp_path, monkeypatch):
    source = tmp_path / "wire.sv"
    monkeypatch.setattr(cells, "packages", lambda target: [target])
    monkeypatch.setattr(cells, "modules", lambda: {"wire": source})

    def digest(text: str) -> str:
        source.write_text(text)
        return cells.sources_digest()

    before = digest("// As it comes.\nassign b_o = a_i;\n")
    assert digest("// It goes out\n// as it comes.\nassign b_o = a_i;  // at once\n") == before
    assert digest("assign b_o = ~a_i;\n") != before
