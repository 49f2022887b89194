"""The `tosa` dialect of models: operators that only an engine on the host computes, and the others.

Nothing is known of the former but their syntax, which is that of all operators of the dialect.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from hwc.dialects.tosa import CLASSES, Tosa
from hwc.dialects.tosa_operation import ResizeModeAttr, TosaOperation
from hwc.frontend.unsupported import FOR_A_HOST


def _host_class(name: str) -> type[TosaOperation]:
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Op"
    members = {"name": f"tosa.{name}", "__doc__": f"`tosa.{name}`, for an engine on the host."}
    return type(class_name, (TosaOperation,), members)


HOST_CLASSES = {name: _host_class(name) for name in sorted(FOR_A_HOST)}
"""The class of each operator that the machine does not compute."""

TosaOfModels = Dialect(
    "tosa",
    [*CLASSES.values(), *HOST_CLASSES.values()],
    [*Tosa.attributes, ResizeModeAttr],
)
