"""Computes operations on constants at compile time, with the machine's own semantics."""
