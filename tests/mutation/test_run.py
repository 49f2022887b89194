"""The runner of deliberate bugs: how it judges a test's output, and how it ends."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mutation import run
from mutation.catalogue import Mutation
from mutation.run import BROKEN, CAUGHT, PASSED

LOCKSTEP = """\
F
=================================== FAILURES ===================================
E   AssertionError: seed 3 on tiny: counter cycles: simulator 812, hardware 811
=========================== short test summary info ============================
FAILED tests/lockstep/test_random.py::test_random_dispatches[0-tiny] - Assert...
!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!
1 failed in 78.12s (0:01:18)
"""
# The log of cocotb's runner begins lines like pytest's errors do; the bench ran all the same.
COCOTB = """\
INFO     Verilator:runner.py:734 Running command build/benches/unit_bench-tiny/unit_bench
ERROR    Verilator:runner.py:674 ERROR: Failed 2 of 2 tests.
FAILED rtl_models/tb/test_fp_fma.py::test_corners - AssertionError: unit_benc...
1 failed in 39.72s
"""
# An assertion of the hardware stops the simulation: the same words as a build that fails.
STOPPED = """\
[1200] %Error: scoreboard.sv:71: Assertion failed in TOP.bench.u_scoreboard: took too much
%Error: rtl_models/vector/scoreboard.sv:71: Verilog $stop
E   RuntimeError: Command failed with return code: -6
FAILED rtl_models/tb/test_vector_pipe.py::test_random - RuntimeError: Command...
1 failed in 12.01s
"""
WARNINGS = """\
%Warning-WIDTHEXPAND: rtl_models/core/word_check.sv:61:40: Operator GTE expects 64 bits
%Error: Exiting due to 1 warning(s)
E   RuntimeError: Command failed with return code: 1
FAILED rtl_models/tb/test_sequencer.py::test_sequencer[tiny] - RuntimeError: ...
1 failed in 3.20s
"""
CPP = """\
Vtop.cpp:12:1: error: expected unqualified-id before '}' token
make: *** [Vtop.mk:80: Vtop.o] Error 1
E   RuntimeError: Command failed with return code: 2
FAILED rtl_models/tb/test_sequencer.py::test_sequencer[tiny] - RuntimeError: ...
1 failed in 9.00s
"""
COCOTB_ALONE = """\
E   RuntimeError: Command failed with return code: 1
FAILED rtl_models/tb/test_sequencer.py::test_sequencer[tiny] - RuntimeError: ...
1 failed in 3.20s
"""
LOCKSTEP_BUILD = """\
E   BuildError: error: the hardware for target tiny cannot be built; verilator says:
FAILED tests/lockstep/test_random.py::test_random_dispatches[0-tiny] - rtl_mo...
1 failed in 4.00s
"""
AROUND = """\
ERROR rtl_models/tb/test_fp_fma.py::test_corners - RuntimeError
1 failed, 1 error in 3.00s
"""
ABSENT = "ERROR: not found: test_fp_fma.py::test_corner\n\nno tests ran in 0.01s\n"


@pytest.mark.parametrize(
    ("returncode", "output", "built", "expected"),
    [
        (1, LOCKSTEP, True, CAUGHT),
        (1, COCOTB, True, CAUGHT),
        (1, STOPPED, True, CAUGHT),
        (0, "1 passed in 60.00s\n", True, PASSED),
        (0, "1 skipped in 0.10s\n", False, BROKEN),
        (1, WARNINGS, False, BROKEN),
        (1, CPP, False, BROKEN),
        (1, COCOTB_ALONE, False, BROKEN),
        (1, LOCKSTEP_BUILD, False, BROKEN),
        # The second of two builds fails.
        (1, WARNINGS, True, BROKEN),
        (1, CPP, True, BROKEN),
        (1, LOCKSTEP_BUILD, True, BROKEN),
        (1, AROUND, True, BROKEN),
        (4, ABSENT, True, BROKEN),
        (2, "!!! KeyboardInterrupt !!!\n1 failed in 3.00s\n", True, BROKEN),
    ],
)
def test_outcome(returncode, output, built, expected):
    assert run.outcome(returncode, output, built=built) == expected


def mutation(name: str = "wrong", test: str = "test_it.py::test_it") -> Mutation:
    return Mutation(name, "a bug", "a.sv", "x", "y", test)


# Builds a simulation, which is the text of the source, and finds no y in it.
TEST = """
import os
from pathlib import Path

def test_it():
    text = Path("rtl_models/a.sv").read_text()
    assert text != "syntax"
    built = Path(os.environ["HWC_CACHE"]) / "bench"
    built.parent.mkdir()
    built.write_text(text)
    built.chmod(0o755)
    assert text != "a y b"
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """Let the runner copy a small tree instead of the repository."""

    def snapshot(root: Path) -> None:
        (root / "rtl_models").mkdir(parents=True)
        (root / "rtl_models" / "a.sv").write_text("a x b")
        (root / "test_it.py").write_text(TEST)

    monkeypatch.setattr(run, "snapshot", snapshot)


