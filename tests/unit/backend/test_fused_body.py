"""What a fused body becomes: the instructions that selection gives, whatever was read before.

And the phases that regions are known to take one after another are phases of the joined body.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from hwc.dialects import make_context
from hwc.dialects.kernel import ApplyOp
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.strip import KernelOp
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.planning.schedule import least_phases
from hwc.transforms.convert_kernel_to_strip import ConvertKernelToStrip
from hwc.transforms.fused_body import Body, RegionReader
from hwc.transforms.fusion_planner import KernelPlan, Planner
from hwc.transforms.schedule_strips import described
from isa.target import load_target

SCALARS = (
    ("i1", "arith.extsi %x : i1 to i32"),
    ("i8", "arith.extsi %x : i8 to i32"),
    ("i16", "arith.sitofp %x : i16 to f32"),
    ("i1", "arith.sitofp %x : i1 to f32"),
    ("i32", "arith.trunci %x : i32 to i8"),
    ("i32", "arith.trunci %x : i32 to i1"),
    ("f32", "math.clampf %x to [%x, %y] : f32"),
    ("f32", "math.clampf %x to [%y, %z] : f32"),
    ("i8", "arith.floordivsi %x, %y : i8"),
    ("i8", "arith.floordivsi %x, %x : i8"),
)
"""Operations that differ in their types or in which operands are one value."""


def module_of(kind: str, operation: str) -> ModuleOp:
    """A function with one kernel of one scalar operation."""
    operand, result = f"tensor<4x{kind}>", operation.rsplit(maxsplit=1)[-1]
    arguments = ", ".join(f"%{name}: {operand}" for name in "abc")
    inputs = ", ".join(f"%{x} = %{name} : {operand}" for x, name in zip("xyz", "abc", strict=True))
    text = f"""
func.func @main({arguments}) -> tensor<4x{result}> {{
  %0 = kernel.apply ({inputs}) -> tensor<4x{result}> [4] from "one" {{
    %1 = {operation}
    kernel.yield %1 : {result}
  }}
  return %0 : tensor<4x{result}>
}}
"""
    return parse(Source("test.mlir", text), make_context())


@pytest.mark.parametrize("order", [1, -1])
def test_one_reader_tells_operations_of_other_types_and_operands_apart(order):
    reader = RegionReader()
    for kind, operation in SCALARS[::order]:
        module = module_of(kind, operation)
        (apply,) = (op for op in module.walk() if isinstance(op, ApplyOp))
        names = {value: value for value in apply.inputs}
        body = Body(reader, apply.inputs)
        body.add(reader.read(apply, names), apply.results)
        planned = body.instructions([body.values[value] for value in apply.results])
        ConvertKernelToStrip().apply(make_context(), module)
        (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
        assert planned == described(kernel), operation


FUNCTIONS = {
    "math.tanh": 1,
    "math.rsqrt": 1,
    "math.absf": 1,
    "arith.addf": 2,
    "arith.maximumf": 2,
    "math.powf": 2,
}
"""Scalar functions by the number of their operands: special ones, lanes, and chains of both."""


def planner_of(kernels: list[tuple[str, list[int]]]) -> Planner:
    """A planner of kernels with one scalar function each, the last of which is returned.

    Numbers of operands count the two arguments, a constant 0.5, and the kernels.
    """
    kind, names, lines = "tensor<4xf32>", ["%a", "%b", "%half"], []
    for number, (function, operands) in enumerate(kernels):
        read = ", ".join(f"%x{i} = {names[o]} : {kind}" for i, o in enumerate(operands))
        scalars = ", ".join(f"%x{i}" for i in range(len(operands)))
        names.append(f"%v{number}")
        lines.append(
            f'{names[-1]} = kernel.apply ({read}) -> {kind} [4] from "one" {{\n'
            f"    %c = {function} {scalars} : f32\n    kernel.yield %c : f32\n  }}\n"
        )
    text = f"""
func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{
  %half = kernel.apply () -> {kind} [4] from "fill" {{
    %c = arith.constant 0.5 : f32
    kernel.yield %c : f32
  }}
  {"".join(lines)}
  return {names[-1]} : {kind}
}}
"""
    module = parse(Source("test.mlir", text), make_context())
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    block = function.body.block
    planner = Planner(load_target("accel"), Facts.of(block))
    planner.plan(block)
    return planner


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), st.lists(st.integers(0, 3), min_size=2)),
        min_size=1,
        max_size=20,
    )
)
def test_nodes_that_certainly_take_too_many_phases_do(picked):
    kernels = [
        (function, [max(0, i + 2 - n) for n in numbers[: FUNCTIONS[function]]])
        for i, (function, numbers) in enumerate(picked)
    ]
    planner = planner_of(kernels)
    result = planner.nodes[-1].value
    needed, numbers = {result}, []
    for number in range(len(planner.nodes) - 1, -1, -1):
        if planner.nodes[number].value in needed:
            needed.update(planner.nodes[number].inputs)
            numbers.insert(0, number)
    body, yielded = planner.body(KernelPlan(tuple(numbers), (0, 1), (result,)))
    if planner._too_many_phases(numbers):
        assert least_phases(body.instructions(yielded)) > max(planner.pipe.registers)


def test_a_chain_of_special_functions_takes_too_many_phases():
    """Four phases are three special functions with lanes around them: the next one ends a fifth."""
    kernels = [("math.tanh" if i % 2 else "math.absf", [i + 2 if i else 0]) for i in range(20)]
    planner = planner_of(kernels)
    found = [planner._too_many_phases(range(1, 1 + count)) for count in (1, 7, 8, 20)]
    assert found == [False, False, True, True]


def test_lanes_alone_are_one_phase():
    planner = planner_of([("math.absf", [i + 2 if i else 0]) for i in range(20)])
    assert not planner._too_many_phases(range(1, 21))


def test_beside_a_constant_nothing_is_certain():
    """With a constant as its operand an operation may become less."""
    kernels = [("math.tanh" if i % 2 else "math.absf", [i + 2]) for i in range(20)]
    assert not planner_of(kernels)._too_many_phases(range(21))
