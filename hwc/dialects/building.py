"""Quick constructors for operations and attributes that every operator of a program needs.

An xDSL constructor examines each of its arguments, and makes a new attribute each time. Both take
memory, and more time than the rest of a pass: a program of 100,000 operators has a million of these
operations. So the parts that operations of one kind share are made only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from xdsl.dialects.builtin import ArrayAttr, IndexType, LocationAttr, StringAttr, TensorType
from xdsl.dialects.tensor import DimOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hwc.dialects.shared_attributes import NO_RESULTS, SharedAttributes, create

INDEX = IndexType()


@lru_cache(maxsize=1024)
def tensor_type(element: Attribute, shape: tuple[int, ...]) -> TensorType[Any]:
    """Return the type of a tensor; a dynamic size is -1."""
    return TensorType(element, shape)


@lru_cache(maxsize=4096)
def string_attr(text: str) -> StringAttr:
    """Return a string as an attribute."""
    return StringAttr(text)


@lru_cache(maxsize=4096)
def strings_attr(*texts: str) -> ArrayAttr[StringAttr]:
    """Return strings as a list."""
    return ArrayAttr(map(string_attr, texts))


def dim_op(value: SSAValue, dimension: SSAValue, location: LocationAttr) -> DimOp:
    """Build `tensor.dim`."""
    return create(DimOp, (value, dimension), (INDEX,), location=location)


class _Kind(NamedTuple):
    """What operations with operands of the same types have in common."""

    definition: type[Operation]
    result_types: Sequence[Attribute]
    properties: SharedAttributes


@lru_cache(maxsize=1024)
def _kind(build: Callable[..., Operation], types: tuple[Attribute, ...]) -> _Kind:
    op = build(*Block(arg_types=types).args)
    assert not op.attributes
    assert not op.regions
    return _Kind(type(op), op.result_types, SharedAttributes(op.properties))


def built(
    build: Callable[..., Operation], operands: Sequence[SSAValue], location: LocationAttr
) -> Operation:
    """Build `build(*operands)`, an operation whose other parts follow from the operands' types."""
    kind = _kind(build, tuple([operand.type for operand in operands]))
    return create(
        kind.definition,
        operands,
        kind.result_types,
        properties=kind.properties,
        location=location,
    )


def operations_of(block: Block) -> list[Operation]:
    """Return the operations of a block as a list, so the block may change during iteration.

    `list(block.ops)` walks the operations twice, because xDSL counts them one by one.
    """
    return list(iter(block.ops))


def discard(op: Operation) -> None:
    """Remove an operation that nothing reads, and its contents; the memory is freed at once.

    Operations, results, blocks and arguments refer to each other. Otherwise they would stay until
    Python's garbage collector runs, and the collector is off during compilation (`hwc.garbage`).
    """
    for result in op.results:
        assert result.first_use is None, f"'{op.name}' is still read"
    _discard(op)


def discard_all(block: Block) -> None:
    """Remove the operations of a block, and its arguments, as `discard` does."""
    for op in reversed(operations_of(block)):
        _discard(op)
    for argument in reversed(block.args):
        block.erase_arg(argument, safe_erase=False)


def _discard(op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            discard_all(block)
            block.parent = None
    op.regions = ()
    op.detach()
    op.drop_all_references()
    op.results = NO_RESULTS
