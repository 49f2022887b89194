"""From `tosa` to `linalg`: one `linalg.generic` per operator, over views in the common shape.

`hwc.broadcast` brings the operands of an operator to their common shape, unless all have the same
static shape. Then every indexing map is the identity and every iterator is parallel. If the program
declares a result type that differs from the type that the operands give, a `tensor.cast` follows; a
cast to a static size is a check at dispatch. All new operations have the location of the operator.
Operations that check something at dispatch also have the name of the operator, as `source`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from hwc.dialects import tosa_shapes
from hwc.dialects.attributes import is_strict
from hwc.dialects.broadcastable import DYNAMIC, Shape, infer_shape
from hwc.dialects.building import dim_op, discard, operations_of, tensor_type
from hwc.dialects.compile_time_operands import constant_values
from hwc.dialects.shared_attributes import NONE, SharedAttributes, create, one_attribute
from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.tosa_rules import reshaped, tensor_shape
from hwc.dialects.tosa_table import OPERATORS
from hwc.dialects.views import BroadcastOp, ReshapeOp, TableOp, set_source, source_of
from hwc.transforms.generic_builder import GenericBuilder, Indices
from hwc.transforms.linalg_bodies import body_of
from hwc.transforms.shape_values import unused_on_host
from hwc.transforms.stored_values import StoredValues, constant_parts, parts_of_type
from hwc.transforms.tosa_scalars import LOWERINGS, Body
from hwc.transforms.tosa_shapes_to_index import ShapesToIndex

_CONSTANTS = frozenset({"const"})
_READ_BY_OTHERS = _CONSTANTS | frozenset(tosa_shapes.OPERATORS)


@cache
def _identity_map(rank: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap.identity(rank))


@cache
def _parallel(rank: int) -> ArrayAttr:
    return ArrayAttr([IteratorTypeAttr.parallel()] * rank)


@lru_cache(maxsize=1024)
def _properties(maps: tuple[AffineMapAttr, ...], rank: int) -> SharedAttributes:
    """Return the properties of a `linalg.generic` with one output and inputs with these maps."""
    return SharedAttributes(
        {
            "indexing_maps": ArrayAttr([*maps, _identity_map(rank)]),
            "iterator_types": _parallel(rank),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [len(maps), 1]),
        }
    )


_STRICT = one_attribute("strict", UnitAttr())


@dataclass
class _Function:
    """Rewrites the operators of one block, in order."""

    block: Block
    indices: Indices
    stored: StoredValues

    def convert(self) -> None:
        """Rewrite the block; constants and shapes come last, because other operators read them."""
        operators = [op for op in self.block.ops if isinstance(op, TosaOperation)]
        self.shapes = ShapesToIndex(self.block, self.indices)
        for op in operators:
            if op.operator in tosa_shapes.OPERATORS:
                self.shapes.lower(op)
        split = [op for op in operators if any(map(_is_stored, op.results))]
        for op in split:
            _Operator(self, op).split()
        stored = set(split)
        read: list[TosaOperation] = []
        operators.reverse()
        while operators:  # the list gets shorter, so the memory of operators is freed early
            op = operators.pop()
            if op in stored:
                continue
            if op.operator in _READ_BY_OTHERS:
                read.append(op)
            else:
                self.replace(op)
        self.stored.finish(split)
        for op in reversed(read):
            if op.operator in _CONSTANTS and op.results[0].uses:
                self.replace(op)
            else:
                discard(op)
        unused = unused_on_host(self.block)
        for op in reversed(operations_of(self.block)):
            if op in unused:
                discard(op)

    def replace(self, op: TosaOperation) -> None:
        """Replace an operator with its lowering."""
        for result, value in zip(op.results, _Operator(self, op).convert(), strict=True):
            if result.name_hint and not value.name_hint:
                value.name_hint = result.name_hint
            result.replace_all_uses_with(value)
        discard(op)


@dataclass
class _Operator:
    """Creates the operations that replace one operator, in front of the operator."""

    function: _Function
    op: TosaOperation

    def convert(self) -> list[SSAValue]:
        """Return the values that replace the operator's results."""
        if self.op.operator == "custom":
            return self.custom()
        match self.op.operator:
            case "const":
                value = self.add(arith.ConstantOp(constant_values(self.op)))
            case "identity":
                value = self.op.operands[0]
            case "reshape":
                value = self.reshape(self.op.operands[0])
            case name:
                operands = self.op.operands[: OPERATORS[name].arity]
                first = self.function.stored.parts.get(operands[0])
                value = self.generic(self.views(operands) if first is None else first)
        return [self.declared(value, self.op.results[0])]

    def split(self) -> None:
        """Note the parts of the operator's result, which has a type that exists only in memory."""
        (result,), parts = self.op.results, self.function.stored.parts
        match self.op.operator:
            case "const":
                values = [self.add(op) for op in constant_parts(constant_values(self.op))]
            case "identity":
                values = [*parts[self.op.operands[0]]]
            case _:
                values = [self.reshape(part) for part in parts[self.op.operands[0]]]
        for value, type_ in zip(values, parts_of_type(result.type), strict=True):
            value.name_hint = value.name_hint or result.name_hint
            if value.type != type_:
                values[values.index(value)] = self.add(tensor.CastOp(value, type_), source=True)
        parts[result] = tuple(values)

    def custom(self) -> list[SSAValue]:
        """Return the results of a custom operator, whose region computes one point."""
        set_source(self.op, _own_name(self.op))
        build = GenericBuilder(self.op, self.function.indices)
        views = self.views(self.op.operands)
        identity = AffineMap.identity(len(tensor_shape(views[0])))
        block = self.op.regions[0].block
        end = block.last_op
        assert end is not None
        values: list[SSAValue] = []
        for scalar, result in zip(end.operands, self.op.results, strict=True):
            type_ = tensor_type(scalar.type, tensor_shape(views[0]))
            value = build.generic(
                [(view, identity) for view in views],
                build.destination(views[0], type_),
                body_of(block, block.args, scalar),
            )
            values.append(self.declared(value, result))
        return values

    def add(self, op: Operation, source: bool = False) -> SSAValue:
        """Insert `op` before the operator and return its first result."""
        op.location = self.op.location
        if source:
            set_source(op, source_of(self.op))
        self.function.block.insert_op_before(op, self.op)
        return op.results[0]

    def declared(self, value: SSAValue, result: SSAValue) -> SSAValue:
        """Return `value` in the type that the program declares for the result."""
        type_ = result.type
        if value.type == type_:
            return value
        assert isinstance(type_, TensorType)
        return self.add(tensor.CastOp(value, type_), source=True)

    def reshape(self, source: SSAValue) -> SSAValue:
        """Return the operand, or a part of the operand, in its new shape."""
        shape, wanted = reshaped(self.op), tosa_shapes.new_shape(self.op)
        computed = [i for i, size in enumerate(wanted) if size == DYNAMIC]
        sizes = [self.function.shapes.values[self.op.operands[1]][i] for i in computed]
        is_inferred = bool(sizes) and tosa_shapes.INFERRED in wanted
        inferred = wanted.index(tosa_shapes.INFERRED) if is_inferred else None
        view = ReshapeOp(source, tensor_type(_element_type(source), shape), sizes, inferred)
        return self.add(view, source=True)

    def views(self, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Return the operands in their common shape."""
        shapes = [tensor_shape(operand) for operand in operands]
        if len(operands) == 1 or (len(set(shapes)) == 1 and DYNAMIC not in shapes[0]):
            return operands
        shape = infer_shape(shapes)
        types = [tensor_type(_element_type(operand), shape) for operand in operands]
        strict = _STRICT if is_strict(self.op) else NONE
        broadcast = create(BroadcastOp, operands, types, properties=strict)
        self.add(broadcast, source=True)
        return broadcast.results

    def generic(self, views: Sequence[SSAValue]) -> SSAValue:
        """Return the operator's result over `views`, which all have the same shape."""
        shape = tensor_shape(views[0])
        rank, element = len(shape), _element_type(self.op.results[0])
        destination = self.destination(views[0], shape, element)
        inputs, maps = list(views), [_identity_map(rank)] * len(views)
        block = Block(arg_types=[*(_element_type(view) for view in views), element])
        scalars = tuple(block.args[:-1])

        def parameter(position: int) -> SSAValue:
            value = self.op.operands[position]
            if self.op.operator == "table":
                value = self.add(TableOp(value), source=True)
            inputs.append(value)
            maps.append(self.parameter_map(position, rank))
            return block.insert_arg(_element_type(value), len(block.args) - 1)

        body = Body(block, self.op, parameter)
        scalar = LOWERINGS[self.op.operator](self.op, scalars, body)
        block.add_op(create(linalg.YieldOp, (scalar,)))
        generic = create(
            linalg.GenericOp,
            (*inputs, destination),
            (destination.type,),
            properties=_properties(tuple(maps), rank),
            regions=(Region(block),),
        )
        return self.add(generic, source=True)

    def parameter_map(self, position: int, rank: int) -> AffineMapAttr:
        """Return the map of a parameter: one number, or a number for each index of the last loop.

        A table is one scalar.
        """
        if self.op.operator == "table":
            return AffineMapAttr(AffineMap(rank, 0, ()))
        rule = OPERATORS[self.op.operator]
        one = rule.parameters[position - rule.arity].size(self.op) == 1
        index = AffineExpr.constant(0) if one else AffineExpr.dimension(rank - 1)
        return AffineMapAttr(AffineMap(rank, 0, (index,)))

    def destination(self, like: SSAValue, shape: Shape, element: Attribute) -> SSAValue:
        """Return a destination of `shape`, as `GenericBuilder.destination` does."""
        result_type = tensor_type(element, shape)
        if like.type == result_type:
            return like
        location, indices = self.op.location, self.function.indices
        sizes = [
            self.add(dim_op(like, indices(axis), location))
            for axis, size in enumerate(shape)
            if size == DYNAMIC
        ]
        return self.add(create(tensor.EmptyOp, sizes, (result_type,)))


def _is_stored(value: SSAValue) -> bool:
    return bool(parts_of_type(value.type))


def _element_type(value: SSAValue) -> Attribute:
    assert isinstance(value.type, TensorType)
    return value.type.get_element_type()


@dataclass(frozen=True)
class ConvertTosaToLinalg(ModulePass):
    """Turn every TOSA operator into `linalg` over views, after `verify-tosa`."""

    name = "convert-tosa-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module."""
        for function in [one for one in op.walk() if isinstance(one, FuncOp)]:
            for block in function.body.blocks:
                _Function(block, Indices(block), StoredValues(function)).convert()


def _own_name(op: TosaOperation) -> str:
    """Return the name of the function that defines a custom operator."""
    names = (op.arguments.get(key) for key in ("domain_name", "operator_name"))
    return ".".join(name.data for name in names if isinstance(name, StringAttr)) or op.name
