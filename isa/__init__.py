"""The instruction set as data, and the functions that follow directly from the data.

- `load()` is the instruction set (`Isa`): `instructions`, `units`, `types`, `faults`, `counters`,
  `formats`, `operands` by name, `timing` with the constants of the timing contract as attributes
  (`load().timing.landing_ready`), `limits` in the same way, `version`. The YAML files next to this
  module are read once.
- `encode(name, **fields)` is a word, `decode(word)` a `Decoded(name, fields)` or a DecodeError.
- `V(n)`, `S(n)`, `O(n)` and `IMM` are operand codes; `operand_text(code)` writes one.
- `isa.asm.assemble(text)` and `isa.disasm.disassemble(words)` are inverses of each other.
- `isa.target.load_target(path or name)` is a checked `Target`.
- `isa.gen` has the texts of the manual and of the SystemVerilog package.

This package imports nothing else from the project.
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
    """`IMM`, the code of the immediate: read on first use, not at import."""
    if name != "IMM":
        raise AttributeError(f"module 'isa' has no attribute '{name}'")
    value = load().operands["immediate"].first
    globals()["IMM"] = value
    return value
