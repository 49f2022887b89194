"""What the operations of a function at stage `linalg` require of sizes: its shape program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.ir import Operation

from hwc.dialects.kernel_sizes import SizeOp
from hwc.dialects.views import source_of
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.shapes import Size, SizeConflict, SymbolTable
from hwc.shapes.steps import Broadcast, Equal, Step, Strict
from hwc.transforms.size_conflicts import contradiction


@dataclass
class RequiredSizes:
    """The requirements of operations as steps of the shape program, in program order.

    A step has the location of its operation; equal steps appear once. What a requirement says about
    symbols goes into `table`. If no sizes satisfy a requirement, that is a located error.
    """

    function: func.FuncOp
    table: SymbolTable
    steps: list[SizeOp] = field(default_factory=list)
    seen: set[object] = field(default_factory=set)
    common: dict[tuple[Size, ...], tuple[int, Size]] = field(default_factory=dict)

    def add(self, step: Step, op: Operation, dimension: int | None = None) -> None:
        """Add a step that an operation requires, about `dimension` of its result if given."""
        size_op = SizeOp(step, source_of(op), dimension)
        size_op.location = op.location
        self.steps.append(size_op)

    def equal(self, sizes: list[Size], op: Operation, dimension: int | None) -> None:
        """Require equal sizes; the last size is the result's."""
        declared = sizes[-1]
        if sizes.count(declared) == len(sizes):
            return
        distinct = list(dict.fromkeys(sizes))
        if len({self.table.resolve(s) for s in distinct}) < 2:
            return
        # A static size in the last place is the size that the type of the result declares.
        distinct.sort(key=lambda size: isinstance(size, int), reverse=isinstance(declared, str))
        try:
            for other in distinct[1:]:
                self.table.require_equal(distinct[0], other)
        except SizeConflict as conflict:
            raise self.contradiction(op, conflict, distinct, dimension, declared) from None
        self.add(Equal(tuple(distinct)), op, dimension)

    def broadcast(self, operands: tuple[Size, ...], op: Operation, dimension: int) -> Size:
        """Return what sizes broadcast to; results are cached until something new is learned."""
        learned, size = self.common.get(operands, (-1, 0))
        if learned != self.table.learned:
            size = self._new_broadcast(operands, op, dimension)
            self.common[operands] = self.table.learned, size
        return size

    def _new_broadcast(self, operands: Sequence[Size], op: Operation, dimension: int) -> Size:
        before = len(self.table.broadcasts)
        try:
            size = self.table.broadcast(operands)
        except SizeConflict as conflict:
            raise self.contradiction(op, conflict, operands, dimension) from None
        if self.table.implied(operands, size):
            return size
        operands = [s for s in dict.fromkeys(operands) if s != 1]
        key = frozenset(operands)
        is_new = isinstance(size, str) and len(self.table.broadcasts) > before
        if is_new or key not in self.seen:
            self.seen.add(key)
            # A symbol defined by other operands is worked out again, because its check differs.
            result = size if isinstance(size, int) or is_new else self.table.fresh("c")
            self.add(Broadcast(result, tuple(operands)), op, dimension)
            try:
                self.table.checked(operands, size)
            except SizeConflict as conflict:
                raise self.contradiction(op, conflict, operands, dimension) from None
        return size

    def strict(
        self, fixed: list[Size], operands: Sequence[Size], op: Operation, dimension: int
    ) -> Size:
        """Return the size of a dimension in which the sizes `fixed` of the operands never expand.

        A static size other than 1 among the others does not expand either.
        """
        resolve = self.table.resolve
        fixed = list(dict.fromkeys(fixed))
        free = [
            size for size in dict.fromkeys(operands) if size not in fixed and resolve(size) != 1
        ]
        fixed += [size for size in free if isinstance(size, int)]
        free = [size for size in free if not self.table.fits(size, fixed[0])]
        free = [size for size in free if size not in fixed]
        if len({resolve(size) for size in fixed}) > 1 or free:
            step = Strict(tuple(fixed), tuple(free))
            try:
                step.replay(self.table)
            except SizeConflict as conflict:
                raise error_at(
                    op,
                    f"'{source_of(op)}' does not broadcast: strict: in dimension {dimension} of "
                    f"the result a size that never expands has to be both {conflict}",
                    "docs/shapes.md says which dimensions are strict",
                ) from None
            self.add(step, op, dimension)
        return fixed[0]

    def contradiction(
        self,
        op: Operation,
        conflict: SizeConflict,
        sizes: Sequence[Size],
        dimension: int | None = None,
        declared: Size | None = None,
    ) -> LocatedError:
        """Return the error for an operation whose requirement no sizes satisfy."""
        said = contradiction(conflict, self.steps, self.function, sizes, dimension, declared)
        return error_at(
            op,
            f"'{source_of(op)}' requires {said}",
            "no shape of the arguments fits this program",
        )
