"""`program.time`: the figures of a call from its shapes alone."""

import re

import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError, MachineError
from hwc.runtime import Program, register
from hwc.runtime.simulator import Simulator
from isa.load import load
from isa.target import Target, load_target

ROWS = "tensor<?x?xf32>"
CHAIN = f"""
func.func @main(%a: {ROWS} {{hwc.symbols = ["n", "d"]}}, %b: {ROWS}) -> {ROWS} {{
  %0 = tosa.add %a, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %1 = tosa.tanh %0 : ({ROWS}) -> {ROWS}
  %2 = tosa.sub %1, %b : ({ROWS}, {ROWS}) -> {ROWS}
  return %2 : {ROWS}
}}
"""
CHOICE = f"""
func.func @main(%a: {ROWS}, %b: {ROWS}) -> {ROWS} {{
  %0 = tosa.exp %a : ({ROWS}) -> {ROWS}
  %1 = tosa.add %0, %b : ({ROWS}, {ROWS}) -> {ROWS}
  return %1 : {ROWS}
}}
"""


@pytest.fixture(scope="module")
def chain():
    return hwc.compile(CHAIN)


def zeros(*shapes):
    return [np.zeros(shape, np.float32) for shape in shapes]


@pytest.mark.parametrize("shapes", [((4, 5), (1, 5)), ((0, 5), (1, 5)), ((300, 70), (300, 1))])
def test_as_a_run(chain, shapes):
    result, timing = chain(*zeros(*shapes)), chain.time(*shapes)
    assert timing.counters == result.counters
    assert list(timing.counters) == list(load().counters)
    assert (timing.cycles, timing.plan, timing.kernels) == (
        result.cycles,
        result.plan,
        result.kernels,
    )
    assert timing.kernel_table() == result.kernel_table()
    assert timing.roofline == timing.ideal_cycles / timing.cycles


@pytest.mark.parametrize("shapes", [((64, 1), (64, 1024)), ((64, 1), (64, 2))])
def test_every_plan(shapes):
    program = hwc.compile(CHOICE)
    assert len(program.plans) == 2
    for plan in (None, *program.plans):
        result, timing = program(*zeros(*shapes), plan=plan), program.time(*shapes, plan=plan)
        assert (timing.plan, timing.counters) == (result.plan, result.counters)
        assert timing.kernels == result.kernels


def test_shapes_by_name(chain):
    expected = chain.time((4, 5), (1, 5))
    assert chain.time((4, 5), b=(1, 5)) == expected
    assert chain.time(b=[1, 5], a=(np.int64(4), 5)) == expected
    assert chain.time(b=(1, 5), n=4, d=5) == expected


def test_large_shapes_take_no_memory(chain):
    """2^31 - 1 points: a prime number of them, in one row."""
    timing = chain.time((1, (1 << 31) - 1), (1, 1))
    assert timing.kernels[0].points == (1 << 31) - 1
    assert timing.counters["special_busy"] == 1 << 30


REFUSED = [
    (((3, 4), (2, 4)), {}, "'tosa.add' in dimension 0 of the result: sizes 3 ("),
    (((4,), (4, 5)), {}, "got rank 1, shape (4,); expected rank 2"),
    (((1 << 16, 1), (1, 1 << 15)), {}, "the number of elements has to be below 2^31"),
    (((1 << 31, 1), (1, 1)), {}, "every size, and the number of elements, has to be below 2^31"),
]
REFUSED_HERE = [
    (((4, 5),), {}, "argument 1 (%b): got no shape (tensor<?x?xf32>); give one"),
    (((4, 5), (4, 5), (4, 5)), {}, "got 3 arguments, expected 2"),
    (("ab", (4, 5)), {}, "argument 0 (%a): got 'ab', expected a shape such as (4, 5)"),
    ((np.ones((4, 5)), (4, 5)), {}, "argument 0 (%a): got 'ndarray', expected a shape such as"),
    (((4, -1), (4, 5)), {}, "argument 0 (%a), dimension 1: got -1, expected a whole number"),
    (((4, 5.0), (4, 5)), {}, "argument 0 (%a), dimension 1: got 5.0, expected a whole number"),
    (((4, True), (4, 5)), {}, "argument 0 (%a), dimension 1: got True, expected a whole number"),
    (((4, 5),), {"a": (4, 5)}, "argument 'a' has two shapes"),
    (((4, 5),), {"c": (4, 5)}, "there is no argument or size 'c': known are a, b, d, n"),
    (((4, 5), (4, 5)), {"n": (4,)}, "size 'n': got (4,), expected a whole number"),
    ((), {"n": 4, "b": (1, 1)}, "argument 0 (%a): got no shape"),
    (((4, 5), (4, 5)), {"d": 6}, "size 'd' is given as 6, but the shapes make it 5"),
]


