"""The front door for ONNX models: element-wise regions for the machine, the rest for the host.

`hwc.onnx.InferenceSession` takes the place of ONNX Runtime's in an application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hwc.runtime.session import InferenceSession

__all__ = ["InferenceSession"]


def __getattr__(name: str) -> Any:
    """Import the runtime when it is first used: the compiler needs none."""
    if name == "InferenceSession":
        from hwc.runtime.session import InferenceSession  # noqa: PLC0415 - as above

        return InferenceSession
    raise AttributeError(f"module 'hwc.onnx' has no attribute {name!r}")
