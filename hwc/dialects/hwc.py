"""The `hwc` dialect: views of tensors, and the scalar operations that upstream MLIR lacks."""

from __future__ import annotations

from xdsl.ir import Dialect

from hwc.dialects import index_operations, scalars, views

Hwc = Dialect("hwc", [*views.OPERATIONS, *scalars.OPERATIONS, *index_operations.OPERATIONS])
