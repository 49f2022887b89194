"""The instructions of a fused body are those that selection gives, whatever was read before."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from hwc.dialects import make_context
from hwc.dialects.kernel import ApplyOp
from hwc.dialects.strip import KernelOp
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.transforms.convert_kernel_to_strip import ConvertKernelToStrip
from hwc.transforms.fused_body import Body, RegionReader
from hwc.transforms.schedule_strips import described

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
        names = {value: value for value in (*apply.inputs, *apply.results)}
        body = Body(reader, apply.inputs)
        body.add(reader.read(apply, names))
        planned = body.instructions([body.values[value] for value in apply.results])
        ConvertKernelToStrip().apply(make_context(), module)
        (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
        assert planned == described(kernel), operation
