"""What every element-wise form of `linalg` says, in one description: maps, and bodies.

The forms are `linalg.generic`, `linalg.map`, `linalg.elementwise`, `linalg.broadcast` and the named
operations. A form that hwc cannot compile raises a located error.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i1,
    i32,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, OpDef

from hwc.dialects.elementwise_rules import check_elementwise, is_elementwise, is_scalar
from hwc.dialects.linalg_table import NAMED, OTHERS
from hwc.dialects.tosa_rules import type_problem
from hwc.dialects.upstream_arith import Arith, IndexCastUIOp
from hwc.dialects.upstream_linalg import ElementwiseKindAttr, StructuredOp, region_of
from hwc.dialects.upstream_math import Math
from hwc.errors import counted
from hwc.frontend.diagnostics import error_at
from hwc.frontend.scalar_operations import refusal
from hwc.frontend.unsupported import reason_for
from hwc.transforms.generic_builder import Add, ScalarBody
from hwc.transforms.scalar_operations import scalar_results

_SCALARS = {op.name: op for op in (*Arith.operations, *Math.operations)}


@dataclass(frozen=True)
class Form:
    """An element-wise operation over `loops` loops.

    `inputs` and `outputs` are the operands with their maps. For each output there is a body: it
    takes the scalars of the inputs, then of the outputs, then of what is `captured`, then the
    positions of the point in the loops `counters`. `reads` has, for each output, which of them its
    body needs.
    """

    loops: int
    inputs: Sequence[tuple[SSAValue, AffineMap]]
    outputs: Sequence[tuple[SSAValue, AffineMap]]
    captured: Sequence[SSAValue]
    counters: Sequence[int]
    bodies: Sequence[ScalarBody]
    reads: Sequence[frozenset[int]]


def is_structured(op: Operation) -> bool:
    """Whether `op` is one of the element-wise forms of `linalg`."""
    return isinstance(op, StructuredOp | linalg.GenericOp)


def check_structured(op: Operation) -> None:
    """Raise a located error unless hwc can compile `op`."""
    form_of(op)


def form_of(op: Operation) -> Form:
    """Describe `op`.

    Raises:
        LocatedError: hwc cannot compile it.
    """
    assert isinstance(op, StructuredOp | linalg.GenericOp)
    values = [*op.inputs, *op.outputs]
    for number, value in enumerate(values):
        problem = type_problem(value.type, f"operand {number} of '{op.name}'")
        if problem and not (number < len(op.inputs) and is_scalar(value.type)):
            raise error_at(op, *problem)
    if not op.outputs or [v.type for v in op.outputs] != list(op.result_types):
        raise error_at(
            op,
            f"'{op.name}' has results of other types than its destinations",
            "each result has the type of its destination, which is a tensor",
        )
    maps = _maps(op, values)
    count = len(op.inputs)
    inputs = list(zip(values[:count], maps[:count], strict=True))
    outputs = list(zip(values[count:], maps[count:], strict=True))
    loops = maps[-1].num_dims
    for number, mapping in enumerate(maps):
        _check_map(op, number, mapping, len(_shape(values[number])), loops)
    for _, mapping in outputs:
        order = [e.position for e in mapping.results if isinstance(e, AffineDimExpr)]
        if len(mapping.results) != loops or not all(map(_is_loop, mapping.results)):
            raise error_at(
                op,
                f"'{op.name}' writes {mapping}: not every loop is a dimension of the result",
                "a reduction is not element-wise; compute it outside",
            )
        for number, other in enumerate(maps):
            used = [e.position for e in other.results if isinstance(e, AffineDimExpr)]
            if used != sorted(used, key=order.index):
                raise error_at(
                    op,
                    f"'{op.name}' transposes operand {number}: {other} beside {mapping}",
                    "transpose it outside; a transposed operand is no view of this machine",
                )
    if isinstance(op, StructuredOp) and op.name != "linalg.map":
        body, reads = _named_body(op, values)
        return Form(loops, inputs, outputs, (), (), [body], [reads])
    return _with_region(op, loops, inputs, outputs)


def _maps(op: StructuredOp | linalg.GenericOp, values: list[SSAValue]) -> list[AffineMap]:
    given = op.properties.get("indexing_maps")
    if given is not None:
        assert isinstance(given, ArrayAttr)
        maps = [map_.data for map_ in given if isinstance(map_, AffineMapAttr)]
        if len(maps) != len(values):
            raise error_at(
                op, f"'{op.name}' has {len(maps)} indexing maps", f"it takes {len(values)}"
            )
        _check_iterators(op)
        return maps
    rank = len(_shape(values[-1]))
    identity = AffineMap.identity(rank)
    if op.name == "linalg.broadcast":
        added = op.properties["dimensions"]
        assert isinstance(added, DenseArrayBase)
        kept = [loop for loop in range(rank) if loop not in added.get_values()]
        return [_projection(rank, kept), identity]
    return [
        identity if isinstance(value.type, TensorType) else _projection(rank, ())
        for value in values
    ]


def _projection(loops: int, kept: Sequence[int]) -> AffineMap:
    return AffineMap(loops, 0, tuple(AffineExpr.dimension(loop) for loop in kept))


def _check_iterators(op: StructuredOp | linalg.GenericOp) -> None:
    if isinstance(op, linalg.GenericOp):
        kinds = {kind.data for kind in op.iterator_types}
        if kinds - {IteratorType.PARALLEL}:
            raise error_at(
                op,
                f"'{op.name}' has a loop that is not parallel",
                "a reduction is not element-wise; compute it outside",
            )


def _is_loop(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineDimExpr)


def _shape(value: SSAValue) -> tuple[int, ...]:
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _check_map(op: Operation, number: int, mapping: AffineMap, rank: int, loops: int) -> None:
    what = f"the indexing map of operand {number} of '{op.name}', {mapping},"
    if mapping.num_symbols or mapping.num_dims != loops or len(mapping.results) != rank:
        raise error_at(
            op,
            f"{what} does not fit {loops} loops and a tensor of rank {rank}",
            "a map has a dimension for each loop, a result for each dimension, and no symbols",
        )
    for expression in mapping.results:
        if not _is_loop(expression) and expression != AffineExpr.constant(0):
            raise error_at(
                op,
                f"{what} computes with loops",
                "a dimension is indexed by one loop, or by 0 if its size is 1",
            )
    used = [e for e in mapping.results if _is_loop(e)]
    if len(set(used)) != len(used):
        raise error_at(op, f"{what} uses a loop twice", "a diagonal is no view; take it outside")


def _with_region(
    op: StructuredOp | linalg.GenericOp,
    loops: int,
    inputs: Sequence[tuple[SSAValue, AffineMap]],
    outputs: Sequence[tuple[SSAValue, AffineMap]],
) -> Form:
    block = region_of(op)
    if block is None:
        payload = op.properties.get("payload")
        name = payload.data if isinstance(payload, StringAttr) else ""
        if name not in _SCALARS:
            raise error_at(op, *reason_for(name))
        element = _element(outputs[0][0])
        body = _operation(op, name, element)
        return Form(loops, inputs, outputs, (), (), [body], [frozenset(range(len(inputs)))])
    given = [_element(value) for value, _ in (*inputs, *outputs)]
    if [argument.type for argument in block.args] != given:
        raise error_at(
            op,
            f"the arguments of the region of '{op.name}' are not the elements of its operands",
            f"they are {', '.join(map(str, given))}",
        )
    captured = _check_body(op, block)
    end = block.last_op
    assert end is not None
    indices = [inner for inner in block.ops if isinstance(inner, linalg.IndexOp)]
    counters = [_counter(index, loops) for index in indices]
    scalars = [*block.args, *captured, *(index.result for index in indices)]
    bodies: list[ScalarBody] = []
    reads: list[frozenset[int]] = []
    for value, (destination, _) in zip(end.operands, outputs, strict=True):
        if value.type != _element(destination):
            raise error_at(
                end, f"'linalg.yield' gives {value.type}", f"the result has {_element(destination)}"
            )
        needed = _needed(value, scalars)
        bodies.append(body_of(block, scalars, value))
        reads.append(frozenset(i for i, scalar in enumerate(scalars) if scalar in needed))
    return Form(loops, inputs, outputs, captured, counters, bodies, reads)


def _check_body(op: Operation, block: Block) -> list[SSAValue]:
    """Check a region's operations; return the scalars from outside, constants apart."""
    captured: dict[SSAValue, None] = {}
    for inner in block.ops:
        if isinstance(inner, linalg.YieldOp):
            if len(inner.operands) != len(op.results):
                raise error_at(
                    inner,
                    f"'linalg.yield' gives {counted(len(inner.operands), 'value')}",
                    f"'{op.name}' has {counted(len(op.results), 'result')}",
                )
        elif is_elementwise(inner):
            check_elementwise(inner)
        elif not isinstance(inner, linalg.IndexOp) and not _casts_index(inner):
            raise error_at(inner, *reason_for(inner.name))
        for value in inner.operands:
            owner = value.owner
            inside = owner is block or (isinstance(owner, Operation) and owner.parent is block)
            if not inside and not isinstance(owner, arith.ConstantOp):
                captured[value] = None
    for value in captured:
        if not is_scalar(value.type):
            raise error_at(
                op, f"the region of '{op.name}' reads a {value.type} from outside", "pass it as ins"
            )
    if not isinstance(block.last_op, linalg.YieldOp):
        raise error_at(op, f"the region of '{op.name}' does not end with a linalg.yield", "add one")
    return list(captured)


