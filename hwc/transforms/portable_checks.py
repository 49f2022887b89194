"""The shape program in upstream operations: sizes in `arith` on index, checks as `cf.assert`.

As in a package, all checks come first in the function, so nothing is computed for sizes that do not
fit. A message has the location and the name of the source operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith, cf, tensor
from xdsl.dialects.builtin import IndexType, i1, i64
from xdsl.ir import SSAValue

import isa
from hwc.dialects.index_operations import Exp2Op, Log2CeilOp, Log2FloorOp
from hwc.dialects.kernel_sizes import SizeOp
from hwc.dialects.upstream_casts import ExtUIOp, IndexCastOp
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size
from hwc.shapes.steps import (
    ARITHMETIC,
    Among,
    Arithmetic,
    AtMost,
    Broadcast,
    Congruent,
    Differs,
    Dim,
    Element,
    Equal,
    IsSize,
    Reshape,
    Step,
    Strict,
    Within,
)
from hwc.transforms.generic_builder import element_of
from hwc.transforms.portable_builder import Builder
from hwc.transforms.portable_scalars import PORTABLE

Kind = TypeVar("Kind", bound=Step)


@dataclass
class Checks:
    """Writes the steps of one function in front of its operations.

    `arguments` are the arguments of the function; `values` has the size of every symbol so far.
    """

    arguments: Sequence[SSAValue]
    build: Builder
    values: dict[str, SSAValue] = field(default_factory=dict)

    def write(self, steps: Iterable[SizeOp]) -> None:
        """Write all steps in their order.

        Raises:
            LocatedError: there is no upstream form of a step.
        """
        for op in steps:
            step = op.with_origin()
            writer = WRITERS.get(type(step))
            if writer is None:
                raise error_at(op, f"the check '{step}' has no form in upstream dialects")
            writer(self, step)

    def value(self, size: Size) -> SSAValue:
        """Return a size as an index."""
        return self.values[size] if isinstance(size, str) else self.build.index(size)

    def compare(self, predicate: str, first: SSAValue, second: SSAValue) -> SSAValue:
        """Return whether the predicate holds for two indices."""
        return self.build.add(arith.CmpiOp(first, second, predicate))

    def require(self, condition: SSAValue, step: Step, message: str) -> None:
        """Assert a condition of a step."""
        head = f"{step.origin}: " if step.origin else ""
        self.build.insert(cf.AssertOp(condition, f"{head}{message}"))

    def product(self, sizes: Iterable[Size]) -> SSAValue:
        """Return the product of sizes."""
        values = [self.value(size) for size in sizes if size != 1]
        result = values[0] if values else self.build.index(1)
        for value in values[1:]:
            result = self.build.add(arith.MuliOp(result, value))
        return result


def _dim(checks: Checks, step: Dim) -> None:
    size = checks.build.dim(checks.arguments[step.argument], step.dimension)
    if step.result in checks.values:
        same = checks.compare("eq", checks.values[step.result], size)
        message = f"dimension {step.dimension} of argument {step.argument} does not have its size"
        checks.require(same, step, message)
    else:
        checks.values[step.result] = size


def _broadcast(checks: Checks, step: Broadcast) -> None:
    one = checks.build.index(1)
    result = checks.value(step.operands[0])
    for operand in step.operands[1:]:
        size = checks.value(operand)
        yields = checks.compare("eq", result, one)
        fits = [yields, checks.compare("eq", size, one), checks.compare("eq", size, result)]
        either = checks.build.add(arith.OrIOp(fits[0], fits[1]))
        checks.require(
            checks.build.add(arith.OrIOp(either, fits[2])),
            step,
            "sizes do not broadcast: they have to be equal, or one of them 1",
        )
        result = checks.build.add(arith.SelectOp(yields, size, result))
    if isinstance(step.result, str):
        checks.values[step.result] = result
    else:
        same = checks.compare("eq", result, checks.value(step.result))
        checks.require(same, step, f"the operands do not broadcast to size {step.result}")


def _equal(checks: Checks, step: Equal) -> None:
    first = checks.value(step.operands[0])
    for operand in step.operands[1:]:
        same = checks.compare("eq", first, checks.value(operand))
        checks.require(same, step, "sizes have to be equal")


def _reshape(checks: Checks, step: Reshape) -> None:
    count = checks.product(step.operands)
    for symbol in dict.fromkeys(step.symbols):
        if symbol not in checks.values:
            rest = checks.product(size for size in step.results if size != symbol)
            zero = checks.build.index(0)
            message = "the elements do not divide into the sizes that are given"
            checks.require(checks.compare("ne", rest, zero), step, message)
            left = checks.build.add(arith.RemUIOp(count, rest))
            checks.require(checks.compare("eq", left, zero), step, message)
            checks.values[symbol] = checks.build.add(arith.DivUIOp(count, rest))
    same = checks.compare("eq", checks.product(step.results), count)
    checks.require(same, step, "a reshape keeps the number of elements")


def _strict(checks: Checks, step: Strict) -> None:
    first, one = checks.value(step.held[0]), checks.build.index(1)
    message = "a size does not broadcast: strict: it never expands"
    for size in step.held[1:]:
        checks.require(checks.compare("eq", first, checks.value(size)), step, message)
    for size in map(checks.value, step.free):
        is_one, same = checks.compare("eq", size, one), checks.compare("eq", size, first)
        checks.require(checks.build.add(arith.OrIOp(is_one, same)), step, message)


def _among(checks: Checks, step: Among) -> None:
    size = checks.value(step.size)
    first, *others = (checks.compare("eq", size, checks.value(n)) for n in step.choices)
    for other in others:
        first = checks.build.add(arith.OrIOp(first, other))
    checks.require(first, step, "a size is none of those that it may be")


def _within(checks: Checks, step: Within) -> None:
    size, message = checks.value(step.size), f"a size has to be {step.low} to {step.high}"
    checks.require(checks.compare("uge", size, checks.value(step.low)), step, message)
    checks.require(checks.compare("ule", size, checks.value(step.high)), step, message)


def _at_most(checks: Checks, step: AtMost) -> None:
    fits = checks.compare("sle", checks.value(step.value), checks.value(step.limit))
    checks.require(fits, step, "a value is above its limit")


def _congruent(checks: Checks, step: Congruent) -> None:
    modulus = checks.value(step.modulus)
    remainder = checks.build.add(arith.RemUIOp(checks.value(step.size), modulus))
    fits = checks.compare("eq", remainder, checks.value(step.remainder))
    message = f"a size divided by {step.modulus} has to leave {step.remainder}"
    checks.require(fits, step, message)


def _differs(checks: Checks, step: Differs) -> None:
    differs = checks.compare("ne", checks.value(step.size), checks.value(step.value))
    checks.require(differs, step, f"a size must not be {step.value}")


def _is_size(checks: Checks, step: IsSize) -> None:
    limit = isa.load().limits.size_limit
    for operand in step.operands:
        fits = checks.compare("ult", checks.value(operand), checks.value(limit))
        checks.require(fits, step, f"a computed size has to be 0 to {limit - 1}")


def _element(checks: Checks, step: Element) -> None:
    tensor_ = checks.arguments[step.argument]
    indices = [checks.value(index) for index in step.indices]
    for dimension, index in enumerate(indices):
        fits = checks.compare("ult", index, checks.build.dim(tensor_, dimension))
        message = f"an index lies outside of dimension {dimension} of argument {step.argument}"
        checks.require(fits, step, message)
    element = checks.build.add(tensor.ExtractOp(tensor_, indices, element_of(tensor_)))
    if element.type == i1:
        element = checks.build.add(ExtUIOp.create(operands=[element], result_types=[i64]))
    checks.values[step.result] = checks.build.add(IndexCastOp(element, IndexType()))


def _arithmetic(checks: Checks, step: Arithmetic) -> None:
    """Write a function of 64-bit integers; overflow is not detected."""
    operands = [checks.value(operand) for operand in step.operands]
    zero, kind = checks.build.index(0), step.kind
    if kind in _NATURAL:
        for operand in operands:
            natural = checks.compare("sge", operand, zero)
            checks.require(natural, step, "the operation takes no negative value")
    if kind.startswith(("div", "rem", "ceildiv", "floordiv")):
        checks.require(checks.compare("ne", operands[1], zero), step, "division by zero")
    low, high = _LIMITS.get(kind, (0, 0))
    if kind in _LIMITS:
        for predicate, limit in (("sge", low), ("sle", high)):
            fits = checks.compare(predicate, operands[-1], checks.value(limit))
            checks.require(fits, step, f"an operand of {kind} has to be {low} to {high}")
    checks.values[step.result] = _result(checks, kind, operands)


def _result(checks: Checks, kind: str, operands: Sequence[SSAValue]) -> SSAValue:
    add, index = checks.build.add, checks.build.index
    if kind in _PREDICATES:
        holds = checks.compare(kind, operands[0], operands[1])
        return add(arith.SelectOp(holds, index(1), index(0)))
    if kind == "select":
        condition = checks.compare("ne", operands[0], index(0))
        return add(arith.SelectOp(condition, operands[1], operands[2]))
    if kind in _SCALARS:
        return PORTABLE[_SCALARS[kind]](operands, IndexType(), add)
    if kind in _SAME:
        return operands[0]
    of = _BY_NAME[f"arith.{kind}"]
    return add(of.create(operands=operands, result_types=[IndexType()]))


_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_UNSIGNED = ("extui", "divui", "ceildivui", "remui", "maxui", "minui", "shrui")
_NATURAL = {*_UNSIGNED, *_PREDICATES[6:]}
_SCALARS = {"exp2": Exp2Op, "log2_floor": Log2FloorOp, "log2_ceil": Log2CeilOp}
_SAME = ("extui", "fits_i1", "fits_i8", "fits_i16", "fits_i32")
_MOST = (1 << 63) - 1
_LIMITS = {
    **dict.fromkeys(("shli", "shrsi", "shrui"), (0, 63)),
    **dict.fromkeys(("log2_floor", "log2_ceil"), (1, _MOST)),
    **{f"fits_i{n}": (-(1 << (n - 1)), (1 << (n - 1)) - 1) for n in (8, 16, 32)},
    "fits_i1": (0, 1),
    "exp2": (0, 62),
}
"""Kinds whose last operand is limited, with the smallest and the largest value."""

_BY_NAME = {op.name: op for op in arith.Arith.operations}

WRITERS: dict[type[Step], Callable[[Checks, Step], None]] = {}
"""How to write each kind of step."""


def _register(kind: type[Kind], writer: Callable[[Checks, Kind], None]) -> None:
    WRITERS[kind] = writer  # type: ignore[assignment] - the key is the type of the step


_register(Dim, _dim)
_register(Broadcast, _broadcast)
_register(Equal, _equal)
_register(Reshape, _reshape)
_register(Strict, _strict)
_register(Among, _among)
_register(Within, _within)
_register(AtMost, _at_most)
_register(Congruent, _congruent)
_register(Differs, _differs)
_register(IsSize, _is_size)
_register(Element, _element)
for _kind in ARITHMETIC.values():
    _register(_kind, _arithmetic)
