"""What a random program says about the sizes of its arguments: names, strict dimensions, facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from random_programs.graph import Fact, Shape, Value

if TYPE_CHECKING:
    from random_programs.generator import Generator


def say_something(g: Generator) -> None:
    """Let half of all programs say something; all of it holds in the program's own call."""
    if g.rng.random() < 0.5:
        return
    if g.rng.random() < 0.4:
        _name(g)
    if g.rng.random() < 0.4:
        _hold(g)
    kind = g.rng.random()
    g.graph.strict = kind < 0.15
    g.local_strict = 0.3 if kind > 0.7 else 0.0
    if g.rng.random() < 0.5:
        for _ in range(g.rng.randint(1, 3)):
            if (fact := _fact(g)) is not None:
                g.rng.choice((g.graph.facts, g.graph.options)).append(fact)


def _name(g: Generator) -> None:
    """Name dimensions by their axes; one of size 1 has no name, or one of its own."""
    for argument in g.graph.arguments:
        if g.rng.random() < 0.7:
            g.graph.symbols[argument.name] = tuple(
                g.rng.choice(("", f"one_{argument.name[1:]}_{d}")) if axis is None else "nmkj"[axis]
                for d, axis in enumerate(g.graph.axes[argument.name])
            )


def _hold(g: Generator) -> None:
    """Let some dimensions of some arguments never expand."""
    for number, argument in enumerate(g.graph.arguments):
        if g.rng.random() < 0.5:
            held = tuple(g.rng.random() < 0.4 for _ in argument.declared)
            changed = replace(argument, held=held)
            g.graph.arguments[number] = changed
            g.tensors[g.tensors.index(argument)] = changed


def _fact(g: Generator) -> Fact | None:
    """Return a fact that holds in the program's own call; None if there is no dimension."""
    places = [(v, d) for v in g.graph.arguments for d in range(len(v.declared))]
    if not places:
        return None
    (value, d), (other, e) = g.rng.choice(places), g.rng.choice(places)
    size, second = g.array(value).shape[d], g.array(other).shape[e]
    name, another = _place(g, value, d), _place(g, other, e)

    def of(shapes: Mapping[str, Shape]) -> int:
        return shapes[value.name][d]

    def of_other(shapes: Mapping[str, Shape]) -> int:
        return shapes[other.name][e]

    match g.rng.choice(("range", "below", "multiple", "not", "set", "one or", "equal")):
        case "range":
            low, high = g.rng.randint(0, size), size + g.rng.randint(0, 4)
            return Fact(f"{low} <= {name} <= {high}", lambda s: low <= of(s) <= high)
        case "below":
            high = size + g.rng.randint(1, 4)
            return Fact(f"{name} < {high}", lambda s: of(s) < high)
        case "multiple":
            modulus = g.rng.randint(2, 4)
            rest = size % modulus
            return Fact(f"{name} % {modulus} == {rest}", lambda s: of(s) % modulus == rest)
        case "not":
            without = g.rng.choice([n for n in range(6) if n != size])
            return Fact(f"{name} != {without}", lambda s: of(s) != without)
        case "set":
            sizes = sorted({size, *(g.rng.randint(0, 8) for _ in range(2))})
            return Fact(f"{name} in {{{', '.join(map(str, sizes))}}}", lambda s: of(s) in sizes)
        case "one or" if size in (1, second):
            return Fact(f"{name} in {{1, {another}}}", lambda s: of(s) in (1, of_other(s)))
        case "equal" if size == second:
            return Fact(f"{name} == {another}", lambda s: of(s) == of_other(s))
        case _:
            return None


def _place(g: Generator, value: Value, dimension: int) -> str:
    """Return how a fact calls a dimension of an argument."""
    argument = value.name.removeprefix("%")
    name = g.graph.symbols.get(value.name, ("",) * len(value.declared))[dimension]
    return f"{argument}.{name if name and g.rng.random() < 0.5 else dimension}"
