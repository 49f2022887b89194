"""From kernels to machine code: instruction selection, scheduling, registers, encoding, the package."""
