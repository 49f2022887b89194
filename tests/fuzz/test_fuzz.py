"""Hostile input: kept cases, a short run of each kind, and whether the fuzzer notices a defect.

`make fuzz` runs for as long as one likes.
"""

import ast
import os
import subprocess
import sys
import time

import pytest
from fuzz import __main__ as command
from fuzz import assembly, calls, commands, mlir, outcomes, packages, stages, values
from fuzz.kinds import Defect, Kind, kinds
from fuzz.outcomes import ROOT
from fuzz.worker import Failure, Session, play, shrink
from lockstep.support import machine

from hwc.errors import UserError
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.source import Location
from isa.target import load_target

CORPUS = sorted(path for path in (ROOT / "tests" / "fuzz" / "corpus").rglob("*") if path.is_file())

CASES = {
    **{"mlir": 150, "stage": 100, "package": 400, "assembly": 500, "command": 60},
    **{"target": 1000, "npy": 1000, "value": 300, "flatbuffer": 250},
}
"""Cases of the short run; each kind takes about half a second."""


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_kept_cases(path):
    result = play(kinds()[path.parent.name], path.read_bytes())
    assert isinstance(result, str), result


@pytest.mark.parametrize("name", kinds())
def test_seeds_are_accepted_or_refused(name):
    seeds = kinds()[name].seeds()
    seen = [play(kinds()[name], case) for case in seeds[:: 1 + len(seeds) // 100]]
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


def test_a_refusal_for_want_of_memory_is_a_failure():
    def ask(*_):
        try:
            bytes(1 << 60)
        except MemoryError as error:
            lacking = UserError("not enough memory")
            lacking.__context__ = error
            return outcomes.refusal(lacking)

    assert play(broken(ask), b"x").message == "refused for want of memory: not enough memory"


def test_brackets_that_nest_too_deeply_are_refused_without_a_want_of_memory():
    def parse(*_):
        try:
            ast.literal_eval("-" * 9000)
        except (MemoryError, RecursionError) as error:
            deep = UserError("it nests too deeply")
            deep.__context__ = error
            return outcomes.refusal(deep)

    assert play(broken(parse), b"x") == "refused: it nests too deeply"


def test_emitted_text_that_becomes_something_else_is_a_failure(monkeypatch):
    text = packages.PROGRAMS[0].encode()
    assert play(stages.KIND, text) == "3 stages, ran"
    emitted = stages.emitted
    monkeypatch.setattr(
        stages, "emitted", lambda *form: emitted(*form).replace("math.exp", "x.exp")
    )
    assert play(stages.KIND, text).where.startswith("what --emit linalg writes is refused: ")
    monkeypatch.setattr(
        stages, "emitted", lambda *form: emitted(*form).replace("math.exp", "math.tanh")
    )
    assert play(stages.KIND, text).where == "what --emit linalg writes becomes another package"


def test_text_of_words_that_assembles_to_others_is_a_failure(monkeypatch):
    monkeypatch.setattr(assembly, "disassemble", lambda _: "halt\n")
    assert "does not assemble" in play(assembly.KIND, b"loop\n").message


@pytest.mark.parametrize(
    ("code", "said", "message"),
    [(3, "x: error: y", "exit code 3"), (1, "x", "exit code 1 without an error: x\n")],
)
def test_a_command_that_fails_without_saying_so_is_a_failure(monkeypatch, code, said, message):
    def run(_):
        print(said, file=sys.stderr)
        return code

    monkeypatch.setattr("hwc.cli.main.main", run)
    assert play(commands.KIND, b"hwc compile {1}").message == message


def test_a_command_leaves_no_files_and_its_streams():
    streams = sys.stdin, sys.stdout, sys.stderr
    case = "hwc compile {1} -t tiny -o ../x" + commands._SEPARATOR + packages.PROGRAMS[0]
    for _ in range(2):
        assert play(commands.KIND, case.encode()) == "compile done"
        folder = commands._folder(os.getpid())
        assert [*folder.iterdir()] == [] and [*folder.parent.iterdir()] == [folder]
    assert (sys.stdin, sys.stdout, sys.stderr) == streams


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


@pytest.mark.parametrize(
    ("behave", "where"),
    [
        (lambda: time.sleep(60), "the process ended: exit code -9"),
        (lambda: os._exit(7), "the process ended: exit code 7"),
        (lambda: bytes(1 << 31), "MemoryError at test_fuzz.py"),
    ],
    ids=["hangs", "ends", "takes 2 GiB"],
)
def test_a_case_that_takes_its_process_along_is_found(monkeypatch, capsys, tmp_path, behave, where):
    def misbehave(case, _):
        if b"x" in case:
            behave()
        return "fine"

    kind = Kind("value", values.seeds, values.draw, misbehave)
    monkeypatch.setattr(command, "kinds", lambda: {"value": kind})
    monkeypatch.setattr(command, "PATIENCE", 1.0)
    monkeypatch.setattr(command, "KEPT", tmp_path)
    options = ["--seconds", "2", "--workers", "1", "--cases", "50"]
    monkeypatch.setattr("sys.argv", ["fuzz", *options])
    assert command.main() == 1
    assert where in capsys.readouterr().out
    (kept,) = tmp_path.iterdir()
    assert b"x" in kept.read_bytes()
