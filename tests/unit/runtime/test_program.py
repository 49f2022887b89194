"""Calls of hand-assembled packages: layouts, aliasing, refusals, placement, faults, cost."""

import dataclasses

import numpy as np
import pytest

import hwc
import isa
from hwc.errors import DispatchError, MachineError, PackageError
from hwc.package import (
    Alternative,
    Buffer,
    BufferRef,
    Choice,
    Kernel,
    MachineStep,
    Package,
    ShapeProgram,
    Tensor,
)
from hwc.runtime import Fault, Job, Outcome, Program, device_names, register
from hwc.runtime.placement import place
from hwc.runtime.steps import packet, ready_steps
from hwc.shapes.steps import Dim
from isa.asm import assemble
from isa.target import load_target
from sim.memory import Memory

RNG = np.random.default_rng(7)


def f32(*shape):
    return RNG.standard_normal(shape, dtype=np.float32)


@pytest.fixture
def add(binary_package):
    return Program(binary_package())


def check(program, a, b):
    result = program(a, b)
    (output,) = result.outputs
    expected = np.add(a, b, dtype=np.float32)
    assert output.dtype == np.float32 and output.dtype.isnative
    assert output.shape == expected.shape
    np.testing.assert_array_equal(output, expected)
    return result


@pytest.mark.parametrize(
    ("a", "b"),
    [((4, 5), (4, 5)), ((4, 5), (1, 5)), ((4, 1), (1, 5)), ((1, 1), (4, 5)), ((1, 1), (1, 1))],
)
def test_one_package_many_shapes(add, a, b):
    result = check(add, f32(*a), f32(*b))
    assert result.cycles == result.counters["cycles"] > 0
    assert result.counters["bytes_written"] == 4 * np.prod(np.broadcast_shapes(a, b))
    assert result.counters["bytes_read"] == 4 * (np.prod(a) + np.prod(b))


def test_layouts_and_byte_orders(add):
    base = f32(12, 10)
    plain = f32(3, 5)
    read_only = f32(3, 5)
    read_only.flags.writeable = False
    for a in (
        base[::4, ::2],
        base[2::-1, 9::-2],
        f32(5, 3).T,
        plain.astype(">f4"),
        read_only,
        np.broadcast_to(np.float32(3), (3, 5)),
        np.asfortranarray(plain),
        np.frombuffer(b"\0" + plain.tobytes(), np.uint8)[1:].view(np.float32).reshape(3, 5),
    ):
        check(add, a, plain)


def test_arguments_are_left_alone_and_results_are_the_callers_own(add):
    a, b = f32(64, 64), f32(64, 64)
    before = a.copy(), b.copy()
    first = add(a, b).outputs[0]
    first[...] = 0
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])
    second = add(a, b).outputs[0]
    np.testing.assert_array_equal(second, a + b)
    assert not np.shares_memory(first, second)


def test_a_small_result_does_not_keep_the_memory_alive_and_a_large_one_is_not_copied(add):
    assert add(f32(3, 5), f32(3, 5)).outputs[0].base is None
    assert add(f32(64, 64), f32(64, 64)).outputs[0].base is not None


def test_the_same_array_twice(add):
    a = f32(3, 5)
    np.testing.assert_array_equal(add(a, a).outputs[0], a + a)
    np.testing.assert_array_equal(add(a, a[::-1]).outputs[0], a + a[::-1])


@pytest.mark.parametrize(
    ("a", "b", "r"),
    [((0, 5), (1, 5), (0, 5)), ((4, 0), (4, 1), (4, 0)), ((0, 0), (1, 1), (0, 0))],
)
def test_nothing_to_do(add, a, b, r):
    result = add(f32(*a), f32(*b))
    assert result.outputs[0].shape == r
    assert result.counters["strips"] == result.counters["bytes_read"] == 0


