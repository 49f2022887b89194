"""What operations on constants compute, with the machine's own semantics, at compile time."""
