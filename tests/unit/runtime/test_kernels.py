"""The kernels of a call: their counters, and what limits them."""

from math import prod

import numpy as np
import pytest

import hwc
from hwc.runtime import Program, register
from hwc.runtime.kernels import KernelResult
from hwc.runtime.simulator import Simulator
from isa.dispatch import KernelRun
from isa.load import load
from isa.target import load_target
from sim import timing

TARGET = load_target("accel")
ROWS = "tensor<?x?xf32>"


def program(*lines, arguments="ab", result=None, target="accel"):
    """Compile lines such as `tosa.add %a, %b`; their results are %0, %1, ..."""
    text = []
    for number, line in enumerate(lines):
        name, *operands = line.split(" ", 1)
        types = ", ".join([ROWS] * operands[0].count("%"))
        text.append(f"%{number} = {name} {operands[0]} : ({types}) -> {ROWS}")
    signature = ", ".join(f"%{a}: {ROWS}" for a in arguments)
    given = result or [len(lines) - 1]
    results = ", ".join(f"%{n}" for n in given)
    of = ", ".join([ROWS] * len(given))
    body = "\n".join(text)
    return hwc.compile(
        f"func.func @main({signature}) -> ({of}) {{\n{body}\nreturn {results} : {of}\n}}", target
    )


def run(counters, occupied=1000, cycles=None, steady=None, sizes=(8, 8)):
    """A kernel with these counters that occupied the machine for 1000 cycles."""
    whole = dict.fromkeys(load().counters, 0) | counters
    whole["cycles"] = occupied if cycles is None else cycles
    answer = TARGET.memory_latency + load().timing.write_return
    first = 5000 - answer - (occupied - 100 if steady is None else steady)
    taken = KernelRun(3, sizes, 5000 - occupied, first, 5000, whole)
    return KernelResult(0, 2, 1, "tosa.add", (3,), taken, TARGET)


@pytest.mark.parametrize(
    ("taken", "limit", "stall"),
    [
        (run({"fetch_busy": 600, "store_busy": 500, "fetch_stall_ring": 7}), "reads", "ring"),
        (run({"store_busy": 600, "fetch_busy": 500, "store_stall_input": 9}), "writes", "input"),
        (run({"lane_busy": 500, "lane_stall_dependence": 0}), "lanes", None),
        (run({"lane_busy": 300, "lane_stall_dependence": 250}), "lanes", "dependence"),
        (run({"special_busy": 500, "special_stall": 400}), "special functions", ""),
        (run({"special_busy": 400, "special_stall": 9}, cycles=500), "the kernel before", ""),
        (run({"lane_busy": 499}, steady=499), "set-up and latency", None),
        (
            run({"lane_busy": 499, "lane_stall_output": 1, "lane_stall_input": 3}, steady=500),
            "waits between engines",
            "input",
        ),
        (run({}, sizes=(0, 8)), "no points", None),
    ],
)
def test_what_limits_a_kernel(taken, limit, stall):
    assert taken.limit == limit
    if stall is None:
        assert taken.main_stall is None
    elif stall:
        assert taken.main_stall.endswith(f"stall_{stall}")
    else:
        assert taken.main_stall == "special_stall"


def test_the_roofline_of_a_kernel():
    taken = run({"bytes_read": 3201, "bytes_written": 640, "lane_busy": 90, "special_busy": 7})
    assert taken.resources == {"reads": 101, "writes": 20, "lanes": 90, "special functions": 7}
    assert (taken.bound, taken.ideal_cycles, taken.roofline) == ("reads", 101, 0.101)
    assert (run({}).bound, run({}).roofline) == (None, 0)


CASES = {
    "reads": (program("tosa.add %a, %b"), ((512, 512), (512, 512))),
    "lanes": (
        program(*(f"tosa.sub %{'a' if n < 0 else n}, %b" for n in range(-1, 9))),
        ((512, 512), (512, 512)),
    ),
    "special functions": (program("tosa.tanh %a", arguments="a"), ((512, 512),)),
    "set-up and latency": (program("tosa.add %a, %b"), ((4, 5), (4, 5))),
    "no points": (program("tosa.add %a, %b"), ((4, 0), (4, 1))),
}


@pytest.mark.parametrize("limit", CASES)
def test_limits_of_programs(limit):
    compiled, shapes = CASES[limit]
    (kernel,) = compiled(*(np.ones(shape, np.float32) for shape in shapes)).kernels
    assert kernel.limit == limit
    if limit in kernel.resources:
        assert kernel.bound == limit
        assert kernel.roofline > 0.9


def test_writes_limit_a_kernel_that_reads_little():
    compiled = program("tosa.add %a, %b", "tosa.sub %a, %b", result=[0, 1])
    (kernel,) = compiled(np.ones((512, 1), np.float32), np.ones((1, 512), np.float32)).kernels
    assert (kernel.limit, kernel.bound) == ("writes", "writes")


def test_kernels_add_up():
    """Two results of different sizes cannot share a kernel."""
    compiled = program("tosa.add %a, %b", "tosa.mul %0, %c", arguments="abc", result=[0, 1])
    result = compiled(*(np.ones(s, np.float32) for s in ((1, 300), (1, 300), (40, 1))))
    assert len(result.kernels) > 1
    assert [k.step for k in result.kernels] == [0] * len(result.kernels)
    kernels = compiled.package.steps[0].kernels
    for kernel in result.kernels:
        assert kernel.operators == kernels[kernel.kernel].source
        assert kernel.lines == tuple(2 + int("mul" in o) for o in kernel.operators.split(", "))
        assert kernel.points == prod(kernel.sizes)
        assert kernel.cycles == kernel.counters["cycles"]
        assert 0 < kernel.ideal_cycles <= kernel.occupied
    for name in load().counters:
        total = sum(kernel.counters[name] for kernel in result.kernels)
        if name == "cycles":
            (dispatch,) = compiled.package.dispatches
            images = len(dispatch.words), len(dispatch.parameters) + 1
            total += timing.load_cycles(TARGET, [(0, words) for words in images])
        assert total == result.counters[name], name


def test_the_table_has_a_row_for_each_kernel():
    compiled = program("tosa.add %a, %b")
    result = compiled(np.ones((3, 5), np.float32), np.ones((1, 5), np.float32))
    (row,) = result.kernel_table()
    kernel = result.kernels[0]
    assert row["number"] == 0
    assert row["bytes"] == 4 * (15 + 5 + 15)
    assert set(load().counters) < set(row)
    for name in ("step", "kernel", "dispatch", "operators", "sizes", "points", "limit", "start"):
        assert row[name] == getattr(kernel, name)


def test_a_device_that_cannot_tell_kernels_apart(binary_package):
    class Sums(Simulator):
        def run(self, memory, job):
            outcome = super().run(memory, job)
            object.__setattr__(outcome, "kernels", None)
            return outcome

    register("sums", Sums)
    result = Program(binary_package(), "sums")(np.ones((3, 5), "f4"), np.ones((1, 5), "f4"))
    assert result.kernels is None
    assert result.kernel_table() is None
