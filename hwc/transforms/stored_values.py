"""Splits tensors of types that exist only in memory into parts: tensors of the machine's types.

An argument or a result of such a type becomes one argument or result for each part that
`isa.stored` lists, and attributes record the split (`hwc.dialects.stored_parts`). In a package it
is one argument or result again, with a buffer for each part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from hwc.dialects.element_types import stored_type
from hwc.dialects.stored_parts import PART, TYPE

Parts = tuple[SSAValue, ...]


def parts_of_type(type_: Attribute) -> list[TensorType]:
    """Return the types of a tensor's parts; none if the machine has its type."""
    stored = stored_type(type_.get_element_type()) if isinstance(type_, TensorType) else None
    if stored is None:
        return []
    shape = cast("TensorType", type_).get_shape()
    return [TensorType(IntegerType(int(part[1:])), shape) for part in stored.parts]


def constant_parts(values: DenseIntOrFPElementsAttr) -> list[arith.ConstantOp]:
    """Return the parts of a constant."""
    data, held = values.data.data, values.get_element_type().compile_time_size
    rest = np.frombuffer(data, f"<i{held}").astype(np.int64)
    parts: list[arith.ConstantOp] = []
    for type_ in parts_of_type(values.type):
        bits = cast("IntegerType", type_.get_element_type()).width.data
        elements = rest.astype(f"<i{bits // 8}").tobytes()
        parts.append(
            arith.ConstantOp(DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(elements)))
        )
        rest = rest >> bits
    return parts


@dataclass
class StoredValues:
    """The parts of a function's tensors that have such types."""

    function: FuncOp
    parts: dict[SSAValue, Parts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Give the function arguments for the parts, each after the argument it belongs to."""
        block = self.function.body.block
        for argument in list(block.args):
            types = parts_of_type(argument.type)
            if not types:
                continue
            added: list[SSAValue] = []
            for number, type_ in enumerate(types):
                new = block.insert_arg(type_, argument.index + 1 + number, argument.location)
                name = argument.name_hint or f"arg{argument.index}"
                new.name_hint = f"{name}_high" if number else name
                added.append(new)
            self.parts[argument] = tuple(added)

    def finish(self, operators: Sequence[Operation]) -> None:
        """Put the parts into the function's arguments and results; erase `operators`.

        The results of `operators` are the whole values; nothing reads them any more, except their
        sizes.
        """
        if not self.parts:
            return
        function, block = self.function, self.function.body.block
        for whole, parts in self.parts.items():
            for use in list(whole.uses):  # the parts have the sizes of the whole
                if isinstance(use.operation, tensor.DimOp):
                    use.operation.operands[use.index] = parts[0]
        inputs, arguments = self._expanded(list(block.args), function.arg_attrs, drop=True)
        end = block.last_op
        assert isinstance(end, ReturnOp)
        returned, results = self._expanded(list(end.operands), function.res_attrs)
        function.arg_attrs, function.res_attrs = _unless_empty(arguments), _unless_empty(results)
        new = ReturnOp(*returned)
        new.location = end.location
        block.insert_op_before(new, end)
        block.erase_op(end)
        for op in reversed(operators):
            block.erase_op(op)
        for argument in [argument for argument in block.args if argument in self.parts]:
            block.erase_arg(argument)
        types = [value.type for value in inputs], [value.type for value in returned]
        function.function_type = FunctionType.from_lists(*types)

    def _expanded(
        self,
        values: Sequence[SSAValue],
        given: ArrayAttr[DictionaryAttr] | None,
        drop: bool = False,
    ) -> tuple[list[SSAValue], ArrayAttr[DictionaryAttr]]:
        """Return values with each whole replaced by its parts, and their attributes.

        With `drop`, the parts are among the values already.
        """
        inserted = {part for parts in self.parts.values() for part in parts} if drop else set()
        values = [value for value in values if value not in inserted]
        old = given.data if given else (DictionaryAttr({}),) * len(values)
        expanded: list[SSAValue] = []
        attributes: list[DictionaryAttr] = []
        for value, dictionary in zip(values, old, strict=True):
            type_ = value.type
            own = self.parts.get(value, (value,))
            for number, part in enumerate(own):
                expanded.append(part)
                mark: dict[str, Attribute] = {}
                if value in self.parts:
                    name = str(cast("TensorType", type_).get_element_type())
                    mark = {PART: UnitAttr()} if number else {TYPE: StringAttr(name)}
                attributes.append(DictionaryAttr({**dictionary.data, **mark}))
        return expanded, ArrayAttr(attributes)


def _unless_empty(attributes: ArrayAttr[DictionaryAttr]) -> ArrayAttr[DictionaryAttr] | None:
    """Return attributes of arguments or results; None if they have none, as in parsed text."""
    return attributes if any(one.data for one in attributes) else None
