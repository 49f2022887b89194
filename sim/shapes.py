"""What the shape unit checks at `loop`, in its order, before a stream moves.

docs/timing.md, section "Faults", lists the checks; the first that fails is the fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from isa.dispatch import Fault
from isa.load import load
from sim.kernel import Stream
from sim.streams import pad


def check(
    pc: int, inputs: Sequence[Stream], outputs: Sequence[Stream], window: tuple[int, int]
) -> tuple[int, ...] | Fault:
    """Infer the iteration sizes of a kernel and check its streams against them and the window.

    `pc` is that of `loop`; `window` is the base and the limit of the addresses that streams may
    use. Returns the sizes, padded to the largest rank of all streams, or the first fault.
    """
    rank = max(len(stream.sizes) for stream in (*inputs, *outputs))
    sizes = _infer(pc, inputs, outputs, rank)
    if isinstance(sizes, Fault):
        return sizes
    limit = load().limits.size_limit
    if prod(sizes) >= limit:
        text = f"{'x'.join(map(str, sizes))} points, allowed: fewer than {limit}"
        return Fault("too_many_points", pc, text=text)
    for stream in (*inputs, *outputs):
        fault = _check_place(pc, stream, window)
        if fault:
            return fault
    return _check_overlaps(pc, inputs, outputs, rank) or sizes


def _infer(
    pc: int, inputs: Sequence[Stream], outputs: Sequence[Stream], rank: int
) -> tuple[int, ...] | Fault:
    """Bring the inputs to their common sizes, and compare the outputs' sizes with those."""
    sizes = [1] * rank
    for stream in inputs or outputs[:1]:
        for dim, size in enumerate(pad(stream.sizes, rank)):
            if sizes[dim] == 1:
                sizes[dim] = size
            elif size not in (1, sizes[dim]):
                text = f"size {size} meets size {sizes[dim]}, and neither is 1"
                return Fault("shape_mismatch", pc, stream.code, dim, text)
    for stream in outputs:
        for dim, size in enumerate(pad(stream.sizes, rank)):
            if size != sizes[dim]:
                text = f"size {size}, but the inputs give {sizes[dim]}"
                return Fault("output_shape", pc, stream.code, dim, text)
    return tuple(sizes)


def _check_place(pc: int, stream: Stream, window: tuple[int, int]) -> Fault | None:
    """Check a stream's alignment, and its extent if it has elements."""
    if stream.address % stream.type.bytes:
        text = f"address {stream.address:#x} of {stream.type.name} elements"
        return Fault("misaligned", pc, stream.code, text=text)
    base, limit = window
    if stream.elements and not base <= stream.address <= limit - stream.nbytes:
        text = f"{stream.nbytes} bytes at {stream.address:#x}, window [{base:#x}, {limit:#x})"
        return Fault("out_of_window", pc, stream.code, text=text)
    return None


def _check_overlaps(
    pc: int, inputs: Sequence[Stream], outputs: Sequence[Stream], rank: int
) -> Fault | None:
    """Check each output against the inputs and the outputs before it."""
    for number, output in enumerate(outputs):
        for other in (*inputs, *outputs[:number]):
            if _disjoint(output, other):
                continue
            if other in inputs and _same_elements(output, other, rank):
                continue
            text = f"shares bytes with {other}"
            return Fault("overlap", pc, output.code, text=text)
    return None


def _disjoint(a: Stream, b: Stream) -> bool:
    """Whether two streams have no byte in common; an empty one has no bytes."""
    if not a.elements or not b.elements:
        return True
    return a.address + a.nbytes <= b.address or b.address + b.nbytes <= a.address


def _same_elements(a: Stream, b: Stream, rank: int) -> bool:
    """Whether two streams walk the same elements in the same order."""
    return (a.address, a.type, pad(a.sizes, rank)) == (b.address, b.type, pad(b.sizes, rank))
