"""Calls by name, and programs that are closed."""

import threading

import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError
from hwc.runtime import Program
from hwc.runtime.simulator import Simulator
from isa.target import load_target

A, B = np.ones((2, 3), np.float32), np.full((1, 3), 2, np.float32)


class Slow(Simulator):
    """A device whose dispatches wait until they may go on, and which says when it is closed."""

    def __init__(self):
        super().__init__(load_target("accel"))
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.closed = 0

    def run(self, memory, job):
        self.begun.set()
        assert self.go_on.wait(10)
        return super().run(memory, job)

    def close(self):
        self.closed += 1


def test_a_call_by_name(binary_package):
    program = Program(binary_package("sub.f32"))
    for result in (program(A, B), program(A, b=B), program(b=B, a=A), program(**{"a": A, "b": B})):
        np.testing.assert_array_equal(result.outputs[0], A - B)
    result, seconds = program.timed(A, b=B)
    np.testing.assert_array_equal(result.outputs[0], A - B)
    assert sum(seconds.values()) > 0
    with pytest.raises(DispatchError, match=r"argument 0 \(%a\): given twice"):
        program.timed(A, a=A)


def test_an_argument_that_is_called_plan():
    program = hwc.compile(
        "func.func @main(%plan: tensor<?xf32>, %self: tensor<?xf32>) -> tensor<?xf32> {"
        " %0 = tosa.sub %plan, %self : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>"
        " return %0 : tensor<?xf32> }"
    )
    result = program(A[0], self=B[0])
    np.testing.assert_array_equal(result.outputs[0], A[0] - B[0])
    with pytest.raises(DispatchError) as caught:
        program(plan=A[0], self=B[0])
    assert str(caught.value) == (
        "plan: got a value of type ndarray, expected the name of a plan; "
        "the argument %plan is given by its position"
    )


def test_a_closed_program_cannot_be_called(binary_package):
    with Program(binary_package()) as program:
        program(A, B)
        assert not program.closed
    assert program.closed
    for call in (program, program.timed):
        with pytest.raises(DispatchError) as caught:
            call(A, B)
        assert str(caught.value) == (
            "the program of m.mlir is closed: load or compile it again to call it"
        ).replace("m.mlir", program.package.source_name)
    with pytest.raises(DispatchError, match="is closed"), program:
        pass
    program.close()
    assert program.closed


def test_an_error_closes_the_program_of_a_with_statement(binary_package):
    with (
        pytest.raises(DispatchError, match="do not broadcast"),
        Program(binary_package()) as program,
    ):
        program(A, np.ones((1, 4), np.float32))
    assert program.closed


def test_a_device_that_was_given_stays_open(binary_package):
    device = Slow()
    device.go_on.set()
    with Program(binary_package(), device) as program:
        program(A, B)
    assert program.closed and device.closed == 0


def test_closing_waits_for_the_calls_under_way(binary_package, monkeypatch):
    device = Slow()
    monkeypatch.setattr("hwc.runtime.program.open_device", lambda *_: device)
    program = Program(binary_package(), "slow")
    results = []
    caller = threading.Thread(target=lambda: results.append(program(A, B)))
    caller.start()
    assert device.begun.wait(10)
    closer = threading.Thread(target=program.close)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive() and device.closed == 0 and program.closed
    with pytest.raises(DispatchError, match="is closed"):
        program(A, B)
    device.go_on.set()
    closer.join(10)
    caller.join(10)
    assert not closer.is_alive() and device.closed == 1
    np.testing.assert_array_equal(results[0].outputs[0], A + B)
