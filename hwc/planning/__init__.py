"""Planning on plain values and sizes, without IR: fusion, instruction order, registers."""
