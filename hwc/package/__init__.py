"""The package: machine code, constants and a shape program, in memory and as a `.hwx` file.

The back end builds a `Package`, the runtime runs it; this room imports neither.
"""

from hwc.package.dispatch import BufferRef, Dispatch, SymbolRef
from hwc.package.hwx import FORMAT_VERSION, load, save, to_bytes
from hwc.package.model import BUFFER_ALIGNMENT, Buffer, Dimension, Package, Step, Tensor
from hwc.package.shapes import ShapeProgram

__all__ = [
    "BUFFER_ALIGNMENT",
    "FORMAT_VERSION",
    "Buffer",
    "BufferRef",
    "Dimension",
    "Dispatch",
    "Package",
    "ShapeProgram",
    "Step",
    "SymbolRef",
    "Tensor",
    "load",
    "save",
    "to_bytes",
]
