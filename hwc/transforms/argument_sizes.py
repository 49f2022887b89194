"""The sizes of a function's arguments: symbols, the names that users give them, and facts.

Every `?` of an argument becomes a symbol, named as in `hwc.symbols` if there is a name. The same
name in several places is one symbol. The facts of `hwc.assume` become steps of the shape program.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX as DYNAMIC
from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument

from hwc.dialects.attributes import ASSUME, ASSUMED, SYMBOLS, assumed, symbol_names
from hwc.dialects.kernel_sizes import SizeOp
from hwc.frontend.diagnostics import error_at
from hwc.frontend.functions import argument_name, called_argument, error_at_argument, hint_of
from hwc.shapes import Size, SizeConflict, SymbolTable
from hwc.shapes.facts import FactError, read_fact
from hwc.shapes.steps import Dim, Equal, Evaluation, SizesRefused, Step
from hwc.transforms.size_conflicts import contradiction


@dataclass
class ArgumentSizes:
    """The arguments of one function.

    `table` gets the symbols and the facts, and `steps` gets the first steps of the shape program;
    `sizes` are the sizes of each argument.
    """

    function: func.FuncOp
    table: SymbolTable
    steps: list[SizeOp] = field(default_factory=list)
    sizes: list[tuple[Size, ...]] = field(default_factory=list)
    _named: dict[str, Size] = field(default_factory=dict)

    @staticmethod
    def of(function: func.FuncOp, table: SymbolTable) -> ArgumentSizes:
        """Return the arguments' sizes, after adding symbols and facts to `table`.

        Raises:
            LocatedError: an argument is not a tensor, a fact cannot be read, or no sizes satisfy
                all facts.
        """
        found = ArgumentSizes(function, table)
        found._read_arguments()
        for text in assumed(function):
            found._assume(text)
        return found

    def _read_arguments(self) -> None:
        arguments = self.function.body.block.args
        names = [symbol_names(self.function, argument.index) for argument in arguments]
        given = {name for part in names for name in part or () if name}
        fresh = (symbol for symbol in map("s{}".format, count()) if symbol not in given)
        for argument, part in zip(arguments, names, strict=True):
            shape = self._shape(argument)
            sizes: list[Size] = []
            for dimension, size in enumerate(shape):
                name = part[dimension] if part else ""
                if size != DYNAMIC:
                    sizes.append(size)
                    if name:
                        self._name_static(name, size)
                    continue
                symbol = self.table.leaf(name or next(fresh), named=bool(name))
                self._add(Dim(symbol, argument.index, dimension, bool(name)))
                if name:
                    self._name_dynamic(name)
                sizes.append(symbol)
            self.sizes.append(tuple(sizes))

    def _shape(self, argument: BlockArgument) -> tuple[int, ...]:
        if not isinstance(argument.type, TensorType):
            raise error_at_argument(
                self.function,
                argument.index,
                f"{called_argument(self.function, argument.index)} is {argument.type}, which is "
                "not a ranked tensor",
                "pass a scalar as a tensor of rank 0",
            )
        return argument.type.get_shape()

    def _name_static(self, name: str, size: int) -> None:
        known = self._named.get(name)
        if known is None:
            self._named[name] = size
        elif isinstance(known, int):
            if known != size:
                raise self._conflict(name, SizeConflict(known, size))
        else:
            self._equal(name, size)

    def _name_dynamic(self, name: str) -> None:
        known = self._named.get(name)
        self._named[name] = name
        if isinstance(known, int):
            self._equal(name, known)

    def _equal(self, name: str, size: int) -> None:
        try:
            self.table.require_equal(name, size)
        except SizeConflict as conflict:
            raise self._conflict(name, conflict) from None
        self._add(Equal((name, size)), SYMBOLS)

    def _conflict(self, name: str, conflict: SizeConflict) -> Exception:
        return error_at(
            self.function,
            f"'{SYMBOLS}' requires the size '{name}' to be both {conflict}",
            "the same name means the same size",
        )

    def _add(self, step: Step, source: str | None = None) -> None:
        op = SizeOp(step, source)
        op.location = self.function.location
        self.steps.append(op)

    def _assume(self, text: str) -> None:
        what = f"the fact '{text}' of function @{self.function.sym_name.data}"
        try:
            steps = read_fact(text, self._meaning)
        except FactError as error:
            advice = "docs/shapes.md shows how facts are written"
            raise error_at(self.function, f"cannot read {what}: {error}", advice) from None
        for step in steps:
            try:
                if any(isinstance(size, str) for size in step.reads):
                    step.replay(self.table)
                    self._add(step, f"{ASSUMED}{text}")
                else:
                    step.evaluate(Evaluation((), ()))
            except SizesRefused as refused:
                raise error_at(
                    self.function, f"{what} never holds: {refused}", f"correct '{ASSUME}'"
                ) from None
            except SizeConflict as conflict:
                raise error_at(
                    self.function,
                    f"{what} requires "
                    f"{contradiction(conflict, self.steps, self.function, step.reads)}",
                    "no shape of the arguments fits all facts",
                ) from None

    def _meaning(self, name: str) -> Size:
        """Return the size called `name`: a symbol, or an argument and a dimension, as in `a.0`."""
        if name in self._named:
            return self._named[name]
        owner, _, part = name.rpartition(".")
        for argument in self.function.body.block.args:
            if hint_of(owner) in {argument_name(argument), f"arg{argument.index}"}:
                sizes = self.sizes[argument.index]
                names = symbol_names(self.function, argument.index) or ()
                if part in names:
                    return sizes[names.index(part)]
                numbers = [str(dimension) for dimension in range(len(sizes))]
                if part in numbers:
                    return sizes[numbers.index(part)]
                raise FactError(
                    f"%{owner} has no dimension '{part}': its rank is {len(sizes)}, and its "
                    f"dimensions are called {', '.join(filter(None, names)) or 'by numbers only'}"
                )
        raise FactError(
            f"there is no size '{name}'; a size is a name of '{SYMBOLS}', or an argument and a "
            "dimension, as in a.0"
        )
