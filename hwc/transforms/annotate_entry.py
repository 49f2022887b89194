"""Gives functions the attributes that are set on the command line instead of in the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from hwc.dialects.attributes import ASSUME, BROADCAST, CONFORM, RANKS


@dataclass(frozen=True)
class AnnotateEntry(ModulePass):
    """Set `hwc.broadcast`, `hwc.ranks` and `hwc.conform`, and add to `hwc.assume`, everywhere."""

    name = "annotate-entry"
    checks_input: ClassVar[bool] = True

    broadcast: str | None = None
    ranks: str | None = None
    assume: tuple[str, ...] = ()
    conform: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set the attributes; `verify-tosa` checks them."""
        for function in op.walk():
            if isinstance(function, FuncOp):
                said = {BROADCAST: self.broadcast, RANKS: self.ranks, CONFORM: self.conform}
                for name, mode in said.items():
                    if mode is not None:
                        function.attributes[name] = StringAttr(mode)
                if self.assume:
                    function.attributes[ASSUME] = self._facts(function.attributes.get(ASSUME))

    def _facts(self, written: Attribute | None) -> ArrayAttr[Attribute]:
        facts = written.data if isinstance(written, ArrayAttr) else ()
        return ArrayAttr([*facts, *(StringAttr(fact) for fact in self.assume)])
