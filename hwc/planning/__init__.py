"""Planning on plain values and sizes, without IR: fusion, order of instructions, registers."""
