"""Small inputs that once gave a wrong result, a crash or a message without a place: each once.

The programs are in `programs/mended` and `programs/onnx`. A call has either the results that the
operator's definition gives, or the beginning of the one message that refuses it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import hwc
from hwc.cli.main import main
from hwc.errors import UserError
from hwc.onnx import InferenceSession

PROGRAMS = Path(__file__).parent / "programs"
INFINITY = float("inf")
EXP = [1, 2.7182817, 7.389056]
BESIDE = "sizes {} (dimension {} of argument 0 (%{})) and {} (dimension {} of argument 1 (%{}))"


def f32(*shape: int) -> Any:
    """The numbers from 0 on."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def i32(*values: Any) -> Any:
    return np.array(values, np.int32)


def unequal(*sizes: Any) -> str:
    """The end of a message about two sizes that differ, with the origin of both."""
    return f"{BESIDE.format(*sizes)} have to be equal"


class Call(NamedTuple):
    """Arguments, and the first result or, if the call is refused, the line and the message."""

    arguments: Sequence[Any]
    result: Any = None
    refused: tuple[int, str] | None = None


CALLS: dict[str, list[Call]] = {
    "mended/matmul.mlir": [
        Call(
            (f32(1, 2, 6), f32(1, 3, 2)),
            refused=(3, f"'tosa.matmul' in the inner dimension: {unequal(6, 2, 'x', 3, 1, 'y')}"),
        ),
        Call(
            (f32(1, 1, 600000), f32(1, 3, 1)),
            refused=(3, "'tosa.matmul' in the inner dimension: sizes 600000 (dimension 2 of "),
        ),
        Call((f32(1, 2, 3), f32(1, 3, 2)), [[[10, 13], [28, 40]]]),
    ],
    "mended/concat.mlir": [
        Call(
            (f32(2, 3), f32(2, 4)),
            refused=(
                2,
                f"'tosa.concat' in dimension 1 of the result: {unequal(3, 1, 'x', 4, 1, 'y')}",
            ),
        ),
        Call((f32(2, 3), f32(1, 3)), [[0, 1, 2], [3, 4, 5], [0, 1, 2]]),
    ],
    "mended/gather.mlir": [
        Call(
            (f32(1, 2, 3), i32([5, 99999999])),
            refused=(
                2,
                "'tosa.gather': index 5 at [0, 0] of %i is outside of size 2 (dimension 1 of "
                "argument 0 (%x)), expected 0 to 1",
            ),
        ),
        Call(
            (f32(1, 2, 3), i32([0, 1], [1, 0])),
            refused=(
                2,
                f"'tosa.gather' in dimension 0 of the result: {unequal(1, 0, 'x', 2, 0, 'i')}",
            ),
        ),
        Call((f32(1, 2, 3), i32([1, 0])), [[[3, 4, 5], [0, 1, 2]]]),
    ],
    "mended/add.mlir": [
        Call(
            (f32(3), f32(4)),
            refused=(
                2,
                "'tosa.add' in dimension 0 of the result: "
                f"{BESIDE.format(3, 0, 'a', 4, 0, 'b')} do not broadcast: they have to be equal, "
                "or one of them 1",
            ),
        ),
        Call((f32(0), f32(1)), []),
        Call((f32(3), f32(3)), [0, 2, 4]),
    ],
    "mended/slice.mlir": [
        Call((f32(3, 5), f32(2)), [[5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]),
        Call(
            (f32(3, 5), f32(3)),
            refused=(6, "'tosa.slice' start + size in dimension 0: got 4 ("),
        ),
    ],
    "mended/sum.mlir": [
        Call((f32(4, 2),), [[1], [5], [9], [13]]),
        Call(
            (f32(3, 2),),
            refused=(
                2,
                "'tosa.reduce_sum' in dimension 0 of the result: sizes 3 (dimension 0 of argument "
                "0 (%x)) and 4 (which the type of the result says) have to be equal",
            ),
        ),
    ],
    "mended/scalar_index.mlir": [Call((f32(3), np.int64(7)), [0, 1, 2])],
    "mended/index_cast.mlir": [
        Call((f32(2, 3), i32(3, 2)), [[0, 1], [2, 3], [4, 5]]),
        Call((f32(2, 3), i32(3, 3)), refused=(3, "'tensor.reshape': cannot reshape 6 elements")),
    ],
    "mended/massage.mlir": [
        Call((f32(4, 3), i32(3, 2)), [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]),
        Call((f32(4, 3), i32(3, 4)), refused=(4, "'tensor.reshape': cannot reshape 12 elements")),
    ],
    "mended/no_origin.mlir": [
        Call(
            (f32(2, 4), f32(3, 4)),
            refused=(
                11,
                "'linalg.generic' in dimension 1 of the result: sizes 8 ('tensor.collapse_shape' "
                "at {}:10:18) and 4 (dimension 1 of argument 1 (%arg1)) have to be equal",
            ),
        ),
        Call((f32(2, 2), f32(1, 2)), refused=(11, "'linalg.generic' in dimension 1 of the resul")),
    ],
    "mended/two_types.mlir": [Call((f32(2), f32(2)), [0, 2])],
    "onnx/pow_half.onnx": [Call((np.float32([-INFINITY, -0.0, 4]),), [INFINITY, 0, 2])],
    "onnx/pow_input.onnx": [
        Call((np.float32([-INFINITY, -0.0, 4]), np.float32(0.5)), [INFINITY, 0, 2])
    ],
    "onnx/flatten0.onnx": [
        Call((f32(0, 3, 4),), np.zeros((1, 0))),
        Call((f32(1, 3, 4),), f32(1, 12)),
    ],
    "onnx/flatten1.onnx": [
        Call((f32(0, 3, 4),), np.zeros((0, 12))),
        Call((f32(2, 3, 4),), f32(2, 12)),
    ],
    "onnx/flatten2.onnx": [
        Call((f32(0, 3, 4),), np.zeros((0, 4))),
        Call((f32(2, 3, 4),), f32(6, 4)),
    ],
    "onnx/duplicate_initializer.onnx": [Call((f32(3),), [1, 2, 3])],
    "onnx/sparse_constant.onnx": [Call((f32(1, 3),), [[0, 1, 7]])],
    "onnx/sparse_initializer.onnx": [Call((f32(1, 3),), [[0, 1, 7]])],
    "onnx/tanh.onnx": [Call((f32(3),), [0, 0.7615942, 0.9640276])],
    "onnx/none_dims.onnx": [Call((f32(1, 3, 2, 5),), f32(1, 3, 2, 5))],
    **{
        f"onnx/{name}.onnx": [Call((f32(3),), EXP)]
        for name in ("domain_alias", "ir14", "no_graph_name", "no_output_shape", "no_output_type")
    },
    "onnx/node_domain_alias.onnx": [Call((f32(3),), EXP)],
    "onnx/unsorted.onnx": [Call((f32(3),), EXP)],
}
"""Calls of the programs that compile."""

REFUSED = {
    "mended/old_func.mlir": [
        "{}:4:1: error: 'func' is an old name: the operation is 'func.func' today",
        "{}:10:16: error: 'addf' is an old name: the operation is 'arith.addf' today",
    ],
    **{
        f"mended/{name}.mlir": [
            "{}:3:8: error: the operator 'ethos-u' is a program for Arm's Ethos-U, which Vela "
            "compiled"
        ]
        for name in ("vela_like", "vela_like_filled")
    },
    "mended/lstm_like.mlir": [
        "{}:3:8: error: TFLite's operator 'UNIDIRECTIONAL_SEQUENCE_LSTM' is not supported: the "
        "converter to TOSA does not convert it"
    ],
}
"""The errors of programs that are refused when they are compiled."""

ON_HOST = {"mended/add.mlir": ["add"]}
"""Operators to keep on the host in a second round, whose results and messages are the same."""


def check(program: Any, name: str, call: Call) -> None:
    if call.refused is None:
        (got,) = program(*call.arguments).outputs
        wanted = np.asarray(call.result)
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=2e-7)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted))
        return
    line, message = call.refused
    with pytest.raises(hwc.DispatchError) as caught:
        program(*call.arguments)
    path, *text = str(caught.value).partition(f":{line}:")
    assert path == str(PROGRAMS / name)
    said = "".join(text).partition("error: ")[2]
    assert said.startswith(message.format(PROGRAMS / name)) and "\n" not in said


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    program = hwc.compile(PROGRAMS / name)
    for call in CALLS[name]:
        check(program, name, call)


