"""Parts for IREE: how its compiler is started."""

from __future__ import annotations

import sys
import time

import pytest

from hwc.tosa import parts

binaries = pytest.importorskip("iree.compiler.tools.binaries")

SLOW = """#!{python}
import sys, time
time.sleep(0.6)
print(len(sys.stdin.buffer.read()))
"""
FAILING = """#!{python}
import sys
sys.exit("<stdin>:1:1: error: no")
"""


def compiler(monkeypatch, tmp_path, text):
    """Put a program in place of IREE's compiler."""
    path = tmp_path / "compiler"
    path.write_text(text.format(python=sys.executable))
    path.chmod(0o755)
    monkeypatch.setattr(binaries, "find_tool", lambda _: str(path))


def test_a_compiler_that_starts_slowly_reads_a_large_text(monkeypatch, tmp_path):
    """The text is larger than what a pipe holds."""
    compiler(monkeypatch, tmp_path, SLOW)
    start = time.monotonic()

    def reach(_, seconds):
        assert time.monotonic() < start + 20, "the compiler waits for its input"

    monkeypatch.setattr(parts.Task, "reach", reach)
    text = "x" * 1_000_000
    assert parts.parts_module({"part": parts.PartText(text, (), {})}).split() == [b"1000000"]


def test_a_reason_is_not_in_the_engines_words(monkeypatch, tmp_path):
    compiler(monkeypatch, tmp_path, FAILING)
    with pytest.raises(parts.RefusedError, match="no") as refused:
        parts.parts_module({"part": parts.PartText("x", (), {})})
    assert not refused.value.reason
