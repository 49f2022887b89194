"""The instruction set as data, and what follows from it directly.

- `load()` is the instruction set (`Isa`): `instructions`, `units`, `types`, `faults`, `counters`,
  `formats`, `operands` by name, `timing` with the constants of the timing contract as attributes
  (`load().timing.landing_ready`), `limits` in the same way, `version`. The YAML files beside this
  module are read once.
- `encode(name, **fields)` is a word, `decode(word)` a `Decoded(name, fields)` or a DecodeError.
- `V(n)`, `S(n)`, `O(n)` and `IMM` are operand codes; `operand_text(code)` writes one.
- `isa.asm.assemble(text)` and `isa.disasm.disassemble(words)` are each other's inverse.
- `isa.target.load_target(path or name)` is a checked `Target`.
- `isa.gen` has the texts of the manual and of the SystemVerilog package.

This package imports nothing else of the project.
"""

from isa.encode import Decoded, decode, encode
from isa.load import load
from isa.model import Instruction, Isa
from isa.operands import O, S, T, V, operand_text

IMM: int

__all__ = [
    "IMM",
    "Decoded",
    "Instruction",
    "Isa",
    "O",
    "S",
    "T",
    "V",
    "decode",
    "encode",
    "load",
    "operand_text",
]


def __getattr__(name: str) -> int:
    """`IMM`, the code of the immediate: read when first asked for, not at import."""
    if name != "IMM":
        raise AttributeError(f"module 'isa' has no attribute '{name}'")
    value = load().operands["immediate"].first
    globals()["IMM"] = value
    return value
