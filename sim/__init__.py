"""The simulator: golden semantics, functional execution and the timing model.

`sim.semantics` gives every vector instruction its one meaning in NumPy, `sim.machine` executes
whole programs on a memory, and `sim.timing` counts cycles without ever touching a value. The room
imports `isa` and nothing else of this repository.
"""
