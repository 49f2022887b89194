"""Playing an official test with hwc as the system under test, through its Python interface."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from e2e.support.no_engine import ReachedError, without_engine
from kept import Kept
from tosa_conformance.judge import judge
from tosa_conformance.official import (
    CONTROL_FLOW,
    DRAFT,
    VERSION,
    Case,
    ConformanceError,
    Form,
    dynamic,
    read,
    static,
)

import hwc
from hwc.errors import MachineError, UserError
from hwc.runtime.lockstep import Lockstep
from hwc.runtime.program import Program
from isa.target import load_target

PASSED, REFUSED, WRONG, CRASHED = "passed", "refused", "wrong", "crashed"
"""What becomes of a positive test. A negative one may crash, too."""
RIGHT, OTHER, ACCEPTED = "right reason", "other reason", "accepted"
"""What else becomes of a negative test: refused for the rule that it breaks, or for another reason,
or not refused."""

STRICT: Mapping[str, Literal["1.0"] | None] = {VERSION: "1.0", DRAFT: None}
"""The strict mode that the tests of a version are compiled in."""
SECONDS = 300
"""A test that takes longer hangs."""

OF_RESULTS = frozenset(
    {
        "ArgmaxOutputShapeMismatch",
        "BatchMismatch",
        "ChannelMismatch",
        "ConcatShapeSumMismatch",
        "ConvOutputShapeMismatch",
        "FFTOutputShapeMismatch",
        "PadOutputShapeMismatch",
        "PoolingOutputShapeMismatch",
        "ReshapeNewShapeOutputMismatch",
        "ResizeOutputShapeMismatch",
        "ShapeOfAxisNotOne",
        "SizeOutputShapeMismatch",
        "TensorSizeInputOutputMismatch",
        "TileMultiplesOutputShapeMismatch",
        "TransposePermsOutputShapeMismatch",
    }
)
"""Rules that compare the sizes of a result with those that follow from the operands."""
NO_SIZES = r"tensor 'result-\d+' has the sizes \[|has a tensor of \d+x"
"""The sizes of a result that a broken attribute makes negative or huge."""

REASONS = {
    "BroadcastShapesMismatch": r"do not broadcast",
    **dict.fromkeys(("ArgmaxOutputRankMismatch", "WrongRank"), r"\branks? \d"),
    **dict.fromkeys(("AxisLargerRank", "AxisSmallerZero"), r" rank \d+ has axis = "),
    "BorderLargerEqualMax": r"its border .* expected at most",
    "BorderSmallerMin": r"its border .* expected at least",
    "ConcatInputDimMismatch": r"in dimension \d of the result: sizes .* have to be equal",
    "ConcatInputRankMismatch": r"has an operand \d of rank",
    "ConcatNoInputList": r" has 0 operands, expected 1 or more",
    "ConvBiasShapeMismatch": r" for its bias: ",
    **dict.fromkeys(
        ("ConvOutputShapeNonInteger", "PoolingOutputShapeNonInteger"),
        r"for the steps of the window: size .* divided by",
    ),
    "DilationSmallerOne": r" has dilation = ",
    "FFTInputShapeMismatch": r"in dimension \d of the result: sizes",
    **dict.fromkeys(("IndexOutsideBounds", "IndexUsedTwice"), r" has perms = "),
    "InputSizeStartLengthMismatch": r" has \d+ values in its (start|size)",
    "KernelNotPowerOfTwo": r"which has to be a power of 2",
    "KernelSmallerOne": r" has kernel = ",
    "MaxDimExceeded": r"expected at most 16383",
    "OffsetLargerEqualMax": r"its offset .* expected at most",
    "OffsetSmallerMin": r"its offset .* expected at least",
    "PadLargerEqualKernel": rf" pad = .* and kernel = |kernel and out_pad|{NO_SIZES}",
    "PadSmallerZero": r" has pad = | padding in dimension \d",
    "ResizeOutputShapeNonInteger": r"the scaled size has to be a multiple of",
    "ScaleDLargerMax": r"the denominator of its scale .* expected at most",
    "ScaleNLargerMax": r"the numerator of its scale .* expected at most",
    "ScaleSmallerEqualZero": r"its scale .* expected at least 1",
    "SizeSmallerEqualZero": r" has a size of 0|'tosa.slice' size in dimension",
    "StartSizeOutsideBounds": r" start \+ size in dimension ",
    "StartSmallerZero": r" start in dimension ",
    "StrideSmallerOne": rf" has stride = |{NO_SIZES}",
    "WeightZeroPointNotZero": r" has (weight|b)_zp = ",
    **dict.fromkeys(sorted(OF_RESULTS), r"dimension \d of the result"),
    "DimensionMismatch": r"of the result of .*, but the operands give|do not broadcast",
    "InputRank1WrongRank": r"operand \d of 'tosa\.\w+' is tensor<",
    "InputZeroPointNotZero": r" has (input\w*|a)_zp = ",
    "RescaleI48InputOutputUnsigned": r"has an unsigned output, and its input is i48",
    "RescaleI48InputUnsigned": r"has an unsigned input, and its input is i48",
    "ScaleTrue": r"has multipliers of 32 bits, and its input is i48",
    "RescaleI32InputOutputUnsigned": r"has an unsigned output, and its input is i32",
    "RescaleI32InputUnsigned": r"has an unsigned input, and its input is i32",
    "RescaleI32OutputInputUnsigned": r"has an unsigned input, and its output is i32",
    "RescaleI32OutputUnsigned": r"has an unsigned output, and its output is i32",
    "RescaleInputUnsignedOutputUnsigned": r"an unsigned input and an unsigned output",
    "RescalePerChannelRank0": r"has a scale per channel, and its input has rank 0",
    "ScaleNotTrue": r"has rounding_mode = DOUBLE_ROUND, and multipliers of 16 bits",
    "U16InputZeroPointNotValid": r"unsigned i16 has input_zp = ",
    "U16OutputZeroPointNotValid": r"unsigned i16 has output_zp = ",
    "MaxSmallerMin": r"which is above its upper bound",
    "OutputZeroPointNotZero": r" has output_zp = ",
    "RankMismatch": r"\branks? \d",
    "WrongInputList": r" has (\d+ operands?, expected |no shape)|'eiDummyInput' does not exist",
    "WrongOutputList": r"'result-\d+' has no value|'eiDummyOutput' does not exist",
}
"""What the error says if a program is refused for the rule that it breaks.

