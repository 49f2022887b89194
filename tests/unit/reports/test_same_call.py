"""A report is of one call: a result or a trace of another call is an error."""

import contextlib
import dataclasses

import pytest
from unit.reports.conftest import SHAPES, SOURCE

import hwc
from hwc.errors import DispatchError, UserError
from isa.target import Target

SMALL = ((4, 8), (1, 8), (4, 1))


def refused(message, *arguments):
    with pytest.raises(UserError, match=message) as caught:
        hwc.report(*arguments)
    assert "\n" not in str(caught.value)


def plans_that_run(program):
    """The plans that these sizes allow, each with its time."""
    for plan in program.plans:
        with contextlib.suppress(DispatchError):
            yield plan, program.time(*SHAPES, plan=plan)


def test_a_result_of_another_program(traced):
    other = hwc.compile("""func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }""")
    message = r"^the result is of another call: it has 3 arguments, and the program takes 1: give"
    refused(message, other, traced[0])


def test_a_result_with_other_operators(program):
    other = hwc.compile(SOURCE.replace("tosa.tanh", "tosa.exp"))
    message = r"its kernel \d is kernel \d of step 0, .*, and the program has there kernel \d of "
    refused(message, other, program.time(*SHAPES))


def test_a_result_of_another_target(program):
    wide = hwc.compile(SOURCE, "wide")
    message = "it is from target wide, and the program is for target accel: give a result of"
    refused(message, program, wide.time(*SHAPES))


def test_a_result_of_a_target_with_the_same_name(program):
    target = Target.from_dict(program.target.to_dict() | {"memory_latency": 9})
    changed = hwc.compile(SOURCE, target)
    message = "it is from target accel, and the program is for a target of that name with memory_l"
    refused(message, program, changed.time(*SHAPES))


def test_a_result_of_another_plan(program):
    timings = dict(plans_that_run(program))
    (_, timing), (second, _), *_ = timings.items()
    refused("its kernel|it has", program, dataclasses.replace(timing, plan=second))
    message = "it followed plan x, and the program has the plans "
    refused(message, program, dataclasses.replace(timing, plan="x"))
    refused("it followed no plan, and", program, dataclasses.replace(timing, plan=""))
    for timing in timings.values():
        assert hwc.report(program, timing).kernels


def test_a_result_that_does_not_tell_kernels_apart(program, traced):
    result = dataclasses.replace(traced[0], kernels=None)
    refused("does not tell kernels apart", program, result)


def test_a_trace_of_other_shapes(program):
    timing, trace = program.time(*SMALL), program.trace(*SHAPES)
    message = r"^the trace is of another call: it ends after [\d,]+ cycles, and the result has "
    refused(message, program, timing, trace)


def test_a_trace_of_another_target(program):
    wide = hwc.compile(SOURCE, "wide")
    message = "it is of main of - on wide, and the result is of main of - on accel: give the result"
    refused(message, program, program.time(*SMALL), wide.trace(*SMALL))


def test_a_trace_of_other_kernels_with_as_many_cycles(program):
    timing, trace = program.time(*SHAPES), program.trace(*SMALL)
    same = dataclasses.replace(timing, cycles=trace.cycles)
    refused(r"its kernel 0 is tosa.*, 4x1, and the result has kernel 0 ", program, same, trace)


def test_the_parts_of_one_call(program, traced):
    assert hwc.report(program, *traced).trace is traced[1]
    part = program.trace(*SHAPES, strips=range(3))
    assert hwc.report(program, traced[0], part).trace is part
    # The text form of a trace or a report does not grow with the call.
    for shown in (part, traced[1], hwc.report(program, *traced)):
        assert len(repr(shown)) < 300
    report = hwc.report(program, *traced)
    assert repr(report).startswith(f"hwc.Report: @main on target accel, {traced[0].cycles:,} cyc")
    assert "<b>hwc.Report: @main on target accel" in report._repr_html_()
    assert repr(traced[1]).startswith(
        f"hwc.Trace: main of - on accel, on the device simulator; {traced[0].cycles:,} cycles, "
    )
