"""Turns kernels into machine code: selection, scheduling, registers, encoding, the package."""
