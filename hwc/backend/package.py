"""Builds a package from allocated strip loops: kernels, buffers, constants, the shape program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from sys import intern

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from hwc.backend.buffers import Buffers
from hwc.backend.emit import kernel_code
from hwc.dialects import strip
from hwc.dialects.attributes import broadcast_mode, rank_mode
from hwc.dialects.building import discard_all
from hwc.dialects.element_types import package_type
from hwc.dialects.kernel import ChooseOp
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.kernel_sizes import size_ops
from hwc.dialects.stored_parts import Whole, wholes
from hwc.errors import CompileError
from hwc.frontend.diagnostics import error_at, location_of
from hwc.frontend.functions import argument_name
from hwc.frontend.source import Location
from hwc.package import (
    Alternative,
    BufferRef,
    Choice,
    Item,
    Kernel,
    Line,
    MachineStep,
    Memories,
    Package,
    ShapeProgram,
    Step,
    SymbolRef,
    Tensor,
)
from hwc.shapes import Size
from hwc.shapes.steps import Dim, Element
from hwc.shapes.steps import Step as ShapeStep
from isa.target import Target


@dataclass
class _StepBuilder:
    """The kernels of the machine step, each once, in the order of first use.

    The body of each operation is discarded as soon as its code is here, because a large program
    would need the memory of both. If there is a source name, the kernels have the lines of their
    instructions in that source.
    """

    buffers: Buffers
    target: Target
    source_name: str | None
    kernels: dict[Kernel, int] = field(default_factory=dict)

    def number(self, op: strip.KernelOp) -> int:
        """Return the number of a kernel in the step.

        Raises:
            LocatedError: the kernel alone is too large for the target.
        """
        kernel = self._kernel(op)
        discard_all(op.body.block)
        memories = Memories(self.target.instruction_words, self.target.parameter_words)
        if not memories.hold(kernel):
            raise error_at(
                op,
                f"'{kernel.source}' needs more than the target's {memories.instruction_words} "
                f"instruction words or {memories.parameter_words} parameter words",
                "compile for a larger target",
            )
        return self.kernels.setdefault(kernel, len(self.kernels))

    def choice(self, op: ChooseOp) -> Choice:
        """Return the choice between an operation's lists of kernels."""
        alternatives: list[Alternative] = []
        for name, block in zip(op.names, op.blocks, strict=True):
            kernels = [inner for inner in block.ops if isinstance(inner, strip.KernelOp)]
            numbers = tuple(self.number(kernel) for kernel in kernels)
            alternatives.append(Alternative(name.data, numbers))
        return Choice(tuple(alternatives))

    def _kernel(self, op: strip.KernelOp) -> Kernel:
        parameters = {p: i for i, p in enumerate(_parameters(op, self.buffers))}

        def address(value: SSAValue) -> tuple[int, int]:
            name, offset = self.buffers.location(value)
            return parameters[_buffer_ref(name)], offset

        words = kernel_code(op, address, lambda symbol: parameters[_symbol_ref(symbol)])
        source = intern(", ".join(s.data for s in op.source))
        return Kernel(tuple(words), tuple(parameters), source, self._lines(op, len(words)))

    def _lines(self, op: strip.KernelOp, words: int) -> tuple[Line, ...]:
        """Return where a kernel's instructions come from; they stand right before its last word."""
        if self.source_name is None:
            return ()
        instructions = op.instructions
        lines: list[Line] = []
        for word, instruction in enumerate(instructions, words - 1 - len(instructions)):
            found = location_of(instruction.location)
            if isinstance(found, Location) and found.file == self.source_name:
                lines.append(Line(word, found.line, found.column))
        return tuple(lines)


def _parameters(kernel: strip.KernelOp, buffers: Buffers) -> dict[BufferRef | SymbolRef, None]:
    """Return what a kernel reads from the packet: its buffers, then its symbols."""
    tensors = [*kernel.inputs, *kernel.results]
    needed: dict[BufferRef | SymbolRef, None] = {
        _buffer_ref(buffers.location(value)[0]): None for value in tensors
    }
    for shape in (*kernel.input_shapes, *kernel.output_shapes):
        needed.update({_symbol_ref(size): None for size in shape if isinstance(size, str)})
    return needed


# Kernels share their parameters: a large program has few buffers and symbols, and many kernels.
_buffer_ref = lru_cache(maxsize=4096)(BufferRef)
_symbol_ref = lru_cache(maxsize=4096)(SymbolRef)


def build_package(
    module: ModuleOp, target: Target, source_name: str, source_digest: str = ""
) -> Package:
    """Build the package of a module with one function, whose registers are allocated.

    The kernels of the module have no bodies afterwards.

    If the digest of the source text is given, the kernels say which of its lines they come from.

    Raises:
        CompileError: the module has no function.
        LocatedError: a kernel alone is too large for the target.
    """
    function = next((op for op in module.ops if isinstance(op, func.FuncOp)), None)
    if function is None:
        raise CompileError(f"{source_name}: error: there is no function to compile")
    block = function.body.block
    facts = Facts.of(block)
    views = {value: view.resolve(facts.table) for value, view in facts.views.items()}
    last = block.last_op
    assert isinstance(last, func.ReturnOp)
    returned = list(last.operands)
    inputs = wholes(function.arg_attrs, len(block.args))
    outputs = wholes(function.res_attrs, len(returned))
    buffers = Buffers(block, views, returned, inputs, outputs)
    number_of = {whole.first + i: n for n, whole in enumerate(inputs) for i in range(whole.count)}
    return Package(
        target=target.to_dict(),
        entry=function.sym_name.data,
        # The declared sizes; the shape program checks everything else that is known about them.
        inputs=tuple(
            _tensor(argument_name(block.args[w.first]), w, block.args, facts.sizes, buffers)
            for w in inputs
        ),
        outputs=tuple(
            _tensor(f"result{i}", w, returned, lambda v: views[v].sizes, buffers)
            for i, w in enumerate(outputs)
        ),
        buffers=tuple(buffers.buffers),
        steps=_steps(block, buffers, target, source_name if source_digest else None),
        constants=bytes(buffers.constants),
        shape_program=ShapeProgram(
            tuple(_of_whole(op.with_origin(), number_of) for op in size_ops(block))
        ),
        source_name=source_name,
        source_digest=source_digest,
        broadcast=broadcast_mode(function),
        ranks=rank_mode(function),
    )


def _tensor(
    name: str,
    whole: Whole,
    parts: Sequence[SSAValue],
    sizes: Callable[[SSAValue], tuple[Size, ...]],
    buffers: Buffers,
) -> Tensor:
    first = parts[whole.first]
    type_ = whole.type or package_type(first)
    return Tensor(name, type_, sizes(first), buffers.location(first)[0])


def _of_whole(step: ShapeStep, number_of: Mapping[int, int]) -> ShapeStep:
    """Return a shape program step that names the program's arguments instead of their parts."""
    if isinstance(step, Dim | Element):
        return replace(step, argument=number_of[step.argument])
    return step


def _steps(
    block: Block, buffers: Buffers, target: Target, source_name: str | None
) -> tuple[Step, ...]:
    builder = _StepBuilder(buffers, target, source_name)
    items: list[Item] = []
    for op in block.ops:
        if isinstance(op, strip.KernelOp):
            items.append(builder.number(op))
        elif isinstance(op, ChooseOp):
            items.append(builder.choice(op))
    return (MachineStep(tuple(builder.kernels), tuple(items)),) if items else ()
