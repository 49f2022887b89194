"""hwc: compile tensor programs once and run them with any shapes that fit.

program = hwc.compile("model.mlir", "accel")     # or hwc.load("model.hwx")
result = program(a, b)
result.outputs, result.cycles, result.counters, result.kernels
program.time(a.shape, b.shape).cycles            # the same cycles, without arrays
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hwc.errors import (
    CompileError,
    DispatchError,
    MachineError,
    PackageError,
    SourceError,
    TargetError,
    UserError,
)

if TYPE_CHECKING:
    from hwc.reports.api import report
    from hwc.runtime import Program, Result, Timing, compile, load
    from hwc.sweeps.api import sweep

__version__ = "0.1.0"

__all__ = [
    "CompileError",
    "DispatchError",
    "MachineError",
    "PackageError",
    "Program",
    "Result",
    "SourceError",
    "TargetError",
    "Timing",
    "UserError",
    "__version__",
    "compile",
    "load",
    "report",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Import the runtime on first use: passes and package readers do not need it."""
    if name in {"Program", "Result", "Timing", "compile", "load"}:
        import hwc.runtime  # noqa: PLC0415

        return getattr(hwc.runtime, name)
    if name == "report":
        from hwc.reports.api import report  # noqa: PLC0415

        return report
    if name == "sweep":
        from hwc.sweeps.api import sweep  # noqa: PLC0415

        return sweep
    raise AttributeError(f"module 'hwc' has no attribute {name!r}")