def _casts_index(op: Operation) -> bool:
    """Whether `op` makes an element of a `linalg.index`; nothing else may be done with one."""
    return (
        isinstance(op, arith.IndexCastOp | IndexCastUIOp)
        and isinstance(op.input.owner, linalg.IndexOp)
        and is_scalar(op.result.type)
    )


def _counter(index: linalg.IndexOp, loops: int) -> int:
    """Return the loop that `index` counts."""
    loop = index.dim.value.data
    if not 0 <= loop < loops:
        raise error_at(
            index,
            f"'linalg.index' counts loop {loop} of {loops}",
            "loops count from 0, the outermost",
        )
    return loop


def _needed(value: SSAValue, given: Collection[SSAValue]) -> set[SSAValue]:
    """Return the values from which `value` is computed, itself included, back to the given ones."""
    needed: set[SSAValue] = set()
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if current not in needed:
            needed.add(current)
            if isinstance(current.owner, Operation) and current not in given:
                waiting.extend(current.owner.operands)
    return needed


def body_of(block: Block, scalars: Sequence[SSAValue], value: SSAValue) -> ScalarBody:
    """Return the body that computes `value` of a block, with constants from outside in it.

    `scalars` are the values that the body takes.
    """
    needed = _needed(value, scalars)

    def compute(operands: Sequence[SSAValue], add: Add) -> SSAValue:
        values = dict(zip(scalars, operands, strict=True))
        outside = [v.owner for v in needed if isinstance(v.owner, arith.ConstantOp)]
        constants = [op for op in outside if op.parent is not block]
        for op in [*constants, *block.ops]:
            if not needed.intersection(op.results) or isinstance(op, linalg.IndexOp):
                continue
            if isinstance(op, arith.IndexCastOp | IndexCastUIOp):
                number = values[op.input]
                narrow = arith.TruncIOp(number, cast("IntegerType", op.result.type))
                values[op.result] = number if op.result.type == i32 else add(narrow)
                continue
            for compute_one, result in zip(scalar_results(op), op.results, strict=True):
                if result in needed:
                    arguments = [values[operand] for operand in op.operands]
                    values[result] = compute_one(arguments, add)
        return values[value]

    return compute


