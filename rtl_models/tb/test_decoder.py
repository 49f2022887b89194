"""Bench of `decoder`: words of all kinds against the decoder of the package isa."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

import isa
from isa.errors import DecodeError
from isa.load import load
from isa.model import Field, Instruction
from isa.target import Target, load_target
from rtl_models.tb.bench import build, targets

SEED = 31
WORDS = 120_000


def expected(target: Target, word: int) -> str | None:
    """Name of the word's fault, if it has one."""
    try:
        decoded = isa.decode(word)
    except DecodeError as e:
        return e.fault
    counts = {
        "vector": target.vector_registers,
        "input": target.input_streams,
        "output": target.output_streams,
    }
    for name in ("stream", "dst", *decoded.instruction.operands):
        cls = load().operand_class(decoded.fields.get(name, 0))
        assert cls is not None
        if decoded.fields.get(name, 0) - cls.first >= counts.get(cls.name, cls.count):
            return "illegal_operand"
    return None


class Words:
    """Random words: legal ones, legal ones with a bit or a field changed, and any bits."""

    def __init__(self, target: Target, seed: int) -> None:
        self._target = target
        self._random = Random(seed)
        self._instructions = list(load().instructions.values())

    def pick(self) -> int:
        """Draw a word."""
        random = self._random
        kind = random.random()
        if kind < 0.1:
            return random.getrandbits(64)
        instruction = random.choice(self._instructions)
        if kind < 0.15:
            return random.getrandbits(64) & ~0xFF | instruction.opcode
        word = self._legal(instruction)
        if kind < 0.4:
            word ^= 1 << random.randrange(64)
        elif kind < 0.6:
            fields = load().formats[instruction.format].fields
            field = random.choice(fields)
            word = word & ~field.mask | random.getrandbits(field.width) << field.low
        return word

    def _legal(self, instruction: Instruction) -> int:
        """Draw a word that the instruction set allows; the target may lack its operands."""
        word = instruction.opcode
        fields = {f.name: f for f in load().formats[instruction.format].fields}
        immediate = False
        for name, field in fields.items():
            if name in ("opcode", "imm"):
                continue
            if name in "abc" and name not in instruction.operands:
                continue
            value = self._value(field)
            immediate |= name in "abc" and value == isa.IMM
            word |= value << field.low
        if immediate:
            word |= self._random.getrandbits(32) << fields["imm"].low
        return word

    def _value(self, field: Field) -> int:
        random = self._random
        classes = load().kinds[field.kind].operands
        if classes:
            cls = load().operands[random.choice(classes)]
            return cls.first + random.randrange(cls.count)
        if field.kind == "type":
            return random.choice(list(load().types_by_code))
        if field.kind == "rank":
            return random.randint(0, load().limits.rank_max)
        return random.getrandbits(field.width)


@pytest.mark.parametrize("name", targets("tiny"))
def test_decoder(name: str, tmp_path: Path) -> None:
    """Every opcode in every format, each with and without a fault."""
    target = load_target(name)
    bench = build("decoder_bench", name)
    draw = Words(target, SEED)
    words = [draw.pick() for _ in range(WORDS)]
    faults = [expected(target, word) for word in words]
    found = Counter(faults)
    assert min(found[name] for name in (None, "illegal_instruction", "illegal_operand")) > 1000
    rows = np.zeros((len(words), 3), dtype=np.uint32)
    values = np.array(words, dtype=np.uint64)
    rows[:, 0] = values >> np.uint64(32)
    rows[:, 1] = values & np.uint64(0xFFFFFFFF)
    rows[:, 2] = [load().faults[name].code if name else 0 for name in faults]
    path = tmp_path / "words.bin"
    rows.astype(">u4").tofile(path)
    bench.run(
        "decoder_testbench",
        SEED,
        tmp_path,
        plusargs=[f"+vectors={path}"],
        environment={"BENCH_WORDS": str(len(words))},
    )