def test_rank_0(binary_package):
    result = Program(binary_package(rank=0))(np.float32(1.5), 2.25)
    assert isinstance(result.outputs[0], np.ndarray)
    assert result.outputs[0].shape == ()
    assert result.outputs[0].item() == 3.75


def test_booleans_and_bytes(binary_package):
    both = Program(binary_package("and", ("i1", "i1")))
    result = both(np.array([[True, True, False]]), np.array([[True], [False]]))
    assert result.outputs[0].dtype == bool
    assert result.outputs[0].tolist() == [[True, True, False], [False, False, False]]
    bytes_ = Program(binary_package("add.i8", ("i8", "i8")))
    result = bytes_(np.array([[100, -100]], np.int8), np.array([[100, -100]], np.int8))
    assert result.outputs[0].tolist() == [[-56, 56]]


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (f32(4, 5), f32(3, 5), "'tosa.add' in dimension 0 of the result: sizes 4"),
        (f32(2, 5), f32(64, 5), "do not broadcast"),
        (f32(4, 0), f32(4, 5), "do not broadcast"),
        (f32(5), f32(4, 5), r"argument 0 \(%a\): got rank 1, shape \(5,\); expected rank 2"),
        (f32(4, 5), f32(4, 5).astype(np.float64), r"argument 1 \(%b\): got dtype float64"),
    ],
)
def test_what_does_not_fit_never_reaches_the_device(binary_package, a, b, message):
    class Untouchable:
        def __init__(self, target):
            pass

        def allocate(self, nbytes):
            raise AssertionError("allocated")

        def run(self, memory, job):
            raise AssertionError("ran")

    register("untouchable", Untouchable)
    program = Program(binary_package(), "untouchable")
    with pytest.raises(DispatchError, match=message):
        program(a, b)


def test_the_wrong_number(add):
    with pytest.raises(DispatchError, match="got 1 argument, expected 2"):
        add(f32(4, 5))


def test_a_result_that_is_too_large(add):
    row = np.broadcast_to(np.float32(0), (1, 1 << 16))
    with pytest.raises(DispatchError, match="result 0 would have the shape 65536x65536"):
        add(row, row.T)


def test_more_memory_than_the_host_has(binary_package):
    class Full:
        def __init__(self, target):
            pass

        def allocate(self, nbytes):
            raise MemoryError

    register("full", Full)
    with pytest.raises(DispatchError, match="the call needs 8192 bytes of memory"):
        Program(binary_package(), "full")(f32(4, 5), f32(4, 5))


def test_more_memory_than_the_address_bits_reach(binary_package):
    package = binary_package()
    symbols = package.shape_program.evaluate(package.inputs, [(64, 64), (64, 64)])
    assert place(package, steps(package), symbols, 20).size < 1 << 20
    symbols = package.shape_program.evaluate(package.inputs, [(512, 512), (1, 1)])
    with pytest.raises(DispatchError, match="more than the target's 20 address bits reach"):
        place(package, steps(package), symbols, 20)


def test_devices_have_names(binary_package):
    assert "simulator" in device_names()
    with pytest.raises(DispatchError, match="no device 'toaster': known are .*simulator"):
        Program(binary_package(), "toaster")


def steps(package):
    return ready_steps(package, package.first_plan)


def test_placement_and_packet(binary_package):
    package = binary_package()
    symbols = package.shape_program.evaluate(package.inputs, [(3, 5), (1, 5)])
    placement = place(package, steps(package), symbols, 40)
    assert placement.buffers == {"a": 0, "b": 64, "r": 128}
    assert placement.window == 4096
    assert [step.areas for step in steps(package)] == [(8 * 13, 8 * 10)]
    assert placement.areas == ((4096, 4096 + 128),)
    words = packet(package.dispatches[0], placement.buffers, symbols)
    assert words.tolist() == [isa.load().version, 0, 64, 128, 3, 5, 1, 5, 3, 5]
    assert words.dtype == np.dtype("<u8")


