"""What differs between two calls: kernels matched by their source operators."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwc.errors import UserError
from hwc.reports.words import by_x
from isa.load import load

MOST = 2**64 - 1
"""The largest number in a file: counters and sizes have at most 64 bits."""

_PRINTED = "what `hwc run --json` or `hwc time --json` prints"


@dataclass(frozen=True)
class Kernel:
    """A kernel of a call: its operators, sizes and cycles, and what limits it."""

    number: int
    operators: str
    sizes: tuple[int, ...]
    cycles: int
    limit: str


@dataclass(frozen=True)
class Call:
    """A call as recorded in the file `name`; an input is its name, type and shape.

    `share` is the machine's share of the arithmetic of a model with parts on the host, else None.
    """

    name: str
    target: str
    plan: str
    inputs: tuple[tuple[str, str, tuple[int, ...]], ...]
    counters: Mapping[str, int]
    kernels: tuple[Kernel, ...]
    share: float | None = None

    @property
    def cycles(self) -> int:
        """The cycles of the call."""
        return self.counters["cycles"]

    @property
    def operators(self) -> Counter[str]:
        """How many kernels compute each operator."""
        return Counter(name for k in self.kernels for name in set(k.operators.split(", ")))


@dataclass(frozen=True)
class Match:
    """Kernels of the two calls that compute the same operators, or that replace each other.

    One side is empty if only the other call has such kernels.
    """

    a: tuple[Kernel, ...]
    b: tuple[Kernel, ...]

    @property
    def cycles(self) -> tuple[int, int]:
        """The cycles of each side."""
        return sum(k.cycles for k in self.a), sum(k.cycles for k in self.b)

    @property
    def difference(self) -> int:
        """How many cycles more the second side takes."""
        a, b = self.cycles
        return b - a


def read_call(text: str, name: str) -> Call:
    """Return the call that the file `name` records.

    Raises:
        UserError: the text is not what the commands print, or does not tell kernels apart.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UserError(f"{name}: error: not JSON: {error}; expected {_PRINTED}") from None
    read = _Reader(name, value)
    if read.key("kernels") is None:
        raise UserError(
            f"{name}: error: the kernels are not told apart, because the hardware counts them "
            "together: use what the device 'simulator' prints, which has the same counters"
        )
    counters = read.counters("counters")
    kernels = tuple(_kernel(n, each) for n, each in enumerate(read.objects("kernels")))
    inputs = tuple(
        (each.text("name"), each.text("type"), each.sizes("shape"))
        for each in read.objects("inputs")
    )
    plan = "" if read.key("plan") is None else read.text("plan")
    return Call(name, read.text("target"), plan, inputs, counters, kernels, read.share())


def _kernel(number: int, read: _Reader) -> Kernel:
    return Kernel(
        number, read.text("operators"), read.sizes("sizes"), read.number("cycles"),
        read.text("limit"),
    )  # fmt: skip


