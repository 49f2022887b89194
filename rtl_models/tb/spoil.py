"""Spoils drawn dispatches: aimed at one fault of the machine, or changed in one random word."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import isa
from isa.encode import Decoded, decode
from isa.errors import DecodeError
from isa.load import load
from isa.operands import O, S, T, V, immediate_code
from isa.target import Target
from rtl_models.tb.body_rules import register, special

AIM_WEIGHTS = {
    "illegal_instruction": 2,
    "illegal_operand": 3,
    "bad_structure": 4,
    "bad_parameter": 2,
    "bad_dimension": 2,
    "shape_mismatch": 5,
    "output_shape": 3,
    "misaligned": 2,
    "out_of_window": 4,
    "too_many_points": 2,
    "overlap": 4,
    "program_too_large": 1,
    "packet_too_large": 1,
    "bad_version": 1,
    "largest_program": 1,
    "largest_packet": 1,
}
"""How often each fault is aimed at, and what just fits. What is hit may be another, or none."""

SCHEDULE = [name for name, weight in AIM_WEIGHTS.items() for _ in range(weight)]
Random(1).shuffle(SCHEDULE)


def aim(at: str, words: list[int], packet: list[int], target: Target, random: Random) -> None:
    """Change program or packet as one of `AIM_WEIGHTS` says."""
    _AIMS[at](words, packet, target, random)


def _decoded(words: list[int], *names: str) -> list[tuple[int, Decoded]]:
    found: list[tuple[int, Decoded]] = []
    for at, word in enumerate(words):
        try:
            entry = decode(word)
        except DecodeError:
            continue
        if entry.name in names:
            found.append((at, entry))
    return found


def _change(words: list[int], at: int, **fields: int) -> None:
    """Replace fields of a word, which stays what it is."""
    entry = decode(words[at])
    words[at] = isa.encode(entry.name, **{**entry.fields, **fields})


def _sizes(words: list[int], output: bool) -> list[tuple[int, Decoded]]:
    found = _decoded(words, "size")
    return [(at, e) for at, e in found if (e.fields["stream"] >= O(0)) == output]


def _grow(words: list[int], packet: list[int], random: Random, output: bool) -> None:
    """Give one dimension of one stream another size."""
    found = _sizes(words, output)
    if found:
        at, entry = random.choice(found)
        value = entry.fields["value"]
        value = packet[value + 1] if entry.fields["from_param"] else value
        more = value + random.choice((1, 1, 2, 7))
        _change(words, at, from_param=0, value=more if more != 1 else 3)


def _illegal_instruction(words: list[int], _p: list[int], _t: Target, random: Random) -> None:
    at = random.randrange(len(words))
    unknown = [code for code in range(256) if code not in load().by_opcode]
    if random.random() < 0.5:
        words[at] = words[at] & ~0xFF | random.choice(unknown)
    else:
        words[random.choice(_decoded(words, "loop", "end", "halt"))[0]] |= 1 << random.randrange(
            8, 64
        )


def _illegal_operand(words: list[int], _p: list[int], target: Target, random: Random) -> None:
    at, _ = random.choice(_decoded(words, "base"))
    kind = random.randrange(6)
    if kind == 0:
        words[at] |= 0xF << 14  # element type
    elif kind == 1:
        words[at] |= 7 << 18  # rank
    elif kind == 2:
        words[at] |= 0x3F << 8  # stream
    elif kind == 3:
        at, _ = random.choice(_decoded(words, "loop"))
        copies = load().formats["loop"].field("copies")
        words[at] = words[at] & ~copies.mask | random.choice((0, 3, 5, 6, 7)) << copies.low
    elif kind == 4:
        found = _registers_written(words)
        if found:
            at, entry = random.choice(found)
            other = V(0) if special(entry.instruction) else T(0)
            dst = load().formats["vector"].field("dst")
            words[at] = words[at] & ~dst.mask | other << dst.low
    elif target.input_streams < load().operands["input"].count:
        _change(words, at, stream=S(target.input_streams))
    else:
        _change(words, at, stream=O(target.output_streams))


def _bad_structure(words: list[int], _p: list[int], target: Target, random: Random) -> None:
    kind = random.randrange(6)
    loop = random.choice(_decoded(words, "loop"))[0]
    written = _registers_written(words)
    if kind == 0:
        _change(words, loop, copies=random.choice((1, 2, 4)))
    elif kind == 1:  # a phase more
        instruction = random.choice(("exp.f32", "div.i32"))
        at = random.randint(loop + 1, len(words) - 1)
        names = load().instructions[instruction].operands
        sources = dict.fromkeys(names, immediate_code())
        words.insert(at, isa.encode(instruction, dst=T(random.randrange(4)), **sources))
    elif kind == 2 and written:
        at, entry = random.choice(written)
        name = "result" if special(entry.instruction) else "vector"
        share = target.registers(name, random.choice((1, 2, 4)))
        beyond = range(share, target.registers(name, 1))
        if beyond:
            _change(words, at, dst=register(entry.name, random.choice(beyond)))
    elif kind == 3 and written:  # another register, also one that is read nearby
        at, entry = random.choice(written)
        _change(words, at, dst=register(entry.name, random.randrange(4)))
    else:
        _disorder(words, random)


def _registers_written(words: list[int]) -> list[tuple[int, Decoded]]:
    outputs = load().operands["output"]
    names = [i.name for i in load().instructions.values() if not i.is_control]
    return [(at, e) for at, e in _decoded(words, *names) if not outputs.holds(e.fields["dst"])]


def _disorder(words: list[int], random: Random) -> None:
    """Insert, remove, double or swap words."""
    at = random.randrange(len(words))
    kind = random.randrange(5)
    if kind == 0:
        words.insert(at, isa.encode(random.choice(("halt", "loop", "end"))))
    elif kind == 1:
        del words[at]
    elif kind == 2:
        words.insert(at, words[random.randrange(len(words))])
    elif kind == 3:
        del words[at:]
    else:
        other = random.randrange(len(words))
        words[at], words[other] = words[other], words[at]


def _bad_parameter(words: list[int], packet: list[int], _t: Target, random: Random) -> None:
    if random.random() < 0.5:
        del packet[random.randrange(1, len(packet)) :]
    else:
        _change(words, random.choice(_decoded(words, "base"))[0], param=2047)


def _bad_dimension(words: list[int], packet: list[int], _t: Target, random: Random) -> None:
    found = _decoded(words, "size")
    if found:
        at, entry = random.choice(found)
        if entry.fields["from_param"]:
            packet[entry.fields["value"] + 1] = random.choice((1 << 31, 1 << 32, (1 << 64) - 1))
        else:
            _change(words, at, value=random.choice((1 << 31, (1 << 32) - 1)))


def _shape_mismatch(words: list[int], packet: list[int], _t: Target, random: Random) -> None:
    _grow(words, packet, random, output=False)


def _output_shape(words: list[int], packet: list[int], _t: Target, random: Random) -> None:
    _grow(words, packet, random, output=True)


def _misaligned(words: list[int], _p: list[int], _t: Target, random: Random) -> None:
    bytes_of = {entry.code: entry.bytes for entry in load().types.values()}
    found = [(at, e) for at, e in _decoded(words, "base") if bytes_of[e.fields["type"]] > 1]
    if found:
        at, entry = random.choice(found)
        _change(words, at, offset=entry.fields["offset"] + random.choice((1, 3)))


def _out_of_window(words: list[int], packet: list[int], _t: Target, random: Random) -> None:
    at, entry = random.choice(_decoded(words, "base"))
    kind = random.randrange(3)
    if kind == 0:
        _change(words, at, offset=1 << random.randint(18, 31))
    elif kind == 1:
        packet[entry.fields["param"] + 1] = random.choice((0, 64, 1 << 40, 1 << 63))
    else:
        found = _decoded(words, "size")
        if found:
            _change(words, random.choice(found)[0], from_param=0, value=(1 << 31) - 1)


def _too_many_points(words: list[int], _p: list[int], _t: Target, random: Random) -> None:
    """A kernel in front: a column and a row, each within memory, that span 2^31 points or more."""
    split = random.randint(13, 18)
    sizes = 1 << split, 1 << (31 - split)
    if random.random() < 0.3:
        sizes = 46341, 46341 + random.randrange(2)
    shapes = {S(0): (sizes[0], 1), S(1): (1, sizes[1]), O(0): sizes}
    kernel: list[int] = []
    for code, shape in shapes.items():
        fields = {"rank": 2, "param": 0, "offset": 0}
        kernel.append(isa.encode("base", stream=code, type="i8", **fields))
        for dim, value in enumerate(shape):
            kernel.append(isa.encode("size", stream=code, dim=dim, from_param=0, value=value))
    kernel.append(isa.encode("loop"))
    kernel.append(isa.encode("add.i32", dst=O(0), a=S(0), b=S(1)))
    words[:0] = [*kernel, isa.encode("end")]


def _overlap(words: list[int], packet: list[int], _t: Target, random: Random) -> None:
    """An output where another stream of its kernel is."""
    kernels: list[list[tuple[int, Decoded]]] = [[]]
    for at, entry in _decoded(words, "base", "loop"):
        if entry.name == "loop":
            kernels.append([])
        else:
            kernels[-1].append((at, entry))
    pairs = [
        (at, other)
        for kernel in kernels
        for at, entry in kernel
        for _, other in kernel
        if entry.fields["stream"] >= O(0) and other.fields["stream"] != entry.fields["stream"]
    ]
    if pairs:
        at, other = random.choice(pairs)
        where = {name: other.fields[name] for name in ("param", "offset")}
        _change(words, at, **where)


def _program_too_large(words: list[int], _p: list[int], target: Target, random: Random) -> None:
    _largest_program(words, _p, target, random)
    words += [isa.encode("halt")] * random.choice((1, 1, 9))


def _largest_program(words: list[int], _p: list[int], target: Target, _r: Random) -> None:
    words += [isa.encode("halt")] * (target.instruction_words - len(words))


def _packet_too_large(_w: list[int], packet: list[int], target: Target, random: Random) -> None:
    _largest_packet(_w, packet, target, random)
    packet += [random.getrandbits(64) for _ in range(random.choice((1, 1, 9)))]


def _largest_packet(_w: list[int], packet: list[int], target: Target, random: Random) -> None:
    packet += [random.getrandbits(64) for _ in range(target.parameter_words - len(packet))]


def _bad_version(_w: list[int], packet: list[int], _t: Target, random: Random) -> None:
    if random.random() < 0.3:
        packet.clear()
    else:
        packet[0] ^= 1 << random.randrange(64)


_AIMS: dict[str, Callable[[list[int], list[int], Target, Random], None]] = {
    "illegal_instruction": _illegal_instruction,
    "illegal_operand": _illegal_operand,
    "bad_structure": _bad_structure,
    "bad_parameter": _bad_parameter,
    "bad_dimension": _bad_dimension,
    "shape_mismatch": _shape_mismatch,
    "output_shape": _output_shape,
    "misaligned": _misaligned,
    "out_of_window": _out_of_window,
    "too_many_points": _too_many_points,
    "overlap": _overlap,
    "program_too_large": _program_too_large,
    "packet_too_large": _packet_too_large,
    "bad_version": _bad_version,
    "largest_program": _largest_program,
    "largest_packet": _largest_packet,
}


def anywhere(words: list[int], packet: list[int], random: Random) -> None:
    """Change one word of program or packet at random."""
    at = random.randrange(len(words)) if words else 0
    kind = random.random()
    if words and kind < 0.5:
        words[at] ^= 1 << random.randrange(random.choice((18, 32, 64)))
    elif words and kind < 0.6:
        words[at] = random.getrandbits(64)
    elif words and kind < 0.7:
        _disorder(words, random)
    elif packet:
        index = random.randrange(len(packet))
        near = packet[index] + random.choice((-1, 1, 2, 4))
        big = random.choice((0, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 63, (1 << 64) - 1))
        packet[index] = (near if random.random() < 0.5 else big) & ((1 << 64) - 1)
