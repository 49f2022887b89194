"""Source text of a later stage: finds its stage, and checks that the later passes can accept it.

`hwc compile --emit linalg|kernel|vector` prints such text, and `hwc compile` takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from hwc.dialects import kernel, strip
from hwc.dialects.attributes import check_attributes
from hwc.dialects.kernel_host import HostOp
from hwc.dialects.kernel_sizes import SizeOp
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.dialects.tensor_types import type_problem
from hwc.dialects.views import SOURCE
from hwc.frontend.diagnostics import error_at
from hwc.frontend.functions import called_argument, error_at_argument
from hwc.transforms.verify_tosa import check_return

_KERNEL_STAGE = (
    SizeOp,
    HostOp,
    kernel.ChooseOp,
    ReshapeOp,
    TableOp,
    arith.ConstantOp,
    tensor.CastOp,
)
_OPERATIONS: dict[str, tuple[type[Operation], ...]] = {
    "kernel": (*_KERNEL_STAGE, kernel.ApplyOp),
    "vector": (*_KERNEL_STAGE, strip.KernelOp),
}
"""The operations allowed in a function's block besides its return, where a list is enough."""

_KERNELS = (kernel.ApplyOp, strip.KernelOp)
"""The operations allowed in an alternative of a choice."""

_BODIES: dict[type[Operation], tuple[str, ...]] = {
    linalg.GenericOp: ("arith", "math", "hwc", "linalg"),
    kernel.ApplyOp: ("arith", "math", "hwc", "kernel"),
    strip.KernelOp: ("strip",),
}
"""The dialects allowed in the region of an operation."""


def stage_of(module: ModuleOp) -> str:
    """Return the name of the stage that the module is at: "tosa" for a program as users write it.

    Stage `linalg` is recognized by operations of `hwc`, and by the names of source operations on
    `linalg.generic`.
    """
    dialects = {op.name.partition(".")[0] for op in module.walk()}
    for dialect, stage in (("strip", "vector"), ("kernel", "kernel"), ("hwc", "linalg")):
        if dialect in dialects:
            return stage
    generics = (op for op in module.walk() if isinstance(op, linalg.GenericOp))
    named = "tosa" not in dialects and any(SOURCE in op.attributes for op in generics)
    return "linalg" if named else "tosa"


@dataclass(frozen=True)
class VerifyStage(ModulePass):
    """Raise a located error if text of stage `linalg`, `kernel` or `vector` cannot be compiled."""

    name = "verify-stage"
    checks_input: ClassVar[bool] = True

    stage: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Check every function of the module."""
        for function in op.ops:
            if not isinstance(function, func.FuncOp):
                raise error_at(
                    function,
                    f"'{function.name}' beside functions, in text of stage {self.stage}",
                    "such text has func.func only",
                )
        check_attributes(op)
        for function in op.ops:
            assert isinstance(function, func.FuncOp)
            self._function(function)

    def _function(self, function: func.FuncOp) -> None:
        name = f"function @{function.sym_name.data}"
        for number, type_ in enumerate(function.function_type.inputs):
            if problem := type_problem(type_, called_argument(function, number)):
                raise error_at_argument(function, number, *problem)
        if len(function.body.blocks) != 1:
            raise error_at(function, f"{name} has {len(function.body.blocks)} blocks, expected one")
        block = function.body.block
        for op in _operations(block):
            if op is not block.last_op:
                self._operation(op)
        check_return(function)

    def _operation(self, op: Operation) -> None:
        known = _OPERATIONS.get(self.stage)
        belongs = isinstance(op, known) if known else op.name.partition(".")[0] in _LINALG_STAGE
        if not belongs:
            raise error_at(
                op,
                f"'{op.name}' is not an operation of stage {self.stage}, and the text has others "
                "that are",
                "write the whole program for one stage; `hwc compile --emit` shows each",
            )
        if isinstance(op.parent_op(), kernel.ChooseOp) and not isinstance(op, _KERNELS):
            raise error_at(
                op, f"'{op.name}' cannot be in an alternative of 'kernel.choose', which has kernels"
            )
        for number, result in enumerate(op.results):
            problem = type_problem(result.type, f"result {number} of '{op.name}'")
            if problem and self.stage != "linalg":
                raise error_at(op, *problem)
        for region in op.regions:
            if isinstance(op, kernel.ChooseOp):
                continue
            dialects = next((d for kind, d in _BODIES.items() if isinstance(op, kind)), ())
            for inner in region.walk():
                if inner.name.partition(".")[0] not in dialects:
                    raise error_at(inner, f"'{inner.name}' cannot be in '{op.name}'")


_LINALG_STAGE = ("arith", "hwc", "linalg", "tensor")


def _operations(block: Block) -> Iterator[Operation]:
    """Yield the operations of a function's block, and the computing operations of alternatives."""
    for op in block.ops:
        yield op
        if isinstance(op, kernel.ChooseOp):
            alternatives = (block for region in op.regions for block in region.blocks)
            for alternative in alternatives:
                yield from (
                    inner for inner in alternative.ops if not isinstance(inner, kernel.YieldOp)
                )
