"""The shape program as upstream operations: sizes in `arith` on index, each check a `cf.assert`.

All checks come first in the function, so that nothing is computed for sizes that do not fit, as in
a package. A message has the location and the name of the source operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith, cf
from xdsl.ir import SSAValue

from hwc.dialects.kernel_sizes import SizeOp
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size
from hwc.shapes.steps import Broadcast, Dim, Equal, Reshape, Step
from hwc.transforms.portable_builder import Builder

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
            writer = _WRITERS.get(type(step))
            if writer is None:
                raise error_at(op, f"the check '{step}' has no form in upstream dialects")
            writer(self, step)

    def value(self, size: Size) -> SSAValue:
        """Return a size as an index."""
        return self.values[size] if isinstance(size, str) else self.build.index(size)

    def compare(self, predicate: str, first: SSAValue, second: SSAValue) -> SSAValue:
        """Return whether two indices compare so."""
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


_WRITERS: dict[type[Step], Callable[[Checks, Step], None]] = {}


def _register(kind: type[Kind], writer: Callable[[Checks, Kind], None]) -> None:
    _WRITERS[kind] = writer  # type: ignore[assignment] - the key is the type of the step


_register(Dim, _dim)
_register(Broadcast, _broadcast)
_register(Equal, _equal)
_register(Reshape, _reshape)
