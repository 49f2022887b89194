"""What the harness notices: planted results, refusals and crashes are each counted as such."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest
from kept import Kept
from tosa_conformance.official import missing

if missing():
    pytest.skip(missing(), allow_module_level=True)

import tosa_conformance.play as play_module
from tosa_conformance.examples import example, play_as_named, play_or_die
from tosa_conformance.judge import REFERENCE, largest_error
from tosa_conformance.official import ConformanceError, dynamic, read, static
from tosa_conformance.play import Outcome, Played, Way, attempt, play, play_all
from tosa_conformance.report import Run, count, failures, page
from unit.frontend.flatbuffers import graph, operator, tensor, write

import hwc
from hwc.errors import CompileError, MachineError

EXACT = {"mode": "EXACT"}
EXP = {"mode": "ABS_ERROR", "abs_error_info": {"base_bound": 3}}
X = np.array([-1.5, 0.0, 0.75, 3.0, np.nan, np.inf], np.float32)
I = np.array([[-3, 0, 7]], np.int32)  # noqa: E741
TINY = Way("tiny")


@pytest.fixture(name="exp")
def _exp(tmp_path):
    return example(tmp_path / "exp", "exp", X, EXP)


@pytest.fixture(name="abs_")
def _abs(tmp_path):
    return example(tmp_path / "abs", "abs", I, EXACT)


def planted(change):
    """A compiler whose programs give changed results."""

    def compile_(program, target, conform):
        call = hwc.compile(program, target, conform=conform)

        def changed(*arrays):
            outputs = [output.copy() for output in call(*arrays).outputs]
            return SimpleNamespace(outputs=change(outputs), cycles=0)

        return changed

    return compile_


def outcome(folder, compile_):
    case = read(folder)
    return attempt(case, static, TINY, compile_)


def test_a_test_that_passes(exp):
    played = play(exp, TINY)
    assert played.static.verdict == played.dynamic.verdict == "passed"
    assert 0 < played.static.error < 0.5
    assert (played.case.operator, played.case.type) == ("exp", "f32")
    assert played.case.profile == "PRO-INT, PRO-FP"


def test_the_dynamic_form_has_no_sizes(abs_):
    source, others = dynamic(read(abs_).program)
    assert not others
    program = hwc.compile(source, "tiny", conform="1.0")
    assert program(np.zeros((2, 5), np.int32)).outputs[0].shape == (2, 5)


def test_constants_become_inputs_of_the_dynamic_form():
    """Data does; the shift of a multiplication stays a constant."""
    tensors = [
        tensor("a", "INT32", (1, 3), I.tobytes()),
        tensor("x", "INT32", (2, 3), b""),  # as the generator writes an input
        tensor("s", "INT8", (1,), bytes(8)),  # padded
        tensor("y", "INT32", (2, 3)),
    ]
    constants = [operator("const", [], [name]) for name in ("a", "s")]
    mul = operator("mul", ["a", "x", "s"], ["y"])
    source, others = dynamic(write(graph([*constants, mul], tensors, ["x"], ["y"])))
    np.testing.assert_array_equal(others, [I])
    x = np.arange(12, dtype=np.int32).reshape(4, 3)
    result = hwc.compile(source, "tiny", conform="1.0")(x, *others)
    np.testing.assert_array_equal(result.outputs[0], I * x)
    assert result.cycles


def test_a_flipped_bit(abs_):
    def flip(outputs):
        outputs[0][0, 2] ^= 1
        return outputs

    got = outcome(abs_, planted(flip))
    assert (got.verdict, got.error) == ("wrong", np.inf)


STORED = {
    **{"BOOL": "?", "INT4": "i1", "INT8": "i1", "INT16": "i2", "INT32": "i4", "INT48": "i8"},
    **{"FP8E4M3": "V1", "FP8E5M2": "u1", "BF16": "V2", "FP16": "f2", "FP32": "f4"},
}
"""NumPy's types of an array in a file."""


@pytest.mark.parametrize("type_", STORED)
def test_a_flipped_bit_of_any_type(tmp_path, type_):
    stored = np.dtype(STORED[type_])
    bits = np.array([[0, 1], [1, 0]], f"u{stored.itemsize}")
    folder = example(tmp_path / "t", "identity", bits.view(stored), EXACT, types=(type_, type_))

    def flip(outputs):
        outputs[0].view(np.uint8)[0, 0] ^= 1
        return outputs

    assert outcome(folder, planted(lambda outputs: outputs)).verdict == "passed"
    assert outcome(folder, planted(flip)).verdict == "wrong"


