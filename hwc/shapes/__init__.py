"""Arithmetic of symbolic sizes: what is equal, what a broadcast gives, what a view shows; no IR."""

from __future__ import annotations

from hwc.shapes.products import Product, Size
from hwc.shapes.symbols import SizeConflict, SymbolTable, strip_ones
from hwc.shapes.views import View

__all__ = ["Product", "Size", "SizeConflict", "SymbolTable", "View", "strip_ones"]
