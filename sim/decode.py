"""The sequencer: walks a program's words, checks each, and gathers kernels.

docs/timing.md, section "Faults", lists what is checked at which word and in which order. Whatever
depends on the words alone is worked out once, as sections of an `Image`. For each packet, only the
packet's values are filled in and checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from isa.dispatch import Fault
from isa.encode import Decoded, decode
from isa.errors import DecodeError
from isa.load import load
from isa.model import ElementType
from isa.operands import operand_text
from isa.target import Target
from sim import shapes
from sim.body_words import decode_body
from sim.kernel import Body, Kernel, Stream


@dataclass(frozen=True)
class Program:
    """The sequencer's inputs: words, parameters and window of a dispatch, and the target."""

    target: Target
    words: Sequence[int]
    parameters: Sequence[int]
    window: tuple[int, int]


@dataclass(frozen=True)
class Advance:
    """The words from one pc to the end of a kernel, to `halt`, or to a fault.

    `words` counts the configuration words executed, including `halt` and a faulty word. `decoded`
    counts the body words decoded, including `end` and a faulty word (0 if no body was reached).
    `inputs` and `outputs` are the streams set up at `loop`. With neither `kernel` nor `fault`, the
    program is over.
    """

    words: int
    decoded: int = 0
    inputs: tuple[Stream, ...] = ()
    outputs: tuple[Stream, ...] = ()
    kernel: Kernel | None = None
    fault: Fault | None = None
    next_pc: int = 0


class _Size(NamedTuple):
    """A size as a word gives it: its stream and dimension, and its value or parameter number."""

    pc: int
    code: int
    dim: int
    from_param: bool
    value: int


@dataclass
class _Configuration:
    """A stream between its `base` and `loop`; a size not given yet is None."""

    code: int
    type: ElementType
    param: int
    offset: int
    sizes: list[_Size | None]

    @property
    def is_input(self) -> bool:
        """Whether this is an input stream."""
        return load().operands["input"].holds(self.code)

    def bind(self, parameters: Sequence[int]) -> Stream:
        """The stream for the values of a packet."""
        sizes = tuple(
            parameters[size.value] if size.from_param else size.value
            for size in self.sizes
            if size is not None
        )
        return Stream.dense(self.code, self.type, parameters[self.param] + self.offset, sizes)


@dataclass(frozen=True)
class _Loop:
    """A `loop`: its pc, the streams configured before it, and its body as far as it decodes.

    `late` is the fault that ends the body.
    """

    pc: int
    inputs: tuple[_Configuration, ...]
    outputs: tuple[_Configuration, ...]
    body: Body
    copies: int
    decoded: int
    late: Fault | None


@dataclass(frozen=True)
class _Section:
    """The words from one pc to the end of a kernel, to `halt`, or to a fault, without a packet.

    `words` counts the configuration words, including the one that ends them. `sizes` are in the
    order of their words. `fault` stops the configuration whatever the packet's values are. With
    neither `fault` nor `loop`, the program is over.
    """

    words: int
    sizes: tuple[_Size, ...]
    fault: Fault | None = None
    loop: _Loop | None = None


class Image:
    """The words of a program on a target, decoded once for all packets with `parameters` values."""

    def __init__(self, target: Target, words: Sequence[int], parameters: int) -> None:
        """Decode nothing yet: words after `halt` or after a fault are never decoded."""
        self.target = target
        self.words = words
        self.parameters = parameters
        self._sections: dict[int, _Section] = {}

    def section(self, pc: int) -> _Section:
        """The section that begins at `pc`."""
        if pc not in self._sections:
            self._sections[pc] = _section(self, pc)
        return self._sections[pc]


def advance(program: Program, pc: int, image: Image | None = None) -> Advance:
    """Execute the words from `pc` to the end of the next kernel, `halt` or a fault.

    `image` holds the words of the program, if they were decoded before.
    """
    image = image or Image(program.target, program.words, len(program.parameters))
    section = image.section(pc)
    limit = load().limits.size_limit
    for size in section.sizes:
        value = program.parameters[size.value] if size.from_param else size.value
        if value >= limit:
            text = f"size {value}, allowed: below {limit}"
            fault = Fault("bad_dimension", size.pc, size.code, size.dim, text)
            return Advance(size.pc - pc + 1, fault=fault)
    if section.loop is None:
        return Advance(section.words, fault=section.fault)
    return _enter(program, section.loop, section.words - 1)


def structure_fault(program: Program) -> Fault | None:
    """Return the fault that a one-kernel program has whatever its sizes are, or None.

    Of the program's parameters, only their number matters.
    """
    section = Image(program.target, program.words, len(program.parameters)).section(0)
    if section.loop is not None:
        return section.loop.late
    if section.fault is not None:
        return section.fault
    return Fault("bad_structure", section.words - 1, text="a kernel without a loop")


def _section(image: Image, pc: int) -> _Section:
    """Decode the section that begins at `pc`."""
    streams: dict[int, _Configuration] = {}
    given: list[_Size] = []
    found = _configure(image, pc, streams, given)
    words, sizes = found.pc - pc + 1, tuple(given)
    if isinstance(found, Fault):
        return _Section(words, sizes, fault=found)
    if found.copies == 0:
        return _Section(words, sizes)
    ordered = [streams[code] for code in sorted(streams)]
    fault = _check_complete(found.pc, ordered)
    if fault:
        return _Section(words, sizes, fault=fault)
    first = found.pc + 1
    fetched = (_fetch(image, at) for at in count(first))
    body = decode_body(fetched, first, image.target, streams, found.copies)
    loop = _Loop(
        found.pc,
        tuple(stream for stream in ordered if stream.is_input),
        tuple(stream for stream in ordered if not stream.is_input),
        Body(body.operations),
        body.copies,
        body.decoded,
        body.fault,
    )
    return _Section(words, sizes, loop=loop)