@pytest.mark.parametrize("name", ON_HOST)
def test_calls_whose_operators_are_kept_on_the_host(name, tmp_path):
    kept = [word for operator in ON_HOST[name] for word in ("--keep-on-host", operator)]
    package = tmp_path / "kept.hwx"
    assert main(["compile", str(PROGRAMS / name), "-o", str(package), "--quiet", *kept]) == 0
    program = hwc.load(package)
    assert {step.kind for step in program.package.steps} == {"host"}
    for call in CALLS[name]:
        check(program, name, call)


@pytest.mark.parametrize("name", REFUSED)
def test_programs_that_are_refused(name):
    with pytest.raises(UserError) as caught:
        hwc.compile(PROGRAMS / name)
    errors = [line for line in str(caught.value).splitlines() if "error: " in line]
    assert errors == [each.format(PROGRAMS / name) for each in REFUSED[name]]


def test_a_session_asked_for_no_names_gives_all_results():
    session = InferenceSession(PROGRAMS / "onnx" / "tanh.onnx")
    (got,) = session.run([], {"x": f32(3)})
    np.testing.assert_allclose(got, np.tanh(f32(3)), rtol=2e-7)


def test_every_program_is_in_a_table():
    files = [path for folder in ("mended", "onnx") for path in (PROGRAMS / folder).iterdir()]
    assert {*CALLS, *REFUSED} == {path.relative_to(PROGRAMS).as_posix() for path in files}
