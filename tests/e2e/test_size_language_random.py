"""Random programs about sizes, at all small sizes: accepted and refused as the rules on paper say.

A program adds vectors. Its dimensions are strict, named or free, facts hold, and results declare
sizes. The rules of docs/shapes.md are evaluated here once more, call by call, without symbols: a
check that the compiler drops by mistake, or adds, shows at some size.
"""

import itertools
import random
from dataclasses import dataclass

import pytest
from breadth import breadth

import hwc

SIZES = list(itertools.product(range(5), repeat=3))
FACTS = {
    "a.0 in {1, b.0}": lambda a, b, c: a in {1, b},
    "b.0 in {1, a.0}": lambda a, b, c: b in {1, a},
    "c.0 in {1, b.0}": lambda a, b, c: c in {1, b},
    "b.0 in {a.0, c.0}": lambda a, b, c: b in {a, c},
    "b.0 in {0, 1, c.0}": lambda a, b, c: b in {0, 1, c},
    "a.0 in {1, 3}": lambda a, b, c: a in {1, 3},
    "a.0 % 2 == 0": lambda a, b, c: a % 2 == 0,
    "b.0 != 1": lambda a, b, c: b != 1,
    "2 <= c.0": lambda a, b, c: c >= 2,
    "1 <= c.0 < 3": lambda a, b, c: 1 <= c < 3,
    "a.0 == c.0": lambda a, b, c: a == c,
}


@dataclass(frozen=True)
class Value:
    """A value in one call: its size, whether it never expands, whether its type is dynamic."""

    size: int
    held: bool
    dynamic: bool


@dataclass(frozen=True)
class Add:
    """Operands by number; a strict operator or not; the size that the result declares, or None."""

    first: int
    second: int
    strict: bool
    declared: int | None


@dataclass(frozen=True)
class Program:
    """Three arguments, some of them held or named; facts; operators; a mode."""

    held: tuple[bool, ...]
    names: tuple[str, ...]
    facts: tuple[str, ...]
    adds: tuple[Add, ...]
    mode: str | None

    @staticmethod
    def of(seed):
        choose = random.Random(seed)
        adds = tuple(
            Add(
                choose.randrange(3 + i),
                choose.randrange(3 + i),
                choose.random() < 0.2,
                choose.choice([None] * 6 + [1, 2, 3]),
            )
            for i in range(choose.randint(1, 4))
        )
        return Program(
            tuple(choose.random() < 0.3 for _ in range(3)),
            tuple(choose.choice(["", "", "n"]) for _ in range(3)),
            tuple(choose.sample(sorted(FACTS), choose.choice([0, 0, 1, 1, 2, 3]))),
            adds,
            choose.choice([None, None, None, "strict"]),
        )

    def text(self):
        values = ["%a", "%b", "%c", *(f"%{i}" for i in range(len(self.adds)))]
        types = ["tensor<?xf32>"] * 3
        types += [f"tensor<{'?' if a.declared is None else a.declared}xf32>" for a in self.adds]
        arguments: list[str] = []
        for value, type_, name, held in zip(values, types, self.names, self.held, strict=False):
            attributes = f'hwc.symbols = ["{name}"]'
            attributes += ", hwc.nonexpanding = array<i64: 0>" if held else ""
            arguments.append(f"{value}: {type_} {{{attributes}}}")
        lines = [f"func.func @main({', '.join(arguments)}) -> {types[-1]} {{"]
        for i, add in enumerate(self.adds, 3):
            operands = add.first, add.second
            lines.append(
                f"  {values[i]} = tosa.add {', '.join(values[x] for x in operands)} "
                f"{{{'hwc.strict' if add.strict else ''}}} : "
                f"({', '.join(types[x] for x in operands)}) -> {types[i]}"
            )
        return "\n".join([*lines, f"  return {values[-1]} : {types[-1]}", "}", ""])

    def result(self, sizes):
        """The size of the result, or None if the call has to be refused."""
        if len({size for size, name in zip(sizes, self.names, strict=True) if name}) > 1:
            return None
        if not all(FACTS[fact](*sizes) for fact in self.facts):
            return None
        values = [Value(size, held, True) for size, held in zip(sizes, self.held, strict=True)]
        for add in self.adds:
            operands = values[add.first], values[add.second]
            size = self.common_size(operands, add.strict or self.mode == "strict")
            if size is None or add.declared not in {None, size}:
                return None
            held = any(operand.held for operand in operands)
            values.append(Value(size, held, add.declared is None))
        return values[-1].size

    @staticmethod
    def common_size(operands, strict):
        fixed = {v.size for v in operands if v.held or (strict and v.dynamic)}
        wanted = fixed or {v.size for v in operands} - {1} or {1}
        size = min(wanted)
        fits = len(wanted) == 1 and all(v.size in {1, size} for v in operands)
        return size if fits else None


def refusal_or_size(program, sizes):
    try:
        symbols = program.symbols([(size,) for size in sizes])
    except hwc.DispatchError:
        return None
    (size,) = program.outputs[0].shape
    return symbols[size] if isinstance(size, str) else size


def check(seed):
    case = Program.of(seed)
    try:
        program = hwc.compile(case.text(), "tiny", broadcast=case.mode, assume=case.facts)
    except hwc.SourceError as error:
        fitting = [sizes for sizes in SIZES if case.result(sizes) is not None]
        assert not fitting, (
            f"seed {seed}: {case}\n{case.text()}\nrefused, and {fitting} fit: {error}"
        )
        return
    for sizes in SIZES:
        found = refusal_or_size(program, sizes)
        assert found == case.result(sizes), f"{case}\n{case.text()}\nseed {seed}: at {sizes}"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part):
    for seed in range(part * 40, part * 40 + 40):
        check(seed)


@pytest.mark.long
@pytest.mark.parametrize("part", [*range(4), *breadth(range(4, 20))])
def test_many_random_programs(part):
    for seed in range(1000 + part * 500, 1500 + part * 500):
        check(seed)
