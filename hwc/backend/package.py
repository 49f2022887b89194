"""From allocated strip loops to a package: dispatches, buffers, constants and the shape program."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

import isa
from hwc.backend.buffers import Buffers
from hwc.backend.emit import kernel_code
from hwc.dialects import strip
from hwc.dialects.element_types import element_type_of
from hwc.dialects.kernel_facts import Facts
from hwc.dialects.kernel_sizes import size_ops
from hwc.errors import CompileError
from hwc.frontend.diagnostics import error_at
from hwc.package import BufferRef, Dispatch, Package, ShapeProgram, SymbolRef, Tensor
from hwc.planning.words import HALT_WORDS, VERSION_WORDS
from isa.target import Target


@dataclass
class _DispatchBuilder:
    """The kernels of one dispatch, and its packet's parameters in the order of their first use."""

    buffers: Buffers
    target: Target
    words: list[int] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    parameters: dict[BufferRef | SymbolRef, int] = field(default_factory=dict)

    def add(self, kernel: strip.KernelOp) -> bool:
        """Append a kernel, unless the target's memories are too small for one more."""
        parameters = dict(self.parameters)
        for parameter in _parameters(kernel, self.buffers):
            parameters.setdefault(parameter, len(parameters))
        if len(parameters) + VERSION_WORDS > self.target.parameter_words:
            return False

        def address(value: SSAValue) -> tuple[int, int]:
            name, offset = self.buffers.location(value)
            return parameters[BufferRef(name)], offset

        words = kernel_code(kernel, address, lambda symbol: parameters[SymbolRef(symbol)])
        if len(self.words) + len(words) + HALT_WORDS > self.target.instruction_words:
            return False
        self.words += words
        self.kernels.append(_source(kernel))
        self.parameters = parameters
        return True

    def build(self) -> Dispatch:
        """Return the finished dispatch."""
        words = (*self.words, isa.encode("halt"))
        return Dispatch(words, tuple(self.parameters), tuple(self.kernels))


def _parameters(kernel: strip.KernelOp, buffers: Buffers) -> dict[BufferRef | SymbolRef, None]:
    """Return what a kernel reads from the packet: its buffers, then its symbols."""
    tensors = [*kernel.inputs, *kernel.results]
    needed: dict[BufferRef | SymbolRef, None] = {
        BufferRef(buffers.location(value)[0]): None for value in tensors
    }
    for shape in (*kernel.input_shapes, *kernel.output_shapes):
        needed.update({SymbolRef(size): None for size in shape if isinstance(size, str)})
    return needed


def _source(kernel: strip.KernelOp) -> str:
    return ", ".join(s.data for s in kernel.source)


def build_package(module: ModuleOp, target: Target, source_name: str) -> Package:
    """Build the package of a module whose one function has its registers allocated.

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
    buffers = Buffers(block, views, returned)
    return Package(
        target=target.to_dict(),
        entry=function.sym_name.data,
        inputs=_inputs(block, facts, buffers),
        outputs=tuple(
            Tensor(f"result{i}", element_type_of(v).name, views[v].sizes, buffers.location(v)[0])
            for i, v in enumerate(returned)
        ),
        buffers=tuple(buffers.buffers),
        steps=_dispatches(block, buffers, target),
        constants=bytes(buffers.constants),
        shape_program=ShapeProgram(tuple(op.with_origin() for op in size_ops(block))),
        source_name=source_name,
    )


def _kernels(block: Block) -> list[strip.KernelOp]:
    return [op for op in block.ops if isinstance(op, strip.KernelOp)]


def _inputs(block: Block, facts: Facts, buffers: Buffers) -> tuple[Tensor, ...]:
    tensors: list[Tensor] = []
    for number, argument in enumerate(block.args):
        name = argument.name_hint or f"arg{number}"
        # The declared sizes: the shape program checks whatever else is known about them.
        type_ = element_type_of(argument).name
        tensors.append(Tensor(name, type_, facts.sizes(argument), buffers.location(argument)[0]))
    return tuple(tensors)


def _dispatches(block: Block, buffers: Buffers, target: Target) -> tuple[Dispatch, ...]:
    builders: list[_DispatchBuilder] = []
    for kernel in _kernels(block):
        if not builders or not builders[-1].add(kernel):
            builders.append(_DispatchBuilder(buffers, target))
            if not builders[-1].add(kernel):
                raise error_at(
                    kernel,
                    f"'{_source(kernel)}' needs more than the target's {target.instruction_words} "
                    f"instruction words or {target.parameter_words} parameter words",
                    "compile for a larger target",
                )
    return tuple(builder.build() for builder in builders)
