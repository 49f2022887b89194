"""The dialects, one per file, and the context that holds them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Dialect

DIALECTS = {
    "arith": "hwc.dialects.upstream_arith:Arith",
    "builtin": "xdsl.dialects.builtin:Builtin",
    "func": "hwc.dialects.upstream_func:Func",
    "hwc": "hwc.dialects.hwc:Hwc",
    "kernel": "hwc.dialects.kernel:Kernel",
    "linalg": "hwc.dialects.upstream_linalg:Linalg",
    "math": "hwc.dialects.upstream_math:Math",
    "scf": "xdsl.dialects.scf:Scf",
    "strip": "hwc.dialects.strip:Strip",
    "tensor": "hwc.dialects.upstream_tensor:Tensor",
    "tosa": "hwc.dialects.tosa:Tosa",
}
"""Every dialect by name: `module:object`, imported on first use."""

SOURCE_DIALECTS = ("arith", "builtin", "func", "linalg", "math", "tensor", "tosa")
"""The dialects that a source program may use."""

TEXT_DIALECTS = (*SOURCE_DIALECTS, "hwc", "kernel", "strip")
"""The dialects of the text that the compiler reads: a source, or the printed text of a later stage.
"""


def _importer(path: str) -> Callable[[], Dialect]:
    module, _, name = path.partition(":")
    return lambda: getattr(import_module(module), name)


def make_context(names: tuple[str, ...] = tuple(DIALECTS)) -> Context:
    """Return a context with the dialects `names`; each dialect is imported on first use."""
    from xdsl.context import Context  # noqa: PLC0415  (importing hwc must stay cheap)

    context = Context()
    for name in names:
        context.register_dialect(name, _importer(DIALECTS[name]))
    return context


def make_model_context() -> Context:
    """Return a context for a model: a program of `tosa` that may have operators for the host."""
    context = make_context(tuple(name for name in SOURCE_DIALECTS if name != "tosa"))
    context.register_dialect("tosa", _importer("hwc.dialects.tosa_host:TosaOfModels"))
    return context
