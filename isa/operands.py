"""Operand codes of registers, streams and the immediate."""

from __future__ import annotations

from functools import cache

from isa.load import load


def V(n: int) -> int:  # noqa: N802 - named as the manual writes operands
    """Code of vector register `n`."""
    return _code("vector", n)


def T(n: int) -> int:  # noqa: N802
    """Code of result register `n`."""
    return _code("result", n)


def S(n: int) -> int:  # noqa: N802
    """Code of input stream `n`."""
    return _code("input", n)


def O(n: int) -> int:  # noqa: N802, E743
    """Code of output stream `n`."""
    return _code("output", n)


def immediate_code() -> int:
    """Code of the word's 32-bit immediate (`isa.IMM`)."""
    return load().operands["immediate"].first


def operand_text(code: int) -> str:
    """How a legal operand code is written: `v3`, `t1`, `s0`, `o1`, and `#` without the value."""
    cls = load().operand_class(code)
    assert cls is not None, f"illegal operand code {code}"
    return cls.text if cls.count == 1 else f"{cls.text}{code - cls.first}"


@cache
def operand_codes() -> dict[str, int]:
    """The code of every register and stream by its text (`v3`, `t1`, `s0`, `o1`)."""
    classes = [cls for cls in load().operands.values() if cls.count > 1]
    return {operand_text(c): c for k in classes for c in range(k.first, k.first + k.count)}


def _code(name: str, n: int) -> int:
    cls = load().operands[name]
    assert 0 <= n < cls.count, f"no {cls.meaning} {n}"
    return cls.first + n