A rule that is missing here belongs to an operator that is refused altogether, as control flow is.
"""

STATIC_ONLY = frozenset({"DimensionMismatch", *OF_RESULTS})
"""Rules about the sizes of a result: without its sizes, the program breaks no rule."""


class Way(NamedTuple):
    """How tests are played: for which target, whether the hardware runs beside the simulator, and
    in which strict mode.
    """

    target: str
    hardware: bool = False
    strict: Literal["1.0"] | None = "1.0"


class Outcome(NamedTuple):
    """What became of a test; the error in units of the allowed one, if there are results."""

    verdict: str
    error: float | None = None
    message: str = ""
    cycles: int = 0


class Played(NamedTuple):
    """A test and what became of it, with its sizes and without them; None where that is no test."""

    case: Case
    static: Outcome
    dynamic: Outcome | None


Compile = Callable[..., Callable[..., Any]]
"""As `hwc.compile`."""


class DifferenceError(Exception):
    """Simulator and hardware differ; the text says where."""


def play(folder: Path, way: Way) -> Played:
    """Play the test of a folder in both forms."""
    case = read(folder)
    compile_ = side_by_side if way.hardware else hwc.compile
    sized = attempt(case, static, way, compile_)
    if case.rule in STATIC_ONLY or case.operator in CONTROL_FLOW:
        return Played(case, sized, None)
    return Played(case, sized, attempt(case, dynamic, way, compile_))


@cache
def _pair(target: str) -> Lockstep:
    """Return simulator and hardware of a target, the same pair for all tests of a process."""
    return Lockstep(load_target(target))


def side_by_side(
    source: bytes, target: str, *, conform: Literal["1.0"] | None
) -> Callable[..., Any]:
    """Compile as `hwc.compile` does, to run on the simulator and the hardware."""
    pair = _pair(target)
    program = Program(hwc.compile(source, target, conform=conform).package, pair)

    def call(*arrays: np.ndarray) -> Any:
        pair.differences.clear()
        result = program(*arrays)
        if pair.differences:
            raise DifferenceError(pair.differences[0])
        return result

    return call


def attempt(
    case: Case,
    form: Callable[[bytes], Form],
    way: Way,
    compile_: Compile = hwc.compile,
    seconds: int = SECONDS,
) -> Outcome:
    """Compile a form of a program, call it with the inputs of its test, and judge what comes back.

    Raises:
        ConformanceError: the reference model fails.
    """
    try:
        with _limited(seconds), without_engine() if case.rule else nullcontext():
            source, others = form(case.program)
            call = compile_(source, way.target, conform=way.strict)
            files = zip(case.description["ifm_name"], case.description["ifm_file"], strict=True)
            inputs = [_input(case, name, file) for name, file in files]
            result = call(*inputs, *others)
    except MachineError as error:
        return Outcome(CRASHED, message=_first(error))
    except ReachedError:
        return Outcome(ACCEPTED)
    except UserError as error:
        return Outcome(_refusal(case.rule, str(error)), message=_first(error))
    except DifferenceError as error:
        return Outcome(WRONG, message=str(error))
    except Exception as error:  # every other one is ours
        return Outcome(CRASHED, message=f"{type(error).__name__}: {_first(error)}")
    if case.rule:
        return Outcome(ACCEPTED)
    verdict = judge(case, result.outputs)
    known = PASSED if verdict.right else WRONG
    return Outcome(known, verdict.error, verdict.message, result.cycles)


def _input(case: Case, name: str, file: str) -> np.ndarray:
    """Load an argument; the generator stores floats of one byte as plain bytes."""
    array = np.load(case.folder / file)
    tensors = case.description["meta"]["data_gen"]["tensors"]
    return array.view("V1") if tensors[name]["data_type"].startswith("FP8") else array


def _refusal(rule: str, text: str) -> str:
    if not rule:
        return REFUSED
    pattern = REASONS.get(rule)
    return RIGHT if pattern and re.search(pattern, text) else OTHER


def _first(error: Exception) -> str:
    line = (str(error).splitlines() or [""])[0]
    return line.partition("error: ")[2] or line


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """Raise a TimeoutError in what takes longer; only in the main thread of a process."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"no result within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def play_all(
    folders: Sequence[Path],
    way: Way,
    workers: int,
    show: Callable[[int], None],
    player: Callable[[Path, Way], Played] = play,
    kept: Kept | None = None,
) -> list[Played]:
    """Play tests, a few at the same time.

    A test that takes its process down counts as crashed. What is kept of earlier runs is not played
    again: tests that passed, and programs that were refused.

    Args:
        folders: the tests.
        way: how.
        workers: how many processes.
        show: is told how many tests have been played.
        player: plays one test.
        kept: what was found out before.
    """
    played: dict[Path, Played] = {}
    for folder in folders:
        if kept and (found := kept.find(_key(folder, way))):
            played[folder] = Played(read(folder), *(o and Outcome(*o) for o in found))
    left = [folder for folder in folders if folder not in played]

    def add(folder: Path, result: Played) -> None:
        played[folder] = result
        outcomes = (result.static, result.dynamic)
        if kept and not any(o and o.verdict in (WRONG, CRASHED) for o in outcomes):
            kept.keep(_key(folder, way), outcomes)
        show(len(played))

    try:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            futures = {pool.submit(player, folder, way): folder for folder in left}
            try:
                for future in as_completed(futures):
                    add(futures[future], future.result())
            except ConformanceError:
                pool.shutdown(cancel_futures=True)
                raise
    except BrokenProcessPool:  # nobody knows by which test: the rest gets a process each
        for folder in folders:
            if folder not in played:
                add(folder, _play_alone(folder, way, player))
    return [played[folder] for folder in folders]


def _key(folder: Path, way: Way) -> str:
    """Name a test and a way; version, seed and profiles are in the test's path."""
    return repr((str(folder), *way))


def _play_alone(folder: Path, way: Way, player: Callable[[Path, Way], Played]) -> Played:
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(player, folder, way).result()
    except BrokenProcessPool:
        crashed = Outcome(CRASHED, message="the process ended")
        return Played(read(folder), crashed, crashed)