def test_what_the_device_is_given(binary_package):
    seen: list[tuple[Job, list[int], list[int]]] = []

    class Recorder:
        def __init__(self, target):
            self.target = target

        def allocate(self, nbytes):
            return Memory(nbytes, 0x40000)

        def run(self, memory, job):
            words = [memory.view(at, 8 * n).view("<u8").tolist() for at, n in job.images]
            seen.append((job, *words))
            return Outcome("done", counters=dict.fromkeys(isa.load().counters, 5))

    register("recorder", Recorder)
    package = binary_package()
    package = dataclasses.replace(package, steps=package.steps * 2)
    result = Program(package, "recorder")(f32(3, 5), f32(3, 5))
    assert result.cycles == 10
    assert len(seen) == 2
    job, program, parameters = seen[1]
    assert tuple(program) == package.dispatches[1].words
    assert parameters[:4] == [isa.load().version, 0x40000, 0x40040, 0x40080]
    assert job.window == (0x40000, 0x41000)
    assert job.program_address >= job.window[1]


def test_counters_add_up_over_dispatches(binary_package):
    package = binary_package()
    twice = dataclasses.replace(package, steps=package.steps * 2)
    a, b = f32(30, 50), f32(1, 50)
    once, both = Program(package)(a, b), Program(twice)(a, b)
    assert list(both.counters) == list(once.counters)
    assert both.counters == {name: 2 * value for name, value in once.counters.items()}


def test_a_fault_of_a_later_dispatch(binary_package):
    """What comes after it does not run, and it is the one that is named."""
    ran: list[Job] = []

    class Failing:
        def __init__(self, target):
            pass

        def allocate(self, nbytes):
            return Memory(nbytes, 0x40000)

        def run(self, memory, job):
            ran.append(job)
            fault = Fault("bad_version", 0) if len(ran) == 2 else None
            return Outcome("fault" if fault else "done", fault, {"cycles": 5})

    register("failing", Failing)
    package = binary_package()
    package = dataclasses.replace(package, steps=package.steps * 3)
    with pytest.raises(MachineError, match="fault bad_version in dispatch 1, kernel 0"):
        Program(package, "failing")(f32(3, 5), f32(3, 5))
    assert len(ran) == 2


def test_a_fault_names_fault_kernel_and_stream(binary_package):
    package = binary_package()
    (step,) = package.steps
    text = "base s0, f32, rank=1, p0, +0\nsize s0, 0, #4\n"
    text += "base o0, f32, rank=1, p1, +0\nsize o0, 0, #5\nloop\nmov o0, s0\nend\n"
    wrong = Kernel(tuple(assemble(text)), (BufferRef("a"), BufferRef("r")), "tosa.abs")
    program = Program(dataclasses.replace(package, steps=(MachineStep.of([*step.kernels, wrong]),)))
    with pytest.raises(MachineError) as caught:
        program(f32(4, 5), f32(4, 5))
    text = str(caught.value)
    assert "fault output_shape in dispatch 0, kernel 1 (tosa.abs), word" in text
    assert "stream o0, dimension 0" in text


@pytest.mark.parametrize("fault", [None, Fault("none", 4)])
def test_an_error_on_the_bus(binary_package, fault):
    """An error on the bus: no fault before the first kernel, in a kernel one without a name."""

    class Broken:
        def __init__(self, target):
            pass

        def allocate(self, nbytes):
            return Memory(nbytes, 0x40000)

        def run(self, memory, job):
            return Outcome("fault", fault, axi_error=True)

    register("broken", Broken)
    with pytest.raises(MachineError, match="dispatch 0: the machine met an error on the bus"):
        Program(binary_package(), "broken")(f32(3, 5), f32(3, 5))


