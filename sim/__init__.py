"""The simulator: golden semantics, functional execution and the timing model.

`sim.semantics` defines every vector instruction in NumPy, `sim.machine` executes whole programs on
a memory, and `sim.timing` counts cycles without ever touching a value. From this repository, the
package imports only `isa`.
"""
