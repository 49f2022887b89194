"""The rules of broadcasting that a whole program can choose; the first of each is the default."""

from __future__ import annotations

BROADCAST_MODES = ("numpy", "strict")
"""Whether a dynamic dimension of size 1 expands, or none does."""

TOSA_VERSIONS = ("1.0",)
"""The versions of TOSA that a program can be held to."""

RANK_MODES = ("pad", "equal")
"""Whether operands of lower rank are padded with 1 on the left, or are refused."""
