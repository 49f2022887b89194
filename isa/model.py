"""The instruction set as typed, immutable values; `isa.load` builds them from the YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

BITS = "bits"
"""Type of an operand or result that is all 32 bits of a lane, whatever they mean."""

LANE_BITS = 32
"""Bits of a lane."""


@dataclass(frozen=True)
class OperandClass:
    """A range of operand codes: `count` codes from `first`, written as `text` and a number."""

    name: str
    first: int
    count: int
    text: str
    meaning: str

    def holds(self, code: int) -> bool:
        """Whether an operand code belongs to this class."""
        return self.first <= code < self.first + self.count


@dataclass(frozen=True)
class FieldKind:
    """What a field may hold: operands of the classes in `operands`, or one of `values`.

    If both are empty, the description of the field's meaning says what is legal.
    """

    name: str
    operands: tuple[str, ...]
    values: tuple[int, ...]
    meaning: str


@dataclass(frozen=True)
class Field:
    """Bits `high` down to `low` (inclusive, 0 is the least significant) of a word."""

    name: str
    high: int
    low: int
    kind: str
    meaning: str

    @property
    def width(self) -> int:
        """Number of bits."""
        return self.high - self.low + 1

    @property
    def mask(self) -> int:
        """The field's bits within the word."""
        return ((1 << self.width) - 1) << self.low


@dataclass(frozen=True)
class Format:
    """The fields of a word, from the least significant; bits in no field are reserved and 0."""

    name: str
    fields: tuple[Field, ...]
    meaning: str

    def field(self, name: str) -> Field:
        """The field of that name; KeyError if there is none."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)

    def reserved(self, word_bits: int) -> int:
        """Mask of the bits that no field covers."""
        mask = (1 << word_bits) - 1
        for field in self.fields:
            mask &= ~field.mask
        return mask


@dataclass(frozen=True)
class Instruction:
    """One instruction: an `operation` for the element type `type`.

    `operands` are the source fields in use (`a`, `b`, `c`), `operand_types` their types. Types are
    element types or `bits`; `bits` is also the `type` of an operation without types. The `type` of
    a conversion is the type of its operand. Control instructions have no unit, no operands and no
    result.
    """

    name: str
    opcode: int
    operation: str
    type: str
    format: str
    group: str
    unit: str | None
    operands: tuple[str, ...]
    operand_types: tuple[str, ...]
    result_type: str | None
    faults: tuple[str, ...]
    meaning: str

    @property
    def is_control(self) -> bool:
        """Whether the sequencer executes the instruction, not a unit of the vector pipe."""
        return self.unit is None


@dataclass(frozen=True)
class Group:
    """A file of instructions and the opcodes set aside for it, `first` to `last` inclusive."""

    name: str
    title: str
    first: int
    last: int
    meaning: str


@dataclass(frozen=True)
class Unit:
    """A functional unit: `latency` in cycles, `rate` is `lanes` or `special` points per cycle."""

    name: str
    latency: int
    rate: str
    meaning: str

    @property
    def special(self) -> bool:
        """Whether the special functions' port issues its instructions, not the lanes' port."""
        return self.rate == "special"

    @property
    def registers(self) -> str:
        """Class of the registers that its instructions write."""
        return "result" if self.special else "vector"


@dataclass(frozen=True)
class ElementType:
    """Element type of streams, with every fact of its row in types.yaml.

    An element takes `bytes` in memory and has a value of `bits`. `kind` is `boolean`, `integer` or
    `float`. `dtype` is NumPy's type of an element in an array of the host, `mlir` the spelling in
    MLIR. A float is a sign, `exponent_bits` and `fraction_bits`, which are 0 for the other kinds; a
    float that is not `infinite` has NaNs, but no infinities. `load` and `store` say how a stream
    converts between memory and a lane.
    """

    name: str
    code: int
    bytes: int
    bits: int
    kind: str
    dtype: str
    mlir: str
    load: str
    store: str
    meaning: str
    exponent_bits: int = 0
    fraction_bits: int = 0
    infinite: bool = True

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value; a float has none."""
        assert self.kind != "float", f"{self.name} is not a type of integers"
        if self.kind == "boolean":
            return 0, 1
        return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1


@dataclass(frozen=True)
class Fault:
    """A reason to stop a program, with the code the host reads."""

    name: str
    code: int
    meaning: str


@dataclass(frozen=True)
class Counter:
    """A performance counter; its index in `Isa.counters` is the index of its register."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Constant:
    """A constant of the machine with its unit and meaning."""

    name: str
    value: int
    unit: str
    meaning: str


@dataclass(frozen=True)
class TimingConstants:
    """The constants of the timing contract; machine.yaml gives their units and meanings."""

    strip_fetch_min: int
    ring_release: int
    read_return: int
    empty_strip_ready: int
    slot_free: int
    landing_ready: int
    last_row_ready: int
    store_ready: int
    write_return: int
    load: int
    word: int
    setup_shapes: int
    setup_dimension: int
    setup_start: int
    pipe_restart: int
    broadcast_restart: int
    ring_clear: int
    lane: int
    special: int
    fetched_strips: int
    landing_strips: int
    store_strips: int


@dataclass(frozen=True)
class Limits:
    """The limits of every machine; machine.yaml gives units and meanings."""

    rank_max: int
    size_bits: int
    table_entries: int
    result_registers: int
    window_alignment: int
    image_alignment: int

    @property
    def size_limit(self) -> int:
        """Sizes and numbers of points are below this limit."""
        return 1 << self.size_bits


@dataclass(frozen=True)
class Isa:
    """The whole instruction set; every mapping is keyed by name and keeps the files' order."""

    version: int
    word_bits: int
    operands: Mapping[str, OperandClass]
    kinds: Mapping[str, FieldKind]
    formats: Mapping[str, Format]
    groups: Mapping[str, Group]
    instructions: Mapping[str, Instruction]
    by_opcode: Mapping[int, Instruction]
    units: Mapping[str, Unit]
    types: Mapping[str, ElementType]
    types_by_code: Mapping[int, ElementType]
    faults: Mapping[str, Fault]
    counters: Mapping[str, Counter]
    constants: Mapping[str, Constant]
    timing: TimingConstants
    limits: Limits

    def destinations(self, instruction: Instruction) -> tuple[str, ...]:
        """Operand classes that an instruction may write: registers of its unit, and outputs."""
        assert instruction.unit is not None, "a control instruction writes nothing"
        registers = {unit.registers for unit in self.units.values()}
        others = registers - {self.units[instruction.unit].registers}
        return tuple(c for c in self.kinds["destination"].operands if c not in others)

    def operand_class(self, code: int) -> OperandClass | None:
        """The class of an operand code, or None if the code is illegal everywhere."""
        for cls in self.operands.values():
            if cls.holds(code):
                return cls
        return None
