"""The `tosa` dialect of models: also has operators that only an engine on the host computes.

Only the syntax of the host's operators is known: the syntax that all operators of the dialect have.
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
