"""The arithmetic of a model, as formulas of the sizes of a call.

Operations are counted as the field counts them: a multiply-add is two, any other element-wise
operation one for each element of its result, and moving elements is none. The front ends have a
table for their operators (`hwc/tosa/arithmetic.py`, `hwc/onnx/arithmetic.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from hwc.package.reader import FormatError, Reader
from hwc.shapes.products import Product

_T = TypeVar("_T")


@dataclass(frozen=True)
class OperatorWork:
    """The arithmetic of some nodes with one operator in a step.

    `operations` is a sum of products of sizes, None if nothing tells the number of operations.
    """

    operator: str
    nodes: int
    operations: tuple[Product, ...] | None


@dataclass(frozen=True)
class Counted:
    """Operations of a call: those that are counted, and the operators of nodes that are not."""

    operations: int = 0
    uncounted: Mapping[str, int] | None = None

    def __add__(self, other: Counted) -> Counted:
        both = Counter(self.uncounted or {}) + Counter(other.uncounted or {})
        return Counted(self.operations + other.operations, dict(both))


@dataclass(frozen=True)
class Work:
    """The arithmetic of each step of a package, in order."""

    steps: tuple[tuple[OperatorWork, ...], ...]

    def counted(self, symbols: Mapping[str, int]) -> list[Counted]:
        """Return the operations of each step in a call; `symbols` may lack symbols."""
        return [sum((_counted(each, symbols) for each in step), Counted()) for step in self.steps]

    def problems(self, steps: int, symbols: Collection[str]) -> Iterator[str]:
        """Yield what is wrong in a package with this number of steps and these symbols."""
        if len(self.steps) != steps:
            yield f"the arithmetic is that of {len(self.steps)} steps, and there are {steps}"
        known = set(symbols)
        for each in (each for step in self.steps for each in step):
            for name in sorted({n for p in each.operations or () for n in p.symbols} - known):
                yield f"the arithmetic of {each.operator} names symbol {name!r}, which is undefined"


def _counted(work: OperatorWork, symbols: Mapping[str, int]) -> Counted:
    total = 0
    for product in work.operations or ():
        if not symbols.keys() >= set(product.symbols):
            return Counted(0, {work.operator: work.nodes})
        number = product.factor
        for symbol in product.symbols:
            number *= symbols[symbol]
        total += number
    return Counted(total, {work.operator: work.nodes} if work.operations is None else {})


def joined(works: Iterable[OperatorWork]) -> tuple[OperatorWork, ...]:
    """Return the same arithmetic, joined for nodes of one operator that need the same symbols."""
    nodes: Counter[tuple[str, frozenset[str] | None]] = Counter()
    factors: dict[tuple[str, frozenset[str]], Counter[tuple[str, ...]]] = {}
    for work in works:
        if work.operations is None:
            nodes[work.operator, None] += work.nodes
            continue
        symbols = frozenset(name for product in work.operations for name in product.symbols)
        nodes[work.operator, symbols] += work.nodes
        own = factors.setdefault((work.operator, symbols), Counter())
        for product in work.operations:
            own[product.symbols] += product.factor
    found: list[OperatorWork] = []
    for (operator, needed), count in nodes.items():
        terms = None
        if needed is not None:
            own = factors[operator, needed].items()
            terms = tuple(Product(factor, symbols) for symbols, factor in own if factor)
        found.append(OperatorWork(operator, count, terms))
    return tuple(found)


def work_to_json(work: Work | None) -> list[Any] | None:
    """Return the arithmetic as a JSON value."""
    if work is None:
        return None
    return [[_operator_to_json(each) for each in step] for step in work.steps]


def _operator_to_json(work: OperatorWork) -> dict[str, Any]:
    terms = work.operations
    return {
        "operator": work.operator,
        "nodes": work.nodes,
        "operations": None if terms is None else [[p.factor, *p.symbols] for p in terms],
    }


def work_from_json(where: str, value: Any) -> Work | None:
    """Return the arithmetic of a JSON value.

    Raises:
        FormatError: a key is missing or unknown, or a value has the wrong kind.
    """
    if value is None:
        return None
    return Work(tuple(_list(where, value, _step_from_json)))


def _step_from_json(where: str, value: Any) -> tuple[OperatorWork, ...]:
    return tuple(_list(where, value, _operator_from_json))


def _list(where: str, value: Any, convert: Callable[[str, Any], _T]) -> Iterator[_T]:
    if not isinstance(value, list):
        raise FormatError(f"{where} is not a list")
    return (convert(f"{where}[{i}]", each) for i, each in enumerate(value))


def _operator_from_json(where: str, value: Any) -> OperatorWork:
    read = Reader(where, value)
    operator, nodes = read.string("operator"), read.integer("nodes")
    given = read.any("operations")
    terms = None if given is None else tuple(_list(f"{where}: operations", given, _product))
    read.done()
    return OperatorWork(operator, nodes, terms)


def _product(where: str, value: Any) -> Product:
    if not isinstance(value, list) or not value:
        raise FormatError(f"{where} is not a list of a number and of names of symbols")
    factor, *symbols = value
    if not isinstance(factor, int) or isinstance(factor, bool) or factor < 0:
        raise FormatError(f"{where}[0] is not a number from 0")
    if not all(isinstance(symbol, str) for symbol in symbols):
        raise FormatError(f"{where} has a symbol that is not a name")
    return Product(factor, tuple(symbols))