@pytest.mark.parametrize(("shapes", "named", "message"), REFUSED + REFUSED_HERE)
def test_what_is_refused(chain, shapes, named, message):
    with pytest.raises(DispatchError, match=re.escape(message)):
        chain.time(*shapes, **named)


@pytest.mark.parametrize(("shapes", "named", "message"), REFUSED)
def test_a_run_is_refused_in_the_same_words(chain, shapes, named, message):
    """Arrays that broadcast one element need no memory."""
    arrays = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
    with pytest.raises(DispatchError) as ran:
        chain(*arrays)
    with pytest.raises(DispatchError) as timed:
        chain.time(*shapes)
    assert str(timed.value) == str(ran.value)


def test_sizes_that_depend_on_elements():
    program = hwc.compile("""
func.func @main(%a: tensor<?xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = tensor.reshape %a(%s) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = tosa.abs %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}""")
    message = r"depend on elements of argument 1 \(%s\), so its cycles do too: run it with arrays"
    with pytest.raises(DispatchError, match=message):
        program.time((6,), (2,))


def test_a_fault_of_the_machine(binary_package):
    """A package that was changed: its output has the sizes of one input."""
    package = binary_package()
    kernel = package.steps[0].kernels[0]
    names = [p.name for p in kernel.parameters]
    parameters = [kernel.parameters[names.index({"r0": "a0"}.get(n, n))] for n in names]
    object.__setattr__(kernel, "parameters", tuple(parameters))
    program = Program(package)
    with pytest.raises(MachineError) as ran:
        program(*zeros((1, 5), (4, 5)))
    with pytest.raises(MachineError, match="output_shape in dispatch 0, kernel 0") as timed:
        program.time((1, 5), (4, 5))
    assert str(timed.value) == str(ran.value)


def test_several_dispatches():
    """Programs that the machine's memory does not hold at once."""
    target = Target.from_dict(load_target("tiny").to_dict() | {"instruction_words": 64})
    lines = [f"%0 = tosa.add %a, %b : ({ROWS}, {ROWS}) -> {ROWS}"]
    for n in range(1, 60):
        operand = ("%a", "%b")[n % 2]
        lines.append(f"%{n} = tosa.sub %{n - 1}, {operand} : ({ROWS}, {ROWS}) -> {ROWS}")
    text = f"func.func @main(%a: {ROWS}, %b: {ROWS}) -> {ROWS} {{\n" + "\n".join(lines)
    program = hwc.compile(f"{text}\n return %59 : {ROWS}\n}}", target)
    shapes = (7, 9), (1, 9)
    result, timing = program(*zeros(*shapes)), program.time(*shapes)
    assert timing.counters == result.counters
    assert timing.kernels == result.kernels
    assert {k.dispatch for k in timing.kernels} == set(range(len(program.package.dispatches)))
    assert len(program.package.dispatches) > 1


def test_another_device_does_not_matter(binary_package):
    """The hardware has the cycles of the model, and `time` needs no hardware."""

    class Broken(Simulator):
        def run(self, memory, job):
            raise AssertionError

    register("broken", Broken)
    package = binary_package()
    assert Program(package, "broken").time((4, 5), (4, 5)) == Program(package).time((4, 5), (4, 5))
