"""The sequencer: walks a program's words, checks each, and gathers kernels.

docs/timing.md, section "Faults", lists what is checked at which word and in which order. Whatever
depends on the words alone is worked out once, as sections of an `Image`. For each packet, only the
packet's values are filled in and checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isa.dispatch import Fault
from isa.encode import Decoded, decode
from isa.errors import DecodeError
from isa.load import load
from isa.model import ElementType
from isa.operands import operand_text
from isa.target import Target
from sim import shapes
from sim.kernel import Body, Kernel, Operation, Stream
from sim.semantics.lookup_table import FILL, READING


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


@dataclass
class _Body:
    """The decoded part of a loop's body, and the registers and outputs written in it.

    `copies` strips share the registers of the target. `groups` counts the groups of special
    instructions that have begun; `in_group` says whether the last word is in such a group. `read`
    holds the result registers that the lane instructions of the current phase have read. `fills`
    and `reads_table` say what the words so far do with the table.
    """

    copies: int
    operations: list[Operation] = field(default_factory=list)
    written: set[int] = field(default_factory=set)
    decoded: int = 0
    groups: int = 0
    in_group: bool = False
    read: set[int] = field(default_factory=set)
    fills: bool = False
    reads_table: bool = False


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
    body = _Body(found.copies)
    late = _decode_body(image, found.pc + 1, streams, body)
    loop = _Loop(
        found.pc,
        tuple(stream for stream in ordered if stream.is_input),
        tuple(stream for stream in ordered if not stream.is_input),
        Body(body.operations),
        body.copies,
        body.decoded,
        late,
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


def _in_copy(target: Target, code: int, copies: int) -> bool:
    """Whether a strip has the register of an operand code; other operands do not matter here."""
    cls = load().operand_class(code)
    assert cls is not None, "the decoder lets no illegal code pass"
    return code - cls.first < target.registers(cls.name, copies)


def _is_input(code: int) -> bool:
    return load().operands["input"].holds(code)


def _decode_body(
    image: Image, pc: int, streams: dict[int, _Configuration], body: _Body
) -> Fault | None:
    """Decode words into `body` up to `end`; the first fault stops it."""
    while True:
        word = _fetch(image, pc)
        body.decoded += 1
        if isinstance(word, Fault):
            return word
        if word.name == "end":
            missing = [c for c in streams if not _is_input(c) and c not in body.written]
            if missing:
                text = f"{operand_text(min(missing))} is never written"
                return Fault("bad_structure", pc, text=text)
            return None
        problem = _check_operands(word, image.target, streams, body)
        if problem is None:
            operation = Operation(
                word.instruction, word.fields["dst"], word.sources, word.fields["imm"]
            )
            problem = _enter_phase(operation, body) or _use_table(operation, body)
        if problem is not None:
            return Fault("bad_structure", pc, text=f"{word.name}: {problem}")
        pc += 1


def _enter_phase(operation: Operation, body: _Body) -> str | None:
    """Append an operation to the body; say what is wrong with its phase, None if it is fine."""
    result = load().operands["result"]
    if operation.special:
        body.groups += not body.in_group
        if body.groups + 1 > body.copies:
            return f"phase {body.groups + 1} of a loop with {body.copies} copies of the registers"
        if operation.destination in body.read:
            return f"{operand_text(operation.destination)} is read by the lanes in this phase"
    else:
        if body.in_group:
            body.read.clear()
        body.read.update(code for code in operation.sources if result.holds(code))
    body.in_group = operation.special
    body.written.add(operation.destination)
    body.operations.append(operation)
    return None


def _use_table(operation: Operation, body: _Body) -> str | None:
    """Note how an operation uses the table; say what is wrong with that, None if it is fine."""
    name = operation.instruction.operation
    if name == FILL:
        if body.fills or body.reads_table:
            return "the body fills or reads the table already"
        body.fills = True
    elif name in READING:
        if body.fills:
            return "the body fills the table"
        body.reads_table = True
    return None


def _check_operands(
    word: Decoded, target: Target, streams: dict[int, _Configuration], body: _Body
) -> str | None:
    """Say what is wrong with a body word, given the words before it; None if it is fine."""
    if word.instruction.is_control:
        return "a control instruction inside of a loop"
    operands = load().operands
    written = body.written
    for code in (*word.sources, word.fields["dst"]):
        if not _in_copy(target, code, body.copies):
            return f"a strip of a loop with {body.copies} copies has no {operand_text(code)}"
    for code in word.sources:
        if operands["input"].holds(code) and code not in streams:
            return f"{operand_text(code)} is not configured"
        register = operands["vector"].holds(code) or operands["result"].holds(code)
        if register and code not in written:
            return f"{operand_text(code)} is read before it is written"
    destination = word.fields["dst"]
    if operands["output"].holds(destination):
        if destination not in streams:
            return f"{operand_text(destination)} is not configured"
        if destination in written:
            return f"{operand_text(destination)} is written twice"
    return None
