"""A kernel of a package, as the machine would see it at given sizes, without a packet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import isa
from hwc.package import Kernel, SymbolRef
from hwc.shapes import Size
from isa.dispatch import Fault
from isa.model import ElementType
from isa.target import Target
from sim import kernel as machine
from sim.shapes import iteration_sizes


@dataclass
class StreamModel:
    """A stream of a kernel: its operand code, type, offset in bytes, and sizes or symbols."""

    code: int
    type: ElementType
    offset: int
    sizes: list[Size]

    def at(self, symbols: Mapping[str, int]) -> machine.Stream:
        """Return the stream for these sizes; its buffer begins at address 0."""
        sizes = tuple(symbols[s] if isinstance(s, str) else s for s in self.sizes)
        return machine.Stream.dense(self.code, self.type, self.offset, sizes)


@dataclass(frozen=True, eq=False)
class KernelModel:
    """A decoded kernel; `words` is the number of its words."""

    words: int
    streams: tuple[StreamModel, ...]
    body: machine.Body
    copies: int

    @classmethod
    def of(cls, kernel: Kernel) -> KernelModel:
        """Decode the words of a kernel."""
        streams: dict[int, StreamModel] = {}
        body: list[machine.Operation] = []
        copies = 0
        for word in kernel.words:
            decoded = isa.decode(word)
            fields = decoded.fields
            if decoded.name == "base":
                type_ = isa.load().types_by_code[fields["type"]]
                code = fields["stream"]
                streams[code] = StreamModel(code, type_, fields["offset"], [1] * fields["rank"])
            elif decoded.name == "size":
                size: Size = fields["value"]
                if fields["from_param"]:
                    parameter = kernel.parameters[fields["value"]]
                    assert isinstance(parameter, SymbolRef), "the package is checked"
                    size = parameter.name
                streams[fields["stream"]].sizes[fields["dim"]] = size
            elif decoded.name == "loop":
                copies = fields["copies"]
            elif not decoded.instruction.is_control:
                body.append(
                    machine.Operation(
                        decoded.instruction, fields["dst"], decoded.sources, fields["imm"]
                    )
                )
        ordered = tuple(streams[code] for code in sorted(streams))
        return cls(len(kernel.words), ordered, machine.Body(body), copies)

    @property
    def symbols(self) -> frozenset[str]:
        """The symbols among the sizes of the streams."""
        return frozenset(n for stream in self.streams for n in stream.sizes if isinstance(n, str))

    def at(self, symbols: Mapping[str, int], target: Target) -> machine.Kernel | None:
        """Return the kernel for these sizes; None if the machine would refuse them."""
        streams = [stream.at(symbols) for stream in self.streams]
        first_output = isa.load().operands["output"].first
        inputs = tuple(s for s in streams if s.code < first_output)
        outputs = tuple(s for s in streams if s.code >= first_output)
        sizes = iteration_sizes(0, inputs, outputs)
        if isinstance(sizes, Fault):
            return None
        return machine.Kernel(
            0, inputs, outputs, self.body, sizes, target.lanes, target.vlen, self.copies
        )