def listed(monkeypatch, *mutations: Mutation) -> None:
    monkeypatch.setattr(run, "load", lambda: list(mutations))


def test_caught(sources, monkeypatch, capsys, tmp_path):
    listed(monkeypatch, mutation())
    page = tmp_path / "page.md"
    assert run.main(["--jobs", "1", "--write", str(page)]) == 0
    row = "| wrong | a bug | `a.sv` | `test_it.py::test_it` | assert text"
    assert row in capsys.readouterr().out
    assert page.read_text().startswith("# ")
    assert row in page.read_text()


def test_what_was_tried_is_kept_for_the_same_sources(sources, monkeypatch, capsys, tmp_path):
    ran: list[str] = []
    run_test = run.run_test

    def counted(root: Path, test: str) -> tuple[str, str]:
        ran.append((root / "rtl_models" / "a.sv").read_text())
        return run_test(root, test)

    monkeypatch.setattr(run, "run_test", counted)
    unseen = Mutation("unseen", "a bug", "a.sv", "x", "z", "test_it.py::test_it")
    listed(monkeypatch, mutation(), unseen)
    arguments = ["--jobs", "1", "--kept", str(tmp_path / "kept")]
    assert run.main(arguments) == 1
    first = capsys.readouterr().out
    assert ran == ["a x b", "a y b", "a z b"]
    assert run.main(arguments) == 1
    assert capsys.readouterr().out == first
    assert ran[3:] == ["a z b"]  # which a better test may catch

    def changed(root: Path) -> None:
        (root / "rtl_models").mkdir(parents=True)
        (root / "rtl_models" / "a.sv").write_text("a x b")
        (root / "test_it.py").write_text(f"{TEST}\n")

    monkeypatch.setattr(run, "snapshot", changed)
    assert run.main(arguments) == 1
    assert ran[4:] == ["a x b", "a y b", "a z b"]


def test_not_caught_and_broken(sources, monkeypatch, capsys, tasks_at_once):
    unseen = Mutation("unseen", "a bug", "a.sv", "x", "z", "test_it.py::test_it")
    syntax = Mutation("syntax", "a bug", "a.sv", "a x b", "syntax", "test_it.py::test_it")
    listed(monkeypatch, unseen, syntax)
    assert run.main([]) == 1
    out, err = capsys.readouterr()
    assert "| unseen | a bug | `a.sv` | `test_it.py::test_it` | **not caught** |" in out
    assert "| syntax | a bug | `a.sv` | `test_it.py::test_it` | **broken** |" in out
    assert "syntax: broken:" in err
    assert "mutations" not in err  # no progress where nobody looks


@pytest.mark.parametrize(
    ("mutations", "arguments", "message"),
    [
        ([mutation()], ["--only", "other"], "error: there is no mutation other\n"),
        (
            [Mutation("away", "a bug", "a.sv", "q", "y", "test_it.py::test_it")],
            [],
            "mutations.yaml: error: away: a.sv has the text 0 times, expected once: 'q'; "
            "adapt the mutation to the source\n",
        ),
        (
            [mutation(test="test_it.py::test_no")],
            [],
            "error: test_it.py::test_no does not pass without a mutation\n",
        ),
    ],
)
def test_nothing_tried(sources, monkeypatch, capsys, mutations, arguments, message):
    listed(monkeypatch, *mutations)
    assert run.main(arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(message)


def test_a_test_that_hangs(tmp_path, monkeypatch):
    (tmp_path / "test_it.py").write_text("import time\ndef test_it(): time.sleep(60)\n")
    monkeypatch.setattr(run, "SECONDS", 1)
    assert run.run_test(tmp_path, "test_it.py") == (BROKEN, "more than 1 s")


def test_snapshot(tmp_path, monkeypatch):
    """What git tracks or would, but no builds, no deleted file, no link to a folder."""
    clone = tmp_path / "clone"
    clone.mkdir()
    (clone / ".gitignore").write_text("build/\n")
    for name in ("tracked.sv", "new.sv", "gone.sv", "build/x"):
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text(name)
    subprocess.run(["git", "-C", str(clone), "init", "-q"], check=True)
    subprocess.run(["git", "-C", str(clone), "add", "tracked.sv", "gone.sv"], check=True)
    (clone / "gone.sv").unlink()
    (clone / ".venv").symlink_to(clone / "build")
    monkeypatch.setattr(run, "ROOT", clone)
    run.snapshot(tmp_path / "sources")
    found = {path.name for path in (tmp_path / "sources").iterdir()}
    assert found == {".gitignore", "tracked.sv", "new.sv"}


def test_no_clone(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(run.RunError, match="run this in a clone"):
        run.snapshot(tmp_path / "sources")


def test_the_list_alone_is_written(capsys):
    with pytest.raises(SystemExit):
        run.main(["--only", "rounding", "--write", "page.md"])
    assert "without --only" in capsys.readouterr().err
