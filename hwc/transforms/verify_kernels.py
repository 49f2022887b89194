"""Checks source text of stages kernel and vector: whether the machine can run its kernels.

The module must be verified first, because the facts about sizes rely on that.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from hwc.dialects import kernel, strip
from hwc.dialects.kernel_facts import Facts, with_alternatives
from hwc.frontend.diagnostics import error_at
from hwc.shapes import strip_ones
from hwc.shapes.steps import Learned
from hwc.transforms.target_option import as_target
from isa.target import Target


@dataclass(frozen=True)
class VerifyKernels(ModulePass):
    """Raise a located error if the machine cannot have a kernel, or no kernel writes a result."""

    name = "verify-kernels"

    target: str | Target = "accel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Check every function of the module."""
        for function in op.ops:
            assert isinstance(function, func.FuncOp)
            block = function.body.block
            facts = Facts.of(block)
            for inner in with_alternatives(block):
                if isinstance(inner, kernel.SizeOp) and isinstance(inner.step, Learned):
                    raise error_at(
                        inner, "a size is learned from a step on the host, and a program has none"
                    )
                _check_types(inner, facts)
                if isinstance(inner, kernel.ApplyOp | strip.KernelOp):
                    _check_streams(inner, as_target(self.target))
                if isinstance(inner, strip.KernelOp):
                    _check_kernel(inner, facts)
                if isinstance(inner, kernel.ChooseOp):
                    _check_choice(inner, facts)
                if isinstance(inner, func.ReturnOp):
                    _check_results(inner, facts)


def _check_types(op: Operation, facts: Facts) -> None:
    """Check that tensors have the static sizes of their types."""
    for result in op.results:
        if result not in facts.views or not isinstance(result.type, TensorType):
            continue
        sizes = facts.table.resolve_shape(facts.sizes(result))
        declared = result.type.get_shape()
        if len(sizes) != len(declared) or any(
            static not in (size, DYNAMIC) for size, static in zip(sizes, declared, strict=True)
        ):
            raise error_at(
                op, f"a result of '{op.name}' is {result.type}, its sizes are {_listed(sizes)}"
            )


def _check_streams(op: kernel.ApplyOp | strip.KernelOp, target: Target) -> None:
    """Check that the target has enough streams for a kernel."""
    inputs = kernel.stream_inputs(op) if isinstance(op, kernel.ApplyOp) else op.inputs
    for what, have, has in (
        ("input", len(inputs), target.input_streams),
        ("output", len(op.results), target.output_streams),
    ):
        if have > has:
            raise error_at(
                op, f"the kernel needs {have} {what} streams, target {target.name} has {has}"
            )


def _check_kernel(op: strip.KernelOp, facts: Facts) -> None:
    """Check what later passes rely on: the sizes of streams and the values that streams take."""
    for number, (value, shape) in enumerate(zip(op.inputs, op.input_shapes, strict=True)):
        expected = strip_ones(facts.table.resolve_shape(facts.sizes(value)))
        known = not any(facts.table.is_new(size) for size in shape)
        if not known or strip_ones(facts.table.resolve_shape(shape)) != expected:
            raise error_at(
                op,
                f"input {number} of the kernel has the sizes {_listed(expected)}, the kernel says "
                f"{_listed(shape)}",
            )
    for number, value in enumerate(op.yielded):
        if not isinstance(value.owner, strip.InstructionOp) or value.uses.get_length() != 1:
            raise error_at(
                op,
                f"output {number} of the kernel is not the result of an instruction of its own",
                "copy the value with strip.mov",
            )


def _check_choice(op: kernel.ChooseOp, facts: Facts) -> None:
    """Check that each value an alternative yields has the sizes of the result it is written to."""
    resolve = facts.table.resolve_shape
    for block in op.blocks:
        last = block.last_op
        assert isinstance(last, kernel.YieldOp)
        for number, (value, result) in enumerate(zip(last.values, op.results, strict=True)):
            have, expected = resolve(facts.sizes(value)), resolve(facts.sizes(result))
            if have != expected:
                raise error_at(
                    last,
                    f"the alternative yields sizes {_listed(have)} as result {number}, expected "
                    f"{_listed(expected)}",
                )


def _check_results(op: func.ReturnOp, facts: Facts) -> None:
    """Check that kernels write the results, because each result has its own buffer."""
    for number, value in enumerate(op.operands):
        writer = facts.views[value].root.owner
        if not isinstance(writer, kernel.ApplyOp | strip.KernelOp | kernel.ChooseOp):
            raise error_at(op, f"no kernel writes result {number}", "copy the value in a kernel")


def _listed(sizes: tuple[int | str, ...]) -> str:
    return f"[{', '.join(map(str, sizes))}]"
