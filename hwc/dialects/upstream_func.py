"""Upstream's `func` dialect without calls: a program is one function."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Dialect

Func = Dialect("func", [func.FuncOp, func.ReturnOp])
"""The operations that a program may have; the parser refuses the others."""