def test_two_results_in_one_buffer_are_two_arrays(binary_package):
    package = binary_package()
    again = dataclasses.replace(package.outputs[0], shape=("r1", "r0"))
    package = dataclasses.replace(package, outputs=(*package.outputs, again))
    a, b = f32(40, 50), f32(1, 50)
    first, second = Program(package)(a, b).outputs
    assert second.shape == (50, 40)
    np.testing.assert_array_equal(first.ravel(), second.ravel())
    assert not np.shares_memory(first, second)


def test_constants_and_intermediates():
    text = "base s0, i16, rank=1, p0, +0\nsize s0, 0, #3\n"
    text += "base o0, i16, rank=1, p1, +0\nsize o0, 0, #3\nloop\nadd.i16 o0, s0, #1\nend\n"
    kernels = [
        Kernel(tuple(assemble(text)), (BufferRef(source), BufferRef(result)))
        for source, result in ("kt", "tr")
    ]
    package = Package(
        target=load_target("tiny").to_dict(),
        entry="main",
        inputs=(Tensor("unused", "f32", ("n",), "u"),),
        outputs=(Tensor("result0", "i16", (1, 3), "r"),),
        buffers=(
            Buffer("u", "input", "f32", ("n",)),
            Buffer("k", "constant", "i16", (3,), 2),
            Buffer("t", "intermediate", "i16", (3,)),
            Buffer("r", "output", "i16", (3,)),
        ),
        steps=(MachineStep.of(kernels),),
        constants=np.array([9, 1, 2, 3], "<i2").tobytes(),
        shape_program=ShapeProgram((Dim("n", 0, 0),)),
    )
    program = Program(package)
    assert program(f32(7)).outputs[0].tolist() == [[3, 4, 5]]
    placement = place(package, steps(package), {"n": 7}, 40)
    assert "u" not in placement.buffers


@pytest.mark.parametrize(("role", "name"), [("argument", "a"), ("result", "r")])
def test_a_tensor_with_other_sizes_than_its_buffer(binary_package, role, name):
    package = binary_package()
    buffers = [
        dataclasses.replace(b, shape=b.shape[:1] * 2) if b.name == name else b
        for b in package.buffers
    ]
    package = dataclasses.replace(package, buffers=tuple(buffers))
    package.check()  # only a call knows the sizes
    with pytest.raises(
        PackageError,
        match=rf"error: damaged package: {role} 0 has \d+ elements, its buffer '.*' has \d+$",
    ):
        Program(package)(f32(2, 3), f32(2, 3))


@pytest.mark.parametrize(
    ("drop", "text"),
    [(0, "word 0: a size before the stream's base"), (-3, "add.f32 outside of a loop")],
)
def test_a_choice_of_a_kernel_that_the_machine_refuses_at_all_sizes(binary_package, drop, text):
    """Kernels of a choice are estimated before they run, so they are checked before."""
    package = binary_package()
    (good,) = package.steps[0].kernels
    words = [word for i, word in enumerate(good.words) if i != drop % len(good.words)]
    bad = dataclasses.replace(good, words=tuple(words))
    choice = Choice((Alternative("good", (0,)), Alternative("bad", (1,))))
    package = dataclasses.replace(package, steps=(MachineStep((good, bad), (choice,)),))
    package.check()
    with pytest.raises(PackageError, match=rf"damaged package: step 0 kernel 1, .*{text}"):
        Program(package)


def test_save_and_load(add, tmp_path):
    add.save(tmp_path / "m.hwx")
    again = hwc.load(tmp_path / "m.hwx")
    assert again.package == add.package
    check(again, f32(3, 5), f32(1, 5))
    with pytest.raises(PackageError, match="cannot read"):
        hwc.load(tmp_path / "n.hwx")


def test_a_package_for_a_target_that_cannot_be(binary_package):
    package = binary_package()
    broken = dataclasses.replace(package, target={**package.target, "lanes": 3})
    with pytest.raises(hwc.UserError, match="lanes"):
        Program(broken)
