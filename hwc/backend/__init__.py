"""From kernels to machine code: selection, scheduling, registers, encoding, the package."""