class _Reached(NamedTuple):
    """The word that ends the configuration of streams: its pc, and the copies of `loop`.

    `halt` has 0 copies.
    """

    pc: int
    copies: int


def _configure(
    image: Image, pc: int, streams: dict[int, _Configuration], sizes: list[_Size]
) -> _Reached | Fault:
    """Execute the words from `pc` on that configure `streams`; append their sizes to `sizes`."""
    while True:
        word = _fetch(image, pc)
        if isinstance(word, Fault):
            return word
        if word.name in ("halt", "loop"):
            return _Reached(pc, word.fields.get("copies", 0))
        if word.name == "base":
            fault = _base(image, pc, word, streams)
        elif word.name == "size":
            fault = _size(image, pc, word, streams, sizes)
        else:
            fault = Fault("bad_structure", pc, text=f"{word.name} outside of a loop")
        if fault:
            return fault
        pc += 1


def _fetch(image: Image, pc: int) -> Decoded | Fault:
    """Decode one word, with the checks that need no neighbours."""
    if pc >= len(image.words):
        return Fault("bad_structure", pc, text="the program ends without halt")
    try:
        word = decode(image.words[pc])
    except DecodeError as e:
        return Fault(e.fault, pc, text=str(e))
    for name in ("stream", "dst", *word.instruction.operands):
        code = word.fields.get(name)
        if code is not None and not _exists(image.target, code):
            text = f"{word.name}: target {image.target.name} has no {operand_text(code)}"
            return Fault("illegal_operand", pc, text=text)
    return word


def _exists(target: Target, code: int) -> bool:
    """Whether a target has the register or stream of a legal operand code."""
    cls = load().operand_class(code)
    assert cls is not None, "the decoder lets no illegal code pass"
    counts = {
        "vector": target.vector_registers,
        "input": target.input_streams,
        "output": target.output_streams,
    }
    return code - cls.first < counts.get(cls.name, cls.count)


def _base(image: Image, pc: int, word: Decoded, streams: dict[int, _Configuration]) -> Fault | None:
    """Configure a stream's address, type and rank."""
    fields = word.fields
    code, param = fields["stream"], fields["param"]
    if code in streams:
        return Fault("bad_structure", pc, code, text="this stream has a base already")
    if param >= image.parameters:
        return _bad_parameter(image, pc, code, 0, param)
    type_ = load().types_by_code[fields["type"]]
    streams[code] = _Configuration(code, type_, param, fields["offset"], [None] * fields["rank"])
    return None


def _size(
    image: Image,
    pc: int,
    word: Decoded,
    streams: dict[int, _Configuration],
    sizes: list[_Size],
) -> Fault | None:
    """Configure one size of a stream; its value is checked once it is known."""
    fields = word.fields
    code, dim, value = fields["stream"], fields["dim"], fields["value"]
    stream = streams.get(code)
    if stream is None:
        return Fault("bad_structure", pc, code, dim, "a size before the stream's base")
    if dim >= len(stream.sizes):
        text = f"dimension {dim} of a stream of rank {len(stream.sizes)}"
        return Fault("bad_structure", pc, code, dim, text)
    if stream.sizes[dim] is not None:
        return Fault("bad_structure", pc, code, dim, "this dimension has a size already")
    if fields["from_param"] and value >= image.parameters:
        return _bad_parameter(image, pc, code, dim, value)
    size = _Size(pc, code, dim, bool(fields["from_param"]), value)
    stream.sizes[dim] = size
    sizes.append(size)
    return None


def _bad_parameter(image: Image, pc: int, code: int, dim: int, param: int) -> Fault:
    text = f"parameter {param}, the packet has {image.parameters}"
    return Fault("bad_parameter", pc, code, dim, text)


def _enter(program: Program, loop: _Loop, words: int) -> Advance:
    """Check the shapes of a loop; if there are two faults, the one at the lower pc counts."""
    inputs = tuple(stream.bind(program.parameters) for stream in loop.inputs)
    outputs = tuple(stream.bind(program.parameters) for stream in loop.outputs)
    sizes = shapes.check(loop.pc, inputs, outputs, program.window)
    fault = sizes if isinstance(sizes, Fault) else loop.late
    if fault or isinstance(sizes, Fault):
        return Advance(words, loop.decoded, inputs, outputs, fault=fault)
    target = program.target
    kernel = Kernel(
        loop.pc, inputs, outputs, loop.body, sizes, target.lanes, target.vlen, loop.copies
    )
    next_pc = loop.pc + 1 + loop.decoded
    return Advance(words, loop.decoded, inputs, outputs, kernel, next_pc=next_pc)


def _check_complete(pc: int, streams: Sequence[_Configuration]) -> Fault | None:
    """Check that there is an output and that every stream has all of its sizes."""
    if all(stream.is_input for stream in streams):
        return Fault("bad_structure", pc, text="a kernel without an output stream")
    for stream in streams:
        for dim, size in enumerate(stream.sizes):
            if size is None:
                return Fault("bad_structure", pc, stream.code, dim, "this size is missing")
    return None


def _is_input(code: int) -> bool:
    return load().operands["input"].holds(code)
