"""Random programs for the sequencer's bench, and what the simulator's sequencer makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import isa
from isa.dispatch import Fault
from isa.load import load
from isa.operands import O, S, T, V, immediate_code
from isa.target import Target
from rtl_models.tb.body_rules import BodyRules
from rtl_models.tb.shape_cases import PAGE, Case, Cases
from sim import timing
from sim.decode import Program, advance
from sim.kernel import Kernel

WORD_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Dispatch:
    """Words of a program and of its packet, and the window."""

    words: tuple[int, ...]
    packet: tuple[int, ...]
    window: tuple[int, int]


@dataclass(frozen=True)
class Expected:
    """Where a run ends: its fault, if there is one, and its cycles.

    `kernels` are the kernels handed to the engines, each with the cycle in which it starts.
    """

    fault: Fault | None
    cycles: int
    kernels: tuple[tuple[int, Kernel], ...]


def expected(
    target: Target, dispatch: Dispatch, addresses: tuple[int, int], lengths: Sequence[int] = (1,)
) -> Expected:
    """Run a dispatch on the simulator's sequencer with engines that need no time but to store.

    `addresses` are the addresses of program and packet, `lengths` the cycles from the start of the
    store to the end of one kernel after another; the last is for all further ones.
    """
    sizes = (len(dispatch.words), len(dispatch.packet))
    cycles = timing.load_cycles(target, tuple(zip(addresses, sizes, strict=True)))
    if dispatch.packet[:1] != (load().version,):
        return Expected(Fault("bad_version", 0), cycles, ())
    program = Program(target, dispatch.words, dispatch.packet[1:], dispatch.window)
    kernels: list[tuple[int, Kernel]] = []
    last: timing.AtWork | None = None
    pc = 0
    while True:
        part = advance(program, pc)
        cycles += timing.word_cycles(part.words)
        if part.decoded:
            cycles += timing.setup_cycles(target, part.decoded, part.inputs, part.outputs)
        if part.kernel is None:
            return Expected(part.fault, max(cycles, last.end if last else 0), tuple(kernels))
        if part.kernel.points:
            cycles, starts = timing.take_over(last, cycles, part.kernel)
            store = cycles + starts.store
            last = timing.AtWork(
                part.kernel.outputs,
                pipe=cycles + starts.pipe,
                fetched=cycles,
                landed=cycles,
                stored=store - 1,
                end=store + lengths[min(len(kernels), len(lengths) - 1)],
                before=last.end if last else 0,
            )
            kernels.append((cycles, part.kernel))
        pc = part.next_pc


class Programs:
    """Random dispatches of a target: half are legal, the others are changed in one or two words."""

    def __init__(self, target: Target, seed: int) -> None:
        self.target = target
        self.random = Random(seed)
        self._shapes = Cases(target, seed)
        self._vector = [i for i in load().instructions.values() if not i.is_control]

    def pick(self) -> Dispatch:
        """Draw a dispatch."""
        random = self.random
        packet = [load().version]
        window = (0, WORD_MASK - PAGE + 1)
        words: list[int] = []
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            case = self._shapes.pick()
            if random.random() < 0.3:
                window = case.window
            copies = random.choice((1, 2, 4))
            loop = isa.encode("loop", copies=copies)
            kernel = [*self._configure(case, packet), loop, *self._body(case, copies)]
            if len(words) + len(kernel) < self.target.instruction_words - 8:
                words += kernel
        words.append(isa.encode("halt"))
        del packet[self.target.parameter_words :]
        for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
            self._spoil(words, packet)
        return Dispatch(tuple(words), tuple(packet), window)

    def _configure(self, case: Case, packet: list[int]) -> Iterator[int]:
        """Bases and sizes, in any order across streams; the packet grows."""
        random = self.random
        queues = [self._stream(case, code, packet) for code in case.streams]
        while queues:
            queue = random.choice(queues)
            yield queue.pop(0)
            if not queue:
                queues.remove(queue)

    def _stream(self, case: Case, code: int, packet: list[int]) -> list[int]:
        random = self.random
        type_, address, sizes = case.streams[code]
        offset = random.choice((0, 0, 64, 4096, (1 << 32) - 64))
        if offset > address or address - offset > WORD_MASK:
            offset = min(address, 64)
        fields = {"rank": len(sizes), "param": len(packet) - 1, "offset": offset}
        packet.append((address - offset) & WORD_MASK)
        words = [isa.encode("base", stream=code, type=type_.code, **fields)]
        dims = []
        for dim, size in enumerate(sizes):
            named = random.random() < 0.5
            value = size
            if named and size in packet[1:] and random.random() < 0.5:
                value = packet.index(size, 1) - 1
            elif named:
                value = len(packet) - 1
                packet.append(size)
            fields = {"stream": code, "dim": dim, "from_param": int(named), "value": value}
            dims.append(isa.encode("size", **fields))
        random.shuffle(dims)
        return words + dims

    def _body(self, case: Case, copies: int) -> Iterator[int]:
        """Vector instructions that read what there is and write every output once, and `end`."""
        random = self.random
        inputs = [code for code in case.streams if code < O(0)]
        outputs = [code for code in case.streams if code >= O(0)]
        rules = BodyRules(self.target, copies)
        plan = [None] * random.choice((0, 0, 1, 2, 5, 12)) + outputs
        random.shuffle(plan)
        for output in plan:
            fitting = [i for i in self._vector if rules.fits(i, output=output is not None)]
            if not fitting:
                continue
            instruction = random.choice(fitting)
            known = [*inputs, *rules.written, immediate_code()]
            fields = {name: random.choice(known) for name in instruction.operands}
            sources = list(fields.values())
            registers = rules.registers(instruction)
            fields["dst"] = random.choice(registers) if output is None else output
            if immediate_code() in sources:
                fields["imm"] = random.getrandbits(32)
            yield isa.encode(instruction.name, **fields)
            rules.add(instruction, sources, fields["dst"])
        yield isa.encode("end")

    def _spoil(self, words: list[int], packet: list[int]) -> None:
        """Change one word of a program or of its packet."""
        random = self.random
        at = random.randrange(len(words)) if words else 0
        kind = random.random()
        if not words or kind < 0.1:
            words.insert(at, self._word())
        elif kind < 0.25:
            words[at] ^= 1 << random.randrange(64)
        elif kind < 0.4:
            words[at] ^= 1 << random.randrange(18)
        elif kind < 0.5:
            del words[at]
        elif kind < 0.6:
            words.insert(at, words[random.randrange(len(words))])
        elif kind < 0.7:
            words[at] = self._word()
        elif kind < 0.75:
            del words[at:]
        elif kind < 0.85 and packet:
            del packet[random.randrange(len(packet)) :]
        elif kind < 0.95 and packet:
            big = random.choice((1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, (1 << 31) - 1))
            packet[random.randrange(len(packet))] = big
        else:
            other = random.randrange(len(words))
            words[at], words[other] = words[other], words[at]

    def _word(self) -> int:
        """Draw a word: anything, a control instruction, or one with operands that may not exist."""
        random = self.random
        kind = random.random()
        if kind < 0.2:
            return random.getrandbits(64)
        if kind < 0.6:
            return isa.encode(random.choice(("halt", "loop", "end")))
        if kind < 0.7:
            return isa.encode("exp.f32", dst=T(random.randrange(8)), a=S(random.randrange(8)))
        if kind < 0.8:
            register = random.randrange(32)
            return isa.encode("mov", dst=V(register), a=S(random.randrange(8)))
        return isa.encode("mov", dst=O(random.randrange(8)), a=V(random.randrange(32)))
