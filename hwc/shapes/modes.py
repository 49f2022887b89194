"""The broadcasting rules that a program can choose; the first of each list is the default."""

from __future__ import annotations

BROADCAST_MODES = ("numpy", "strict")
"""Whether dynamic dimensions of size 1 expand, or none of them does."""

TOSA_VERSIONS = ("1.0",)
"""The versions of TOSA to which a program can be required to conform."""

RANK_MODES = ("pad", "equal")
"""Whether operands of lower rank are padded with 1 on the left, or are refused."""