ULP_AND_A_QUARTER = {
    **{f"FP8E{5 - n}M{2 + n}": np.float32(1 + 1.25 / (4 << n)) for n in (0, 1)},
    **{"BF16": np.float32(1 + 1.25 / 128), "FP16": np.float32(1 + 1.25 / 1024)},
    "FP32": np.int32((1 << 25) + 5),
}
"""Numbers a quarter of an ulp above one of the type, three quarters below the next."""


@pytest.mark.parametrize("type_", ULP_AND_A_QUARTER)
def test_an_ulp_beyond_the_bound_of_any_float(tmp_path, type_):
    values = np.array([ULP_AND_A_QUARTER[type_]] * 2)
    types = ("INT32" if values.dtype == np.int32 else "FP32", type_)
    bound = {"mode": "ULP", "ulp_info": {"ulp": 0.5}}
    folder = example(tmp_path / "t", "cast", values, bound, types=types)

    def next_(outputs):
        outputs[0].view(f"u{outputs[0].itemsize}")[1] += 1
        return outputs

    assert outcome(folder, planted(lambda outputs: outputs)).verdict == "passed"
    got = outcome(folder, planted(next_))
    assert (got.verdict, got.error) == ("wrong", pytest.approx(1.5))


@pytest.mark.parametrize(("ulps", "verdict"), [(4, "passed"), (1000, "wrong")])
def test_an_error_within_and_beyond_the_bound(exp, ulps, verdict):
    def shift(outputs):
        outputs[0].view(np.int32)[3] += ulps
        return outputs

    got = outcome(exp, planted(shift))
    assert got.verdict == verdict
    assert (got.error > 1) == (verdict == "wrong")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda outputs: [outputs[0].reshape(3)], "y: got shape (3,), expected (1, 3)"),
        (lambda outputs: [outputs[0].astype(np.int16)], "y: got int16, expected int32"),
        (lambda outputs: [], "got 0 results, expected 1"),
    ],
)
def test_a_result_of_another_form(abs_, change, message):
    got = outcome(abs_, planted(change))
    assert (got.verdict, got.message) == ("wrong", message)


def raising(error):
    def compile_(program, target, conform):
        raise error

    return compile_


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (CompileError("m:1:2: error: no\nmore"), Outcome("refused", None, "no")),
        (MachineError("fault"), Outcome("crashed", None, "fault")),
        (KeyError("k"), Outcome("crashed", None, "KeyError: 'k'")),
        (AssertionError(), Outcome("crashed", None, "AssertionError: ")),
    ],
)
def test_errors(abs_, error, expected):
    assert outcome(abs_, raising(error)) == expected


def test_a_refused_type(tmp_path):
    played = play(example(tmp_path / "t", "tanh", np.arange(3, dtype=np.int32), EXACT), TINY)
    for got in (played.static, played.dynamic):
        assert got.verdict == "refused"
        assert "element type i32" in got.message


def test_a_test_that_hangs(abs_):
    def compile_(*_, **__):
        time.sleep(30)

    case = read(abs_)
    got = attempt(case, static, TINY, compile_, seconds=1)
    assert got == Outcome("crashed", None, "TimeoutError: no result within 1 s")


NEGATIVE = [
    ("'tosa.clamp' has the lower bound 9, which is above its upper bound 1", "right reason"),
    ("'tosa.clamp' is not supported: it is not implemented yet", "other reason"),
]


@pytest.mark.parametrize(("message", "verdict"), NEGATIVE)
def test_a_negative_test(tmp_path, message, verdict):
    folder = example(tmp_path / "n", "abs", I, EXACT, rule="MaxSmallerMin")
    assert outcome(folder, raising(CompileError(message))).verdict == verdict
    assert outcome(folder, hwc.compile).verdict == "accepted"
    assert outcome(folder, raising(ValueError())).verdict == "crashed"


def test_a_rule_that_needs_sizes_has_no_dynamic_form(tmp_path):
    played = play(example(tmp_path / "n", "abs", I, EXACT, rule="DimensionMismatch"), TINY)
    assert (played.static.verdict, played.dynamic) == ("accepted", None)


def test_a_process_that_ends(tmp_path):
    folders = [example(tmp_path / name, "abs", I, EXACT) for name in ("a", "deadly", "b")]
    shown = []
    played = play_all(folders, TINY, 2, shown.append, play_or_die)
    assert [p.case.folder for p in played] == folders
    assert [p.static.verdict for p in played] == ["tiny", "crashed", "tiny"]
    assert played[1].dynamic == Outcome("crashed", None, "the process ended")
    assert shown[-1] == 3


