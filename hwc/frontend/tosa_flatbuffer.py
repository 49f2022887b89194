"""Reads a TOSA flatbuffer: regions become functions, operators become operations of the dialect.

A flatbuffer has no lines. The location of an operator is its number in the region, its name and its
first result. The location of an argument is its number and its name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BFloat16Type,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    f32,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from hwc.errors import counted
from hwc.frontend import tosa_schema as schema
from hwc.frontend.diagnostics import LocatedError, name_location
from hwc.frontend.flatbuffer import FlatbufferError, parse
from hwc.frontend.functions import hint_of
from hwc.frontend.scalar_operations import is_refused
from hwc.frontend.source import Place
from hwc.frontend.stored_elements import bytes_of, from_nibbles, stored_bytes
from hwc.frontend.unsupported import unsupported

MAJOR = 1
"""The major version of TOSA that hwc reads; the minor version does not matter."""

ELEMENTS: Mapping[str, Any] = {
    "BOOL": i1,
    "INT4": IntegerType(4),
    "INT8": i8,
    "INT16": i16,
    "INT32": i32,
    "INT48": IntegerType(48),
    "FP32": f32,
    "FP16": Float16Type(),
    "BF16": BFloat16Type(),
    "FP8E4M3": Float8E4M3FNType(),
    "FP8E5M2": Float8E5M2Type(),
    "INT64": i64,
}
"""The element types that exist in MLIR as well."""

_PACKED = IntegerType(4)
"""The type with two elements per byte."""

_WORDS: Mapping[str, tuple[str, Sequence[str]]] = {
    "mode": ("tosa.resize_mode", schema.RESIZE_MODES),
    "nan_mode": ("tosa.nan_mode", schema.NAN_MODES),
    "rounding_mode": ("tosa.rounding_mode", schema.ROUNDING_MODES),
}
"""The attributes that are one of a few words: the attribute in MLIR, and the words by number."""

_ARRAYS = {**dict.fromkeys(("pad", "out_pad", "stride", "dilation", "kernel"), i64), "perms": i32}
"""The attributes that are lists of numbers, with the type of the numbers in MLIR."""

_BOUNDS = ("min_val", "max_val")
"""The attributes that have the element type of the operand."""

_NOT_IN_A_NAME = re.compile(r"[^\w$.-]", re.ASCII)

Attributes: TypeAlias = dict[str, Attribute]


def read_module(content: bytes, file: str, context: Context) -> ModuleOp:
    """Return the module that a flatbuffer holds; each region is a function.

    Raises:
        LocatedError: the file is damaged, is for another version of TOSA, or uses something that
            hwc does not have.
    """
    try:
        graph = parse(content, schema.Graph)
    except FlatbufferError as error:
        raise LocatedError(
            Place(file), f"this flatbuffer is damaged: {error}", "write the file again"
        ) from None
    version = graph.version
    if version is None or version.major != MAJOR:
        has = "no version" if version is None else f"version {version.major}.{version.minor}"
        raise LocatedError(
            Place(file), f"this flatbuffer has {has} of TOSA", f"hwc reads TOSA {MAJOR}"
        )
    functions = [_Function(region, file, context).read() for region in graph.regions]
    if not functions:
        raise LocatedError(Place(file), "this flatbuffer has no region", "write the file again")
    return ModuleOp(cast("list[Operation]", functions))


@dataclass
class _Function:
    """Turns a region into a function."""

    region: schema.Region
    file: str
    context: Context
    values: dict[str, SSAValue] = field(default_factory=dict)
    """The values of tensors and shapes defined so far, by name."""

    @property
    def called(self) -> str:
        """The name of the region in messages."""
        return f"region '{self.region.name}'"

    @property
    def block(self) -> schema.BasicBlock:
        """The only block."""
        return self.region.blocks[0]

    def read(self) -> FuncOp:
        """Return the function."""
        if len(self.region.blocks) != 1:
            raise self.error(
                self.called,
                f"a function has one block, got {len(self.region.blocks)}",
                "control flow is not supported; use SELECT, which computes both sides",
            )
        self.check_operators()
        self.check_names()
        inputs = [self.type_of(name, self.input(i)) for i, name in enumerate(self.block.inputs)]
        body = Block(arg_types=inputs)
        for number, (name, argument) in enumerate(zip(self.block.inputs, body.args, strict=True)):
            argument.location = self.location(self.input(number))
            self.define(name, argument, self.input(number))
        for number in self.order():
            body.add_op(self.operator(number))
        results = [self.value(name, self.output(i)) for i, name in enumerate(self.block.outputs)]
        end = ReturnOp(*results)
        end.location = self.location(f"the outputs of {self.called}")
        body.add_op(end)
        types = [result.type for result in results]
        function = FuncOp(self.region.name or "main", (inputs, types), Region(body))
        function.location = self.location(self.called)
        return function

    def input(self, number: int) -> str:
        """Return the name of an input in messages."""
        return f"input {number} of {self.called} ('{self.block.inputs[number]}')"

    def output(self, number: int) -> str:
        """Return the name of an output in messages."""
        return f"output {number} of {self.called} ('{self.block.outputs[number]}')"

    def place(self, number: int) -> str:
        """Return the name of an operator in messages."""
        operator = self.block.operators[number]
        result = f", '{operator.outputs[0]}'" if operator.outputs else ""
        return f"operator {number} of {self.called} ({_name(operator.op).upper()}{result})"

    def location(self, where: str) -> LocationAttr:
        """Return the location of a part of the file."""
        return name_location(Place(self.file, where))

    def error(self, where: str, message: str, advice: str = "") -> LocatedError:
        """Return an error at a part of the file."""
        return LocatedError(Place(self.file, where), message, advice)

    def check_operators(self) -> None:
        """Raise an error that lists all operators that no program may have."""
        names = [f"tosa.{_name(operator.op)}" for operator in self.block.operators]
        refused = [
            (Place(self.file, self.place(number)), name)
            for number, name in enumerate(names)
            if is_refused(name) or self.context.get_optional_op(name) is None
        ]
        if refused:
            raise unsupported(refused)

    def check_names(self) -> None:
        """Raise an error if two tensors or shapes have the same name."""
        names = [one.name for one in (*self.block.tensors, *self.block.shapes)]
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise self.error(self.called, f"there are two tensors '{name}'", "rename one")
            seen.add(name)
        self.tensors = {tensor.name: tensor for tensor in self.block.tensors}
        self.shapes = {shape.name: shape for shape in self.block.shapes}

    def order(self) -> Sequence[int]:
        """Return the operators in an order in which each one comes after those that it reads."""
        operators = self.block.operators
        writer = {name: i for i, one in enumerate(operators) for name in one.outputs}
        reads = {
            number: [writer[name] for name in one.inputs if name in writer]
            for number, one in enumerate(operators)
        }
        if all(number > read for number, read_of in reads.items() for read in read_of):
            return range(len(operators))
        try:
            return list(TopologicalSorter(reads).static_order())
        except CycleError as error:
            number = error.args[1][0]
            raise self.error(
                self.place(number), "the operator reads what is made of its own result"
            ) from None

    def define(self, name: str, value: SSAValue, where: str) -> None:
        """Give a tensor its value."""
        if name in self.values:
            raise self.error(where, f"'{name}' has a value already", "rename one of them")
        self.values[name] = value
        hint = hint_of(_NOT_IN_A_NAME.sub("_", name))
        value.name_hint = hint if SSAValue.is_valid_name(hint) else None

    def value(self, name: str, where: str) -> SSAValue:
        """Return the value of a tensor or a shape."""
        if name not in self.values:
            known = name in self.tensors or name in self.shapes
            what = "has no value: no input or operator gives it one" if known else "does not exist"
            raise self.error(where, f"tensor '{name}' {what}")
        return self.values[name]

    def type_of(self, name: str, where: str) -> Attribute:
        """Return the type of a tensor or a shape."""
        if (shape := self.shapes.get(name)) is not None:
            kind = cast(Any, self.context.get_type("tosa.shape"))
            return kind(IntAttr(shape.rank))
        if (tensor := self.tensors.get(name)) is None:
            raise self.error(where, f"tensor '{name}' does not exist")
        element = self.element(tensor.type, f"tensor '{name}' has element type", where)
        if tensor.is_unranked:
            return UnrankedTensorType(element)
        if any(size < schema.DYNAMIC for size in tensor.shape):
            raise self.error(where, f"tensor '{name}' has the sizes {list(tensor.shape)}")
        sizes = [DYNAMIC_INDEX if size == schema.DYNAMIC else size for size in tensor.shape]
        return TensorType(element, sizes)

    def element(self, number: int, what: str, where: str) -> Any:
        """Return an element type; `what` begins the message if MLIR lacks it."""
        kind = schema.TYPES[number] if number < len(schema.TYPES) else str(number)
        if kind not in ELEMENTS:
            raise self.error(where, f"{what} {kind}, which is not supported")
        return ELEMENTS[kind]

    def operator(self, number: int) -> Operation:
        """Return an operator of the dialect."""
        operator, where = self.block.operators[number], self.place(number)
        name = _name(operator.op)
        if operator.attribute_type not in {0, operator.op}:
            raise self.error(
                where, f"it has the attributes of {_name(operator.attribute_type).upper()}"
            )
        operands = [self.value(name, where) for name in operator.inputs]
        types = [self.type_of(name, where) for name in operator.outputs]
        new = self.context.get_op(f"tosa.{name}").create(
            operands=operands,
            result_types=types,
            properties=self.attributes(name, operator, operands, where),
        )
        new.location = self.location(where)
        for result_name, result in zip(operator.outputs, new.results, strict=True):
            self.define(result_name, result, where)
        return new

    def attributes(
        self, name: str, operator: schema.Operator, operands: Sequence[SSAValue], where: str
    ) -> Attributes:
        """Return the attributes of an operator."""
        if name in {"const", "const_shape"} and operator.outputs:
            read = self.constant if name == "const" else self.constant_shape
            return {"values": read(operator.outputs[0], where)}
        return dict(self.given(operator.attribute, operands, where))

    def given(
        self, given: object, operands: Sequence[SSAValue], where: str
    ) -> Iterator[tuple[str, Attribute]]:
        """Yield the attributes in a table of the file."""
        for one in fields(given) if is_dataclass(given) else ():
            name, value = one.name, getattr(given, one.name)
            if name in _WORDS:
                yield from self.word(name, value, where)
            elif name in _ARRAYS:
                yield name, DenseArrayBase.from_list(_ARRAYS[name], value)
            elif name in _BOUNDS:
                yield name, self.bound(name, value, operands, where)
            elif name == "acc_type":
                yield name, self.element(value, "the type of sums is", where)
            elif isinstance(value, bool):
                yield name, IntegerAttr(int(value), i1)
            elif isinstance(value, int):
                yield name, IntegerAttr(value, i32)
            else:
                text = value if isinstance(value, str) else _text(value)
                yield name, StringAttr(text)

    def word(self, name: str, number: int, where: str) -> Iterator[tuple[str, Attribute]]:
        """Yield an attribute that is one of a few words, unless the file leaves it open."""
        attribute, words = _WORDS[name]
        if number >= len(words):
            known = (f"{i} ({word})" for i, word in enumerate(words) if i)
            raise self.error(where, f"{name} is {number}", f"it is {' or '.join(known)}")
        if number:
            kind = cast(Any, self.context.get_attr(attribute))
            yield name, kind(words[number])

    def bound(
        self, name: str, data: memoryview, operands: Sequence[SSAValue], where: str
    ) -> Attribute:
        """Return a bound of `clamp`, a number of the element type."""
        type_ = operands[0].type if operands else None
        element: Any = type_.get_element_type() if isinstance(type_, TensorType) else f32
        held = self.elements(data, element, 1, f"{name} has", where)
        (value,) = element.unpack(held, 1)
        if isinstance(element, IntegerType):
            return IntegerAttr(value, element)
        return FloatAttr(value, element)

    def constant(self, name: str, where: str) -> Attribute:
        """Return the elements of a constant."""
        type_ = self.type_of(name, where)
        tensor = self.tensors.get(name)
        if tensor is None or not isinstance(type_, TensorType) or not type_.has_static_shape():
            raise self.error(where, f"the constant '{name}' is not a tensor of static sizes")
        if tensor.data is None and tensor.size:
            raise self.error(
                where,
                f"the elements of constant '{name}' are outside of the flatbuffer",
                "write a file of less than 2 GB",
            )
        held = self.elements(
            tensor.data or memoryview(b""),
            type_.get_element_type(),
            math.prod(type_.get_shape()),
            f"constant '{name}' of {type_} has",
            where,
        )
        return DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(held))

    def constant_shape(self, name: str, where: str) -> Attribute:
        """Return the sizes of a constant shape."""
        shape = self.shapes.get(name)
        if shape is None:
            raise self.error(where, f"shape '{name}' does not exist")
        held = self.elements(
            shape.data or memoryview(b""), i64, shape.rank, f"shape '{name}' has", where
        )
        type_ = TensorType(IndexType(), [shape.rank])
        return DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(held))

    def elements(self, data: memoryview, element: Any, count: int, what: str, where: str) -> bytes:
        """Return elements as xDSL holds them; `what` begins the message if the data is wrong."""
        size = -(-count // 2) if element == _PACKED else count * bytes_of(element)
        # Writers pad the bytes of small constants, also where there are none.
        if not size <= len(data) < max(size, 1) + 8:
            raise self.error(where, f"{what} {counted(len(data), 'byte')}, expected {size}")
        if element == _PACKED:
            return from_nibbles(data[:size], count)
        return stored_bytes(data[:size], element)


def operator_names(content: bytes) -> frozenset[str]:
    """Return the names of the operators in a flatbuffer; none if the file is damaged."""
    try:
        graph = parse(content, schema.Graph)
    except FlatbufferError:
        return frozenset()
    blocks = (block for region in graph.regions for block in region.blocks)
    return frozenset(f"tosa.{_name(one.op)}" for block in blocks for one in block.operators)


def _text(data: memoryview) -> str:
    return bytes(data).decode("utf-8", "backslashreplace")


def _name(number: int) -> str:
    return schema.OPERATORS[number] if number < len(schema.OPERATORS) else f"operator_{number}"
