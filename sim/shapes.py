"""The checks of the shape unit at `loop`, in the unit's order, before any stream moves.

docs/timing.md, section "Faults", lists the checks; the first check that fails is the fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from isa.dispatch import Fault
from isa.load import load
from sim.kernel import Stream
from sim.views import pad_sizes, pad_strides


def check(
    pc: int, inputs: Sequence[Stream], outputs: Sequence[Stream], window: tuple[int, int]
) -> tuple[int, ...] | Fault:
    """Infer the iteration sizes of a kernel and check its streams against them and the window.

    `pc` is the pc of `loop`; `window` is the base and the limit of the addresses that streams may
    use. Returns the sizes, padded to the largest rank of all streams, or the first fault.
    """
    sizes = iteration_sizes(pc, inputs, outputs)
    if isinstance(sizes, Fault):
        return sizes
    return _check_memory(pc, inputs, outputs, window, len(sizes)) or sizes


def iteration_sizes(
    pc: int, inputs: Sequence[Stream], outputs: Sequence[Stream]
) -> tuple[int, ...] | Fault:
    """Infer the iteration sizes of a kernel, or return the first fault that depends on sizes only.

    The sizes are padded to the largest rank of all streams.
    """
    rank = max(len(stream.sizes) for stream in (*inputs, *outputs))
    sizes = _infer(pc, inputs, outputs, rank)
    if isinstance(sizes, Fault):
        return sizes
    limit = load().limits.size_limit
    if prod(sizes) >= limit:
        text = f"{'x'.join(map(str, sizes))} points, allowed: fewer than {limit}"
        return Fault("too_many_points", pc, text=text)
    return sizes


def _infer(
    pc: int, inputs: Sequence[Stream], outputs: Sequence[Stream], rank: int
) -> tuple[int, ...] | Fault:
    """Broadcast the inputs to their common sizes, and compare the outputs' sizes with those."""
    sizes = [1] * rank
    for stream in inputs or outputs[:1]:
        for dim, size in enumerate(pad_sizes(stream.sizes, rank)):
            if sizes[dim] == 1:
                sizes[dim] = size
            elif size not in (1, sizes[dim]):
                text = f"size {size} meets size {sizes[dim]}, and neither is 1"
                return Fault("shape_mismatch", pc, stream.code, dim, text)
    for stream in outputs:
        for dim, size in enumerate(pad_sizes(stream.sizes, rank)):
            if size != sizes[dim]:
                text = f"size {size}, but the inputs give {sizes[dim]}"
                return Fault("output_shape", pc, stream.code, dim, text)
    return tuple(sizes)


def _check_memory(
    pc: int,
    inputs: Sequence[Stream],
    outputs: Sequence[Stream],
    window: tuple[int, int],
    rank: int,
) -> Fault | None:
    """Check the bytes of the streams: alignment, the window, and that no output overlaps another.

    An output may have exactly the elements of an input: the same address, type, sizes and strides.
    """
    base, limit = window
    size_limit = load().limits.size_limit
    for stream in (*inputs, *outputs):
        if stream.address % stream.type.bytes:
            text = f"address {stream.address:#x} of {stream.type.name} elements"
            return Fault("misaligned", pc, stream.code, text=text)
        first, end = stream.extent
        outside = first < end and not base <= first < end <= limit
        if outside or stream.elements >= size_limit:
            text = f"{end - first} bytes at {first:#x}, window [{base:#x}, {limit:#x})"
            return Fault("out_of_window", pc, stream.code, text=text)
    for number, output in enumerate(outputs):
        own_first, own_end = output.extent
        for other in (*inputs, *outputs[:number]):
            first, end = other.extent
            if max(first, own_first) >= min(end, own_end):
                continue
            if other in inputs and _elements(output, rank) == _elements(other, rank):
                continue
            return Fault("overlap", pc, output.code, text=f"shares bytes with {other}")
    return None


def _elements(stream: Stream, rank: int) -> tuple[object, ...]:
    """Return a key that is equal for two streams that walk the same elements in the same order."""
    sizes, strides = pad_sizes(stream.sizes, rank), pad_strides(stream.strides, rank)
    return stream.address, stream.type, sizes, strides
