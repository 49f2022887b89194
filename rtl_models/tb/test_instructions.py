"""Every instruction of the instruction set is in a unit bench, none in the wrong one."""

from __future__ import annotations

from pathlib import Path

import isa
from isa.errors import DecodeError
from isa.target import load_target
from rtl_models.tb.bench import LEAST
from rtl_models.tb.program_cases import Programs
from rtl_models.tb.unit_bench import MODULES, instructions

DRAWN = 500


def test_every_vector_instruction() -> None:
    """Each has a unit with a bench; `unit_bench.check` refuses operands that leave one out.

    What those of the table read was written by another kernel: the vector pipe's bench plays them.
    """
    played = [i.name for unit in MODULES.values() for i in instructions(unit)]
    played += [i.name for i in isa.load().instructions.values() if i.unit == "tab"]
    assert sorted(played) == sorted(i.name for i in isa.load().instructions.values() if i.unit)
    for module in MODULES:
        bench = Path(__file__).with_name(f"test_{module}.py")
        assert f'build("{module}")' in bench.read_text(encoding="utf-8")


def test_every_instruction_in_programs() -> None:
    """The sequencer's and the decoder's bench meet each, those without a unit included."""
    programs = Programs(load_target(LEAST), 1)
    met: set[str] = set()
    for _ in range(DRAWN):
        for word in programs.pick().words:
            try:
                met.add(isa.decode(word).name)
            except DecodeError:
                continue
    assert met == set(isa.load().instructions)
