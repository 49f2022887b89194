"""Arithmetic on symbolic sizes, without IR: equality, broadcasts and views."""

from __future__ import annotations

from hwc.shapes.products import Product, Size
from hwc.shapes.symbols import SizeConflict, SymbolTable, strip_ones
from hwc.shapes.views import View

__all__ = ["Product", "Size", "SizeConflict", "SymbolTable", "View", "strip_ones"]
