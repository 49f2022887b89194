"""Random programs, compiled and run on every target, against NumPy to the bit."""

import random
from pathlib import Path

import numpy as np
import pytest
from unit.backend.programs import generate

from hwc.runtime import api

TARGETS = ("accel", "tiny", "wide")


def run(program, target):
    compiled = api.compile(program.text, target)
    results = compiled(*program.arguments).outputs
    for number, (got, expected) in enumerate(zip(results, program.results, strict=True)):
        assert got.dtype == expected.dtype, number
        np.testing.assert_array_equal(got, expected, f"result {number}")
    return compiled.package


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(60))
def test_random_program(seed):
    """A failure names its seed; `generate(seed, ...)` is the whole program."""
    rng = random.Random(seed)
    size = (rng.randint(1, 8), rng.choice((3, 8, 20, 60)), rng.randint(1, 4))
    program = generate(seed, *size, rng.choice((0.0, 0.5, 0.9, 1.0)))
    run(program, TARGETS[seed % 3])


def folded_graph(seed, arguments, operations, reuse):
    """A graph whose every value is used: text, arguments and result."""
    rng, source = random.Random(seed), np.random.default_rng(seed)
    kind = "tensor<?x?xi32>"
    shapes = [[n if rng.random() < 0.6 else 1 for n in (3, 5)] for _ in range(arguments)]
    arrays = [source.integers(-(2**31), 2**31, s).astype(np.int32) for s in shapes]
    values = [(f"%a{i}", array) for i, array in enumerate(arrays)]
    unused, lines = list(range(arguments)), []
    functions = {"add": np.add, "sub": np.subtract, "maximum": np.maximum, "minimum": np.minimum}

    def apply(a, b, op):
        name = f"%v{len(values)}"
        lines.append(
            f"{name} = tosa.{op} {values[a][0]}, {values[b][0]} : ({kind}, {kind}) -> {kind}"
        )
        values.append((name, functions[op](values[a][1], values[b][1])))
        unused.append(len(values) - 1)
        for used in {a, b} & set(unused):
            unused.remove(used)

    def pick():
        fresh = unused and rng.random() > reuse
        return rng.choice(unused[-8:]) if fresh else rng.randrange(len(values))

    for _ in range(operations):
        apply(pick(), pick(), rng.choice(tuple(functions)))
    while len(unused) > 1:
        apply(unused[0], unused[1], "add")
    head = ", ".join(f"%a{i}: {kind}" for i in range(arguments))
    body = "\n  ".join(lines)
    text = (
        f"func.func @main({head}) -> {kind} {{\n  {body}\n  return {values[-1][0]} : {kind}\n}}\n"
    )
    return text, arrays, values[-1][1]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("arguments", "reuse"), [(30, 0.0), (30, 0.4), (2, 0.85)])
def test_two_hundred_operations(target, arguments, reuse):
    """Streams, registers, instruction words and parameters run out; nothing else may happen."""
    text, arrays, expected = folded_graph(arguments, arguments, 200, reuse)
    compiled = api.compile(text, target)
    (got,) = compiled(*arrays).outputs
    np.testing.assert_array_equal(got, expected)
    machine = compiled.target
    for dispatch in compiled.package.dispatches:
        assert len(dispatch.words) <= machine.instruction_words
        assert len(dispatch.parameters) + 1 <= machine.parameter_words
    if target == "tiny":
        assert len(compiled.package.dispatches) > 1


def test_intermediates_are_reused():
    """A long chain of cuts needs two buffers, not one per cut."""
    kind = "tensor<?xi32>"
    lines, value = [], "%a0"
    for i in range(1, 40):
        lines.append(f"  %v{i} = tosa.add {value}, %a{i} : ({kind}, {kind}) -> {kind}")
        value = f"%v{i}"
    # Sizes known to be equal: every argument meets the static result.
    lines = [line.replace(f"-> {kind}", "-> tensor<6xi32>") for line in lines]
    lines = [line.replace(f"%v{i} = tosa.add %v{i - 1}, %a{i} : ({kind}",
                          f"%v{i} = tosa.add %v{i - 1}, %a{i} : (tensor<6xi32>")
             for i, line in enumerate(lines, start=1)]  # fmt: skip
    head = ", ".join(f"%a{i}: {kind}" for i in range(40))
    text = f"func.func @main({head}) -> tensor<6xi32> {{\n" + "\n".join(lines)
    compiled = api.compile(f"{text}\n  return {value} : tensor<6xi32>\n}}\n", "tiny")
    buffers = [b for b in compiled.package.buffers if b.kind == "intermediate"]
    assert len(compiled.package.dispatches[0].kernels) > 3
    assert len(buffers) <= 2
    arrays = [np.arange(6, dtype=np.int32) * i for i in range(40)]
    (got,) = compiled(*arrays).outputs
    np.testing.assert_array_equal(got, sum(arrays))


def test_packet_holds_buffers_and_symbols_and_nothing_more():
    kind = "tensor<?x3x?xf32>"
    text = f"""func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{
  %0 = tosa.add %a, %b : ({kind}, {kind}) -> {kind}
  %1 = tosa.tanh %0 : ({kind}) -> {kind}
  return %1 : {kind}
}}"""
    package = api.compile(text, "accel").package
    (dispatch,) = package.dispatches
    names = [p.name for p in dispatch.parameters]
    assert len(names) == len(set(names)) == 3 + 6
    assert len(package.buffers) == 3
    assert [len(k.split(",")) for k in dispatch.kernels] == [2]


def test_two_thousand_operations_have_few_shape_steps():
    kind = "tensor<?x?xf32>"
    lines = [f"  %v{i + 1} = tosa.add %v{i}, %b : ({kind}, {kind}) -> {kind}" for i in range(2000)]
    text = f"func.func @main(%v0: {kind}, %b: {kind}) -> {kind} {{\n" + "\n".join(lines)
    package = api.compile(f"{text}\n  return %v2000 : {kind}\n}}\n", "accel").package
    assert len(package.shape_program.steps) == 4 + 2
    assert len(package.dispatches) > 1
    assert all(len(d.words) <= 1024 for d in package.dispatches)


def test_compiling_twice_gives_the_same_package():
    program = generate(7, 6, 60, 3)
    first, second = (api.compile(program.text, "tiny").package for _ in range(2))
    assert first == second


def test_programs_of_the_checkout_compile_for_every_target():
    folder = Path(__file__).resolve().parents[2] / "e2e" / "programs"
    files = sorted(folder.glob("*.mlir"))
    assert files
    for file in files:
        for target in TARGETS:
            assert api.compile(file, target).package.dispatches
