"""The package: machine code, constants and a shape program, in memory and as a `.hwx` file.

The back end builds a `Package` and the runtime runs it. This folder imports neither of them.
"""

from hwc.package.host import HostStep, Indices, Weight
from hwc.package.hwx import FORMAT_VERSION, from_bytes, load, save, to_bytes
from hwc.package.link import Dispatch, Memories
from hwc.package.machine import (
    Alternative,
    BufferRef,
    Choice,
    Item,
    Kernel,
    Line,
    MachineStep,
    Parameter,
    SymbolRef,
)
from hwc.package.model import (
    BUFFER_ALIGNMENT,
    Buffer,
    Dimension,
    Package,
    Plan,
    Step,
    Stretch,
    Tensor,
    part_name,
)
from hwc.package.shapes import ShapeProgram
from hwc.package.work import Counted, OperatorWork, Work, joined

__all__ = [
    "BUFFER_ALIGNMENT",
    "FORMAT_VERSION",
    "Alternative",
    "Buffer",
    "BufferRef",
    "Choice",
    "Counted",
    "Dimension",
    "Dispatch",
    "HostStep",
    "Indices",
    "Item",
    "Kernel",
    "Line",
    "MachineStep",
    "Memories",
    "OperatorWork",
    "Package",
    "Parameter",
    "Plan",
    "ShapeProgram",
    "Step",
    "Stretch",
    "SymbolRef",
    "Tensor",
    "Weight",
    "Work",
    "from_bytes",
    "joined",
    "load",
    "part_name",
    "save",
    "to_bytes",
]