def _named_body(op: StructuredOp, values: list[SSAValue]) -> tuple[ScalarBody, frozenset[int]]:
    """Return what a named operation computes, and the operands that it reads."""
    name = op.name.removeprefix("linalg.")
    if isinstance(kind := op.properties.get("kind"), ElementwiseKindAttr):
        name = kind.data
    count = len(values) - 1
    element = _element(values[-1])
    reads = frozenset(range(count))
    if name in ("broadcast", "copy", "fill"):
        _check_inputs(op, name, values[:-1], 1, element)
        return (lambda operands, add: operands[0]), reads
    if name == "square":
        _check_inputs(op, name, values[:-1], 1, element)
        multiply = _operation(op, _scalar_name(op, "mul", element), element)
        return (lambda operands, add: multiply([operands[0], operands[0]], add)), reads
    if name == "reciprocal":
        _check_inputs(op, name, values[:-1], 1, element)
        divide = _operation(op, _scalar_name(op, "div", element), element)
        return (lambda operands, add: divide([_one(element, add), operands[0]], add)), reads
    scalar = _scalar_name(op, name, element)
    _check_inputs(op, name, values[:-1], _arity(scalar), element)
    return _operation(op, scalar, element), reads


def _one(element: Attribute, add: Add) -> SSAValue:
    if isinstance(element, AnyFloat):
        return add(arith.ConstantOp(FloatAttr(1.0, element)))
    assert isinstance(element, IntegerType)
    return add(arith.ConstantOp(IntegerAttr(1, element)))


def _scalar_name(op: StructuredOp, name: str, element: Attribute) -> str:
    assert name in NAMED or name in OTHERS
    scalar = NAMED[name]
    if isinstance(element, AnyFloat):
        found = scalar.floats
    else:
        found = scalar.booleans if element == i1 else scalar.integers
    if found is None:
        raise error_at(
            op, f"'{op.name}' does not compute '{name}' of {element}", "use another type"
        )
    return found


def _check_inputs(
    op: StructuredOp, name: str, inputs: Sequence[SSAValue], count: int, element: Attribute
) -> None:
    if len(inputs) != count:
        raise error_at(op, f"'{op.name}' has {counted(len(inputs), 'input')}", f"it takes {count}")
    wanted = [i1, element, element] if name == "select" else [element] * count
    given = [_element(value) for value in inputs]
    if given != wanted:
        raise error_at(
            op,
            f"'{op.name}' computes {', '.join(map(str, given))} to {element}",
            "convert with an operation of arith first",
        )


def _operation(op: Operation, name: str, element: Attribute) -> ScalarBody:
    """Return the body of one scalar operation, and check that it is not refused."""
    if problem := refusal(name):
        raise error_at(op, *problem)

    scalar, arity = _SCALARS[name], _arity(name)

    def compute(operands: Sequence[SSAValue], add: Add) -> SSAValue:
        new = scalar.create(operands=list(operands[:arity]), result_types=[element])
        for key, definition in _definition(name).properties.items():
            if definition.default_value is not None:
                new.properties[key] = definition.default_value
        return add(new)

    return compute


def _definition(name: str) -> OpDef:
    scalar = _SCALARS[name]
    assert issubclass(scalar, IRDLOperation)
    return scalar.get_irdl_definition()


def _arity(name: str) -> int:
    return len(_definition(name).operands)


def _element(value: SSAValue) -> Attribute:
    return value.type.get_element_type() if isinstance(value.type, TensorType) else value.type
