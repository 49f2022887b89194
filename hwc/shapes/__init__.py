"""Arithmetic of symbolic sizes: what is equal, what a broadcast gives; no IR here."""

from __future__ import annotations

from hwc.shapes.symbols import Size, SizeConflict, SymbolTable, strip_ones

__all__ = ["Size", "SizeConflict", "SymbolTable", "strip_ones"]