class _Reader:
    """Reads a JSON object; an error says what is wrong with it."""

    def __init__(self, where: str, value: Any, file: str = "") -> None:
        self._where, self._file = where, file or where
        if not isinstance(value, dict):
            raise self._wrong("is not an object" if file else "")
        self._value: dict[str, Any] = value

    def _wrong(self, what: str) -> UserError:
        inside = f"{self._where.removeprefix(self._file).lstrip(': ')} {what}".strip()
        more = f" ({inside})" if inside else ""
        return UserError(f"{self._file}: error: not {_PRINTED}{more}")

    def key(self, key: str) -> Any:
        """Return a value of any kind."""
        if key not in self._value:
            raise self._wrong(f"lacks {key!r}")
        return self._value[key]

    def text(self, key: str) -> str:
        """Return a string."""
        value = self.key(key)
        if not isinstance(value, str):
            raise self._wrong(f"{key!r} is not a text")
        return value

    def number(self, key: str) -> int:
        """Return a non-negative integer."""
        value = self.key(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(f"{key!r} is not a whole number from 0")
        if value > MOST:
            raise self._wrong(f"{key!r} is larger than 2**64 - 1")
        return value

    def sizes(self, key: str) -> tuple[int, ...]:
        """Return a list of non-negative integers."""
        value = self.key(key)
        if not isinstance(value, list) or not all(
            isinstance(size, int) and not isinstance(size, bool) and size >= 0 for size in value
        ):
            raise self._wrong(f"{key!r} is not a list of sizes")
        if max(value, default=0) > MOST:
            raise self._wrong(f"{key!r} has a size larger than 2**64 - 1")
        return tuple(value)

    def objects(self, key: str) -> Iterator[_Reader]:
        """Yield the objects of a list."""
        value = self.key(key)
        if not isinstance(value, list):
            raise self._wrong(f"{key!r} is not a list")
        for number, each in enumerate(value):
            yield _Reader(f"{self._where}: {key}[{number}]", each, self._file)

    def share(self) -> float | None:
        """Return the machine's share of the arithmetic; None for a program of the machine alone."""
        if self._value.get("accounts") is None:  # versions before accounts lack the key
            return None
        share = _Reader(f"{self._where}: accounts", self.key("accounts"), self._file).key(
            "machine_share"
        )
        if share is not None and not (isinstance(share, int | float) and 0 <= share <= 1):
            raise self._wrong("'machine_share' is not a number from 0 to 1")
        return share

    def counters(self, key: str) -> Mapping[str, int]:
        """Return every counter of the machine, in order."""
        read = _Reader(f"{self._where}: {key}", self.key(key), self._file)
        return {name: read.number(name) for name in load().counters}


def check(a: Call, b: Call) -> None:
    """Check that two calls are of one program with the same shapes.

    Versions of a program may differ in operators, as long as they have some in common.

    Raises:
        UserError: they are not; the message says how they differ.
    """
    types = [[type_ for _, type_, _ in call.inputs] for call in (a, b)]
    if types[0] != types[1]:
        got = " and ".join(f"({', '.join(each)})" for each in types)
        raise UserError(
            f"{a.name}, {b.name}: error: these are calls of different programs: their arguments "
            f"have the types {got}"
        )
    for number, (one, other) in enumerate(zip(a.inputs, b.inputs, strict=True)):
        if one[2] != other[2]:
            raise UserError(
                f"{a.name}, {b.name}: error: the calls have different sizes: argument {number} "
                f"(%{one[0]}) is {by_x(one[2])} and {by_x(other[2])}; run both with the same shapes"
            )
    if a.kernels and b.kernels and not a.operators & b.operators:
        raise UserError(
            f"{a.name}, {b.name}: error: these are calls of different programs: they have no "
            f"operator in common ({_some(a.operators)} and {_some(b.operators)})"
        )


def _some(operators: Counter[str]) -> str:
    names = sorted(operators)
    return f"{', '.join(names[:3])}{', ...' if len(names) > 3 else ''}"


def matches(a: Sequence[Kernel], b: Sequence[Kernel]) -> list[Match]:
    """Match the kernels of two calls, in the order of execution.

    Kernels with the same operators and sizes match first, in order; then kernels with the same
    operators. Kernels left between two matches replace each other: a change in fusion turns two
    kernels into one, or one into two.
    """
    partner: dict[int, int] = {}
    _pair(a, b, partner, lambda kernel: (kernel.operators, kernel.sizes))
    _pair(a, b, partner, lambda kernel: kernel.operators)
    of_b = {other: one for one, other in partner.items()}
    found: dict[tuple[int, bool], tuple[list[Kernel], list[Kernel]]] = {}
    before = -1
    for number, kernel in enumerate(a):
        matched = number in partner
        before = number if matched else before
        found.setdefault((before, matched), ([], []))[0].append(kernel)
    before = -1
    for number, kernel in enumerate(b):
        matched = number in of_b
        before = of_b.get(number, before)
        found.setdefault((before, matched), ([], []))[1].append(kernel)
    # A matched kernel comes before the unmatched kernels after it.
    order = sorted(found, key=lambda key: (key[0], not key[1]))
    return [Match(tuple(found[key][0]), tuple(found[key][1])) for key in order]


def _pair(
    a: Sequence[Kernel],
    b: Sequence[Kernel],
    partner: dict[int, int],
    key: Callable[[Kernel], Hashable],
) -> None:
    """Pair kernels that have no partner yet and the same key, in order."""
    taken = set(partner.values())
    free: dict[Hashable, deque[int]] = {}
    for number, kernel in enumerate(b):
        if number not in taken:
            free.setdefault(key(kernel), deque()).append(number)
    for number, kernel in enumerate(a):
        if number not in partner and free.get(key(kernel)):
            partner[number] = free[key(kernel)].popleft()
