"""The bins of functional coverage, enumerated from the instruction set, and what filled them.

A bin is a name and the names that the benches `*_coverage.sv` count for it; one of the names is
enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from isa.gen.names import camel
from isa.load import load
from isa.model import BITS, LANE_BITS, Instruction
from rtl_models.coverage.data import CoverageError

RANKS = range(load().limits.rank_max + 1)
SHAPE_FAULTS = {
    "shape_mismatch": ("input",),
    "output_shape": ("output",),
    "too_many_points": ("none",),
    "misaligned": ("input", "output"),
    "out_of_window": ("input", "output"),
    "overlap": ("output",),
}
"""Faults of the shapes, and the streams that each can name."""

STRUCTURE = (
    *("past end", "second base", "size without base", "size beyond rank", "size given twice"),
    *("no output", "size missing", "end outside of a loop", "vector outside of a loop"),
    *("past end in a body", "control in a body", "register not written", "input without base"),
    *("output without base", "output written twice", "output not written"),
    *("register beyond its share", "more phases than copies", "result read in its own phase"),
    "table filled beside another use",
)
"""What `bad_structure` is said of, docs/timing.md."""

CHANNELS = ("program", "packet", "stream", "write")
UNCOUNTED = ("value ",)
"""Names of which only some are in bins: a lane is counted both as a float and as an integer."""


@dataclass(frozen=True)
class Bin:
    """`group` is the table of the report, `names` are those counted."""

    group: str
    name: str
    names: tuple[str, ...]


def all_bins() -> tuple[Bin, ...]:
    """Return every bin, group by group."""
    return tuple(
        Bin(group, name, names)
        for group, bins in (
            ("instruction × operand × kind", _operands()),
            ("instruction × destination", _destinations()),
            ("instruction × operand × value", _values()),
            ("unit × next unit × dependence", _units()),
            ("copies × phases", _phases()),
            ("stream × type × rank", _bases()),
            ("pattern × rank", _patterns()),
            ("pattern × what is held", _holdings()),
            ("type × use", _types()),
            ("the table", _table()),
            ("rounded shifts", _shifts()),
            ("limited sums", _limits()),
            ("kernels and strips", _kernels()),
            ("counters and stall causes", _counters()),
            ("faults × where raised", _faults()),
            ("causes of bad_structure", ((t, (f"structure {t}",)) for t in STRUCTURE)),
            ("faults × dimension", _dimensions()),
            ("bursts and the bus", _bus()),
            ("starts and resets", _starts()),
        )
        for name, names in bins
    )


def count(bins: tuple[Bin, ...], counts: Mapping[str, int]) -> dict[Bin, int]:
    """Return how often each bin was hit.

    Raises:
        CoverageError: the hardware counted a name that no bin has: one of the two is wrong.
    """
    known = {name for b in bins for name in b.names}
    strange = [n for n in counts if n not in known and not n.startswith(UNCOUNTED)]
    if strange:
        raise CoverageError(
            f"error: the hardware counted a name that is not in any bin: {sorted(strange)[0]}"
        )
    return {b: sum(counts.get(name, 0) for name in b.names) for b in bins}


_Bins = Iterator[tuple[str, tuple[str, ...]]]


def _vector() -> Iterator[Instruction]:
    return (i for i in load().instructions.values() if not i.is_control)


def _control() -> Iterator[Instruction]:
    return (i for i in load().instructions.values() if i.is_control)


def _operation(instruction: Instruction) -> str:
    """An instruction as `operation_name` of coverage_pkg.sv writes it."""
    result = instruction.result_type or instruction.type
    types = f"Type{camel(instruction.type)} Type{camel(result)}"
    return f"Operation{camel(instruction.operation)} {types}"


def _operands() -> _Bins:
    for i in _vector():
        for (number, operand), kind in product(
            enumerate(i.operands), ("input", "vector", "result", "immediate")
        ):
            yield f"{i.name} {operand} {kind}", (f"operand {_operation(i)} {number} {kind}",)


def _destinations() -> _Bins:
    for i in _vector():
        own = "result" if load().units[str(i.unit)].special else "vector"
        for kind in (own, "output"):
            yield f"{i.name} {kind}", (f"destination {_operation(i)} {kind}",)


def _values() -> _Bins:
    for i in _vector():
        for number, (operand, type_) in enumerate(zip(i.operands, i.operand_types, strict=True)):
            for value in _classes(type_):
                yield f"{i.name} {operand} {value}", (f"value {_operation(i)} {number} {value}",)


def _classes(type_: str) -> tuple[str, ...]:
    """What a lane of a type can be, as coverage_pkg.sv tells it apart."""
    if type_ == BITS:
        return ()
    row = load().types[type_]
    if row.kind == "float":
        numbers = product(("zero", "subnormal", "normal", "infinite"), "+-")
        return (*(sign + number for number, sign in numbers), "nan")
    limits = ("least", "greatest") if row.bits == LANE_BITS else ()
    return ("zero", "positive", "negative", *limits)


def _units() -> _Bins:
    units = load().units
    for first, then, kind in product(units, units, ("independent", "dependent")):
        if units[first].special != units[then].special:
            continue  # on another port
        names = (f"units Unit{camel(first)} Unit{camel(then)} {kind}",)
        yield f"{first} then {then} {kind}", names


def _phases() -> _Bins:
    for copies in (1, 2, 4):
        for phases in range(1, copies + 1):
            yield f"{copies} copies, {phases} phases", (f"copies {copies} phases {phases}",)
    for verb in ("begins", "ends"):
        name = f"body {verb} with a special instruction"
        yield name, (name,)


def _bases() -> _Bins:
    for stream, name, rank in product(("input", "output"), load().types, RANKS):
        yield f"{stream} {name} rank {rank}", (f"base {stream} Type{camel(name)} rank {rank}",)


def _letters(rank: int) -> Iterator[str]:
    """Patterns of at most `rank` dimensions, outermost first: R repeats, D is data."""
    yield "-"
    for length in range(1, rank + 1):
        for inner in "DR":
            outer = "R" if inner == "D" else "D"
            yield "".join(inner if i % 2 == 0 else outer for i in range(length))[::-1]


def _patterns() -> _Bins:
    for rank in RANKS:
        for pattern in _letters(rank):
            yield f"{pattern} rank {rank}", (f"pattern {pattern} rank {rank}",)


def _holdings() -> _Bins:
    """A repeat outside of data can be held; of several perhaps only the inner ones."""
    for pattern in _letters(max(RANKS)):
        outer = pattern.count("RD")
        kinds = ("held", "partly", "refetched") if outer > 1 else ("held", "refetched")
        for kind in kinds if outer else ("streamed",):
            yield f"{pattern} {kind}", (f"pattern {pattern} {kind}",)


def _types() -> _Bins:
    uses = ("input", "output", "streamed", "held", "partly", "refetched")
    for name in load().types:
        for use in uses:
            yield f"{name} {use}", (f"type Type{camel(name)} {use}",)
        yield f"{name} in place", (f"in place Type{camel(name)}",)


def _table() -> _Bins:
    for kind in ("one", "some", "all"):
        yield f"{kind} of its entries filled", (f"table filled {kind}",)
    yield "filled a second time", ("table filled again",)
    for name, entry in product(("lookup", "interp"), ("first", "between", "last", "not filled")):
        yield f"{name} of an entry: {entry}", (f"table {name} {entry}",)


def _shifts() -> _Bins:
    for name in ("mulsh", "mulshd", "shrw"):
        for amount, bits in (("none", "by 0"), ("short", "by 1 to 31"), ("long", "by 32 to 63")):
            yield f"{name} {bits}", (f"shift Operation{camel(name)} {amount}",)
        for sign in ("above 0", "below 0"):
            yield f"{name} of a value half-way, {sign}", (f"half Operation{camel(name)} {sign}",)


def _limits() -> _Bins:
    for i in _vector():
        if i.operation in ("addsat", "addsatu", "subsat"):
            for side in ("below", "above", "not"):
                yield f"{i.name} limited: {side}", (f"limited {_operation(i)} {side}",)


def _kernels() -> _Bins:
    for what, kinds in (
        ("inputs", ("none", "one", "some", "all")),
        ("outputs", ("one", "some", "all")),
        ("strips", ("one", "two", "to four", "more")),
        ("body", ("one", "two", "to four", "more")),
        ("last strip", ("full", "partial")),
    ):
        for kind in kinds:
            yield f"{what}: {kind}", (f"kernel {what} {kind}",)
    for name in ("kernel of one point", "kernel without points", "cuts at once"):
        yield name, (name,)
    for name in ("nothing", "one run", "two runs"):
        yield f"fetch of a strip: {name}", (f"fetch {name}",)
    for name in ("input within a bus word", "output within a bus word"):
        yield f"{name}", (name,)
    for name in ("parameter", "immediate"):
        yield f"size from {name}", (f"size {name}",)
    for i in _control():
        if i.name != "end":  # that is a word of the body
            yield f"{i.name} executed", (f"word {_operation(i)}",)


def _counters() -> _Bins:
    for name in load().counters:
        yield name, (f"counter Counter{camel(name)}",)


def _faults() -> _Bins:
    for name in ("program_too_large", "packet_too_large", "bad_version"):
        yield f"{name} at start", (f"fault Fault{camel(name)} start",)
    for within, i in product(("word", "body"), _control()):
        late = {"bad_parameter", "bad_dimension"} if within == "body" else set[str]()
        never = {"halt": {"bad_structure"}} if within == "word" else {}
        skipped = late | set(SHAPE_FAULTS) | never.get(i.name, set())
        for fault in i.faults:
            if fault not in skipped:
                yield (
                    f"{fault} of {i.name}, {_context(within)}",
                    (f"fault Fault{camel(fault)} {within} {_operation(i)}",),
                )
    for within in ("word", "body"):
        for sources in (1, 2, 3):
            group = [i for i in _vector() if len(i.operands) == sources]
            for fault in group[0].faults:
                names = tuple(f"fault Fault{camel(fault)} {within} {_operation(i)}" for i in group)
                yield f"{fault} of a word with {sources} operands, {_context(within)}", names
        name = f"fault FaultIllegalInstruction {within} unassigned"
        yield f"illegal_instruction of no opcode, {_context(within)}", (name,)
        yield (
            f"bad_structure after the program, {_context(within)}",
            (f"fault FaultBadStructure {within} none",),
        )
    for fault, streams in SHAPE_FAULTS.items():
        for stream in streams:
            of = "" if stream == "none" else f" of an {stream}"
            yield f"{fault}{of}", (f"fault Fault{camel(fault)} shape {stream}",)


def _context(within: str) -> str:
    return "outside of a loop" if within == "word" else "in a body"


def _dimensions() -> _Bins:
    for fault, dimension in product(("shape_mismatch", "output_shape"), RANKS[:-1]):
        yield f"{fault} in {dimension}", (f"dimension Fault{camel(fault)} {dimension}",)


def _bus() -> _Bins:
    for channel in CHANNELS:
        for beats in ("one", "some", "longest"):
            yield f"burst of {channel}: {beats}", (f"burst {channel} {beats}",)
        for name in ("begins a page", "ends a page"):
            yield f"burst of {channel} {name}", (f"burst {channel} {name}",)
        yield f"error response, {channel}", (f"response error {channel}",)
    for word, first, last in product(("word", "strobe"), _FIRST, _LAST):
        kind = "read" if word == "word" else "write"
        yield f"{kind} of a bus word {first} {last}", (f"{word} {first} {last}",)
    for name in ("error load", "error kernel"):
        yield f"stop by an {name.replace(' ', ', ')}", (name,)
    for channel in ("ar", "aw", "w"):
        yield f"memory keeps {channel} waiting", (f"wait {channel}",)
    yield "as many reads as there may be", ("reads full",)


_FIRST = ("from its begin", "from within")
_LAST = ("to its end", "to within")


def _starts() -> _Bins:
    for after in ("Idle", "Done", "Fault"):
        yield f"start after {after.lower()}", (f"start Status{after}",)
    yield "start after an error", ("start StatusFault error",)
    for state in ("load", "words", "body", "setup", "kernel"):
        yield f"reset in {state}", (f"reset {state}",)
