"""The front door for ONNX models: element-wise regions for the machine, the rest for the host.

`hwc.onnx.InferenceSession` replaces ONNX Runtime's in an application; names that hwc does not
define come from ONNX Runtime.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hwc.runtime.session import InferenceSession

__all__ = ["InferenceSession"]


def __getattr__(name: str) -> Any:
    """Import the runtime on first use: the compiler does not need it.

    Other names, such as `SessionOptions`, come from `onnxruntime`.
    """
    if name == "InferenceSession":
        from hwc.runtime.session import InferenceSession  # noqa: PLC0415 - as above

        return InferenceSession
    # `from hwc.onnx import graph` asks for the name before it imports the module.
    own = name.startswith("_") or find_spec(f"{__name__}.{name}") is not None
    try:
        if not own:
            return getattr(importlib.import_module("onnxruntime"), name)
    except (ImportError, AttributeError):
        pass
    raise AttributeError(f"module 'hwc.onnx' has no attribute {name!r}")
