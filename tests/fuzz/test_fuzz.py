"""Hostile input: kept cases, a short run of each kind, and whether the fuzzer notices a defect.

`make fuzz` runs for as long as one likes.
"""

import os
import subprocess
import sys
import time

import pytest
from fuzz import calls, mlir, outcomes, packages, values
from fuzz.kinds import Defect, Kind, kinds
from fuzz.outcomes import ROOT
from fuzz.worker import Failure, Session, play, shrink
from lockstep.support import machine

from hwc.errors import UserError
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Location
from isa.target import load_target

CORPUS = sorted(path for path in (ROOT / "tests" / "fuzz" / "corpus").rglob("*") if path.is_file())

CASES = {"mlir": 150, "package": 500, "target": 1000, "npy": 1000, "value": 400}
"""Cases of the short run; each kind takes about half a second."""


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_kept_cases(path):
    result = play(kinds()[path.parent.name], path.read_bytes())
    assert isinstance(result, str), result


@pytest.mark.parametrize("name", kinds())
def test_seeds_are_accepted_or_refused(name):
    seen = [play(kinds()[name], case) for case in kinds()[name].seeds()]
    assert not [result for result in seen if isinstance(result, Failure)]


@pytest.mark.parametrize("name", CASES)
def test_a_short_run(name):
    session = Session(kinds()[name], "short")
    session.run(lambda session: session.cases >= CASES[name])
    assert not session.failures, next(iter(session.failures.values()))
    assert len(session.outcomes) > 10
    assert session.slowest < 5


def test_packages_that_load_run_alike_on_simulator_and_hardware():
    lockstep = machine("tiny")
    pair = calls.Pair(load_target("tiny"), lockstep)
    for case in packages.seeds()[:3]:  # the sizes of the fourth are elements, which have to fit
        assert play(kinds()["package"], case, pair) == "ran on both"
    session = Session(kinds()["package"], "both", lambda: pair, share=1)
    session.run(lambda session: session.cases >= 300)
    assert not session.failures, next(iter(session.failures.values()))
    assert session.outcomes["ran on both"] > 2


def test_the_same_seed_gives_the_same_cases():
    drawn = []
    for _ in range(2):
        session = Session(kinds()["value"], "seed", before_case=drawn.append)
        session.run(lambda session: session.cases >= 20)
    assert drawn[:20] == drawn[20:]


def broken(play_case):
    return Kind("value", values.seeds, values.draw, play_case)


def crash(case, _):
    if b"9" in case:
        raise KeyError("a defect")
    return "fine"


def test_a_traceback_is_found_counted_once_and_shrunk():
    session = Session(broken(crash), "planted")
    session.run(lambda session: session.cases >= 300)
    (failure,) = session.failures.values()
    assert failure.where.startswith("KeyError at test_fuzz.py:")
    assert session.repeated[failure.where] == session.outcomes["failed"] > 1
    assert shrink(broken(crash), failure).case == b"9"


def test_a_case_that_takes_too_long_is_found(monkeypatch):
    monkeypatch.setattr("fuzz.worker.SECONDS", 0.05)

    def forever(*_):
        end = time.process_time() + 2
        while time.process_time() < end:
            pass
        return "fine"

    assert play(broken(forever), b"x").where == "too slow"


def test_an_error_that_is_not_the_users_is_a_failure_and_a_refusal_is_not():
    def refuse(*_):
        raise Defect("another array")

    assert play(broken(refuse), b"x").where == "another array"
    assert play(kinds()["value"], b"value 2xf32=a") == play(kinds()["value"], b"value 3xf32=b")


def test_a_difference_between_machines_is_a_failure(monkeypatch):
    class Wrong:
        differences = ["counter cycles: simulator 1, hardware 2"]

        def allocate(self, nbytes):
            return calls.Memory(nbytes)

        def run(self, memory, job):
            self.differences = ["counter cycles: simulator 1, hardware 2"]

    pair = calls.Pair(load_target("tiny"), Wrong())
    failure = play(kinds()["package"], packages.seeds()[0], pair)
    assert failure.message == (
        "simulator and hardware differ: counter cycles: simulator 1, hardware 2"
    )


def test_an_error_without_its_place_is_a_failure(monkeypatch):
    def misplaced(*_, **__):
        raise LocatedError(Location("fuzz.mlir", 77, 1), "wrong")

    monkeypatch.setattr(mlir, "compile_package", misplaced)
    assert "an error without its place" in play(mlir.KIND, b"module {}\n").message


def test_words_of_outcomes_have_no_numbers_or_names():
    error = UserError("m.mlir:3:8: error: 'tosa.add' has size 4 (-1, 2) in %x of @main")
    assert outcomes.refusal(error) == "refused: _ has size _ _ in _ of _"


def fuzz(*arguments):
    command = [sys.executable, "-m", "fuzz", *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_the_command_counts_keeps_and_replays(tmp_path):
    done = fuzz(
        *("--kind", "value", "--seconds", "20", "--cases", "40", "--workers", "2"),
        *("--seed", "5", "--keep", str(tmp_path)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("value           40 cases, ")
    assert "40 cases in " in done.stdout and "seed 5" in done.stdout
    (kept, *_) = sorted((tmp_path / "value").iterdir())
    done = fuzz("replay", "value", str(kept))
    assert done.returncode == 0 and done.stdout.startswith(f"{kept}: ")