def test_what_passed_is_not_played_again(tmp_path):
    """Simulator and hardware are two ways, and what is wrong is tried again."""
    verdicts = ["passed", "wrong", "refused", "crashed"]
    folders = [example(tmp_path / name, "abs", I, EXACT) for name in verdicts]

    def times(way):
        kept = Kept(tmp_path / "kept", "state")
        played = play_all(folders, way, 1, lambda _: None, play_as_named, kept)
        assert [p.static.verdict for p in played] == verdicts
        return [p.static.cycles for p in played]

    first = times(TINY)
    assert [a == b for a, b in zip(first, times(TINY), strict=True)] == [True, False, True, False]
    assert set(times(Way("tiny", hardware=True))).isdisjoint(first)


def test_a_reference_that_fails(abs_):
    case = read(abs_)
    (abs_ / "test.tosa").write_bytes(b"no flatbuffer")  # which is read again
    with pytest.raises(ConformanceError, match="the reference model fails for .*abs"):
        attempt(case, static, TINY, lambda *_, **__: lambda *_: SimpleNamespace(outputs=[I]))
    assert not (abs_ / REFERENCE).exists()


def test_the_reference_is_kept(abs_):
    play(abs_, TINY)
    np.save(abs_ / REFERENCE / "y.npy", np.zeros_like(I))
    assert play(abs_, TINY).static.verdict == "wrong"


def test_distances_of_numbers_that_are_not_finite():
    info = {"mode": "ULP", "data_type": "FP32", "ulp_info": {"ulp": 1}}
    reference = np.array([1e39, -np.inf, np.nan, 1.0])
    output = np.array([np.inf, -np.inf, np.nan, 1.0], np.float32)
    assert largest_error(output, reference, None, info) == 0
    output[3] = 1 + 2**-22
    assert largest_error(output, reference, None, info) == 2
    output[0] = np.nan
    assert largest_error(output, reference, None, info) == np.inf


def test_simulator_and_hardware_side_by_side(abs_, monkeypatch):
    assert play(abs_, Way("tiny", hardware=True)).static.verdict == "passed"
    pair = play_module._pair("tiny")  # noqa: SLF001 - the one that the tests of this process share
    real = pair.hardware.run

    def wrong(memory, *args, **options):
        outcome = real(memory, *args, **options)
        memory.view(memory.base, memory.size)[-1] ^= 1
        return outcome

    monkeypatch.setattr(pair.hardware, "run", wrong)
    got = play(abs_, Way("tiny", hardware=True)).dynamic
    assert got.verdict == "wrong"
    assert "memory" in got.message


def test_the_report(exp, abs_, tmp_path):
    case, plain = read(exp), read(abs_)
    negative = read(example(tmp_path / "n", "abs", I, EXACT, rule="RankMismatch"))
    refusal = "argument 3 (%input-3) of function @main has element type f16"
    played = [
        Played(case, Outcome("passed", 0.25), Outcome("wrong", 7.5, "y: 7.5 of the bound")),
        Played(case, Outcome("refused", None, refusal), Outcome("passed", 0.125)),
        Played(plain, Outcome("crashed", None, "KeyError: 'k'"), Outcome("passed", 0.0)),
        Played(negative, Outcome("right reason"), Outcome("accepted")),
        Played(negative, Outcome("other reason", None, "no"), None),
    ]
    assert failures(played) == 2
    assert count(played)["dynamic"] == {"wrong": 1, "passed": 2, "accepted": 1}
    side_by_side = [Played(plain, Outcome("passed", 0.0, "", 41), Outcome("passed", 0.0, "", 1))]
    hardware = Run(7, Way("accel", hardware=True), side_by_side)
    text = page([Run(7, TINY, played), hardware], "preface")
    for line in (
        "| seed 7 | tiny | simulator | static | 3 | 1 | 1 | 0 | 1 |",
        "| seed 7 | tiny | simulator | dynamic | 3 | 2 | 0 | 1 | 0 |",
        "| seed 7 | accel | simulator and RTL | dynamic | 1 | 1 | 0 | 0 | 0 |",
        "Simulator and RTL ran 42 cycles side by side. A difference in a bit of",
        "| exp | f32 | PRO-INT, PRO-FP | 2 | 1 / 1 | 1 / 0 | 0 / 1 | – | 7.5 |",
        "| abs | i32 | PRO-INT, PRO-FP | 2 | 1 / 2 | – | – | 1 / 0 | 0 |",
        "| RankMismatch | 2 | 1 / 0 | 1 / 0 | 0 / 1 | – |",
        "- `exp`, dynamic: wrong: y: 7.5 of the bound",
        "- `abs`, static: crashed: KeyError: 'k'",
        "- `n`, dynamic: accepted",
        "| a value has element type f16 | 1 | 0 |",
    ):
        assert line in text.splitlines()
