"""Keeps the one function that is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from hwc.frontend.diagnostics import error_at
from hwc.frontend.functions import check_function

DEFAULT_ENTRY = "main"


@dataclass(frozen=True)
class SelectEntry(ModulePass):
    """Remove every function but the entry: `entry`, else `main`, else the only one with a body."""

    name = "select-entry"
    checks_input: ClassVar[bool] = True

    entry: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Remove the other functions; put the entry at the top level."""
        functions = [f for f in op.walk() if isinstance(f, FuncOp)]
        for function in functions:
            check_function(function)
        chosen = self._choose(op, functions)
        for function in functions:
            if function is not chosen and function.parent is not None:
                function.detach()
                function.erase()

    def _choose(self, module: ModuleOp, functions: list[FuncOp]) -> FuncOp:
        defined = [f for f in functions if not f.is_declaration]
        if not defined:
            raise error_at(
                module, "there is no function to compile", "write func.func @main(...) {...}"
            )
        names = [f.sym_name.data for f in defined]
        wanted = self.entry or (DEFAULT_ENTRY if len(defined) > 1 else names[0])
        matching = [f for f in defined if f.sym_name.data == wanted]
        if not matching:
            listed = ", ".join(f"@{name}" for name in names)
            raise error_at(
                defined[0],
                f"there is no function @{wanted} to compile; there are {listed}",
                "choose one with --entry NAME, or entry= in Python",
            )
        if len(matching) > 1:
            raise error_at(matching[1], f"function @{wanted} is defined twice", "rename one")
        return matching[0]
