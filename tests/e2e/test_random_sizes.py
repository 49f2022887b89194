"""Random arithmetic of sizes: dynamic and static programs agree with Python, or both refuse."""

from __future__ import annotations

import random
from math import prod

import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError, SourceError


def _natural(*values):
    if min(values) < 0:
        raise ArithmeticError
    return values


def _signed(name, quotient):
    def function(a, b):
        exact = quotient(a, b)
        return a - b * exact if name.startswith("rem") else exact

    return function


OPERATIONS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _signed("div", lambda a, b: int(np.trunc(a / b)) if b else a // b),
    "remsi": _signed("rem", lambda a, b: int(np.trunc(a / b)) if b else a // b),
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "divui": lambda a, b: a // b if _natural(a, b) else 0,
    "ceildivui": lambda a, b: -(-a // b) if _natural(a, b) else 0,
    "remui": lambda a, b: a % b if _natural(a, b) else 0,
    "maxsi": max,
    "minsi": min,
    "maxui": lambda a, b: max(_natural(a, b)),
    "minui": lambda a, b: min(_natural(a, b)),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
}
COMPARISONS = {
    "slt": lambda a, b: a < b,
    "sge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
NUMBERS = (-2, 0, 1, 2, 3)
SIZES = (0, 1, 2, 3, 4, 6)


def _generate(rng):
    """Return the lines of a program and a function from %n and %d to the values that it uses."""
    names = ["n", "d", *(f"c{i}" for i in range(len(NUMBERS)))]
    lines = [f"%c{i} = arith.constant {value} : index" for i, value in enumerate(NUMBERS)]
    steps = []
    for number in range(rng.randint(1, 6)):
        a, b, c, d = (rng.choice(names) for _ in range(4))
        name = f"v{number}"
        if rng.random() < 0.2:  # noqa: PLR2004 - one in five
            kind = rng.choice(list(COMPARISONS))
            lines += [
                f"%b{number} = arith.cmpi {kind}, %{a}, %{b} : index",
                f"%{name} = arith.select %b{number}, %{c}, %{d} : index",
            ]
        else:
            kind = rng.choice(list(OPERATIONS))
            lines.append(f"%{name} = arith.{kind} %{a}, %{b} : index")
        steps.append((name, kind, (a, b, c, d)))
        names += [name] * 3
    used = rng.choice(steps)[0]
    return lines, steps, used


def _expected(steps, used, n, d):
    """Return the value `used`, working out only what it needs; None if it has none."""
    by_name = {name: (kind, operands) for name, kind, operands in steps}

    def value(name):
        if name in "nd":
            return {"n": n, "d": d}[name]
        if name not in by_name:
            return NUMBERS[int(name[1:])]
        kind, operands = by_name[name]
        if kind in COMPARISONS:
            a, b, c, d_ = map(value, operands)
            return c if COMPARISONS[kind](a, b) else d_
        return OPERATIONS[kind](*map(value, operands[:2]))

    try:
        found = value(used)
        other = n * d // found
    except ArithmeticError:
        return None
    return (found, other) if found > 0 and found * other == n * d else None


def _text(lines, used, shape):
    body = "\n".join(f"  {line}" for line in lines)
    type_ = f"tensor<{shape}xf32>"
    return f"""\
func.func @main(%x: {type_}) -> tensor<?x?xf32> {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %zero : {type_}
  %d = tensor.dim %x, %one : {type_}
  %points = arith.muli %n, %d : index
{body}
  %other = arith.divui %points, %{used} : index
  %s = tensor.from_elements %{used}, %other : tensor<2xindex>
  %r = tensor.reshape %x(%s) : ({type_}, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}}
"""


@pytest.mark.parametrize("seed", range(40))
def test_dynamic_static_and_python_agree(seed):
    rng = random.Random(seed)
    lines, steps, used = _generate(rng)
    try:
        program = hwc.compile(_text(lines, used, "?x?"), "tiny")
    except SourceError:  # the sizes do not depend on the argument's
        assert all(_expected(steps, used, n, d) is None for n in SIZES for d in SIZES)
        return
    for _ in range(6):
        sizes = rng.choice(SIZES), rng.choice(SIZES)
        expected = _expected(steps, used, *sizes)
        x = np.arange(prod(sizes), dtype=np.float32).reshape(sizes)
        static = _text(lines, used, "x".join(map(str, sizes)))
        if expected is None:
            with pytest.raises(DispatchError):
                program(x)
            with pytest.raises(SourceError):
                hwc.compile(static, "tiny")
            continue
        for result in (program(x), hwc.compile(static, "tiny")(x)):
            np.testing.assert_array_equal(result.outputs[0], x.reshape(expected), strict=True)
