"""The fusion plan: which source operations share a kernel; on values and sizes, without IR.

Nodes get their kernels from the last node to the first, so all readers of a value have kernels
before the value's producer gets one. If several kernels read the value, the ones that fit together
are merged first. If one kernel reads the value, the producer is pulled into that kernel. Otherwise,
a producer with equal sizes becomes one more output of its first reader; a cheap producer is
computed again in each reader; and any other producer gets its own kernel, whose result goes through
memory. Kernels are kept in a linear order that respects their dependences at all times: a value's
kernel never comes after the kernel of a reader.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hwc.planning.words import kernel_words
from hwc.shapes import Size

V = TypeVar("V", bound=Hashable)

RECOMPUTE_WEIGHT = 8
"""A value is computed again in its readers if this repeats at most this many instructions."""


@dataclass(frozen=True, slots=True)
class Node(Generic[V]):
    """A source operation: its value, its operands, its sizes, its instructions.

    `weight` is an upper bound of the number of its instructions. `slow` says that one of them takes
    several beats per strip of lanes. `beats` is an upper bound of the beats of all its
    instructions, per strip of lanes. If the sizes of the value are static, `origins` has a bit for
    each argument on which the value depends, else it is 0 (`hwc.planning.alternatives`). `table` is
    the input that stands for the table that the node reads; a kernel has at most one table.
    """

    value: V
    inputs: tuple[V, ...]
    shape: tuple[Size, ...]
    weight: int
    slow: bool = False
    beats: int = 1
    origins: int = 0
    table: V | None = None


@dataclass(frozen=True)
class Limits:
    """The limits of one kernel: input and output streams, words of machine code, nodes."""

    inputs: int
    outputs: int
    words: int
    nodes: int


@dataclass(frozen=True)
class GrowthLimits:
    """Limits the growth of groups: where a group may exceed the limit of inputs, and where it ends.

    A group takes nodes from the last to the first. While the group grows, it may read more inputs
    than a kernel can have, up to `excess` times the limit, because the producers of several inputs
    may turn out to read the same few values. From the node `excess_ends[identity]` on, the group
    keeps the limit; from the node `growth_ends[identity]` on, it takes no more nodes.
    """

    excess: int = 1
    excess_ends: dict[int, int] = field(default_factory=dict)
    growth_ends: dict[int, int] = field(default_factory=dict)

    def inputs(self, limit: int, identity: int, number: int) -> int:
        """Return how many inputs the group may read with node `number`; -1 if it may not grow."""
        if number <= self.growth_ends.get(identity, -1):
            return -1
        return limit if number <= self.excess_ends.get(identity, -1) else limit * self.excess


@dataclass(frozen=True, slots=True)
class Group(Generic[V]):
    """A planned kernel: its nodes, in any order, and the values that it reads and writes."""

    identity: int
    shape: tuple[Size, ...]
    nodes: tuple[int, ...]
    inputs: tuple[V, ...]
    outputs: tuple[V, ...]
    weight: int
    table: V | None

    @property
    def streams(self) -> int:
        """The number of streams that the kernel reads."""
        return count_streams(self.inputs, self.table)

    @property
    def words(self) -> int:
        """The maximum words of machine code."""
        return _most_words(self.shape, self.streams, len(self.outputs), self.weight)


@dataclass(slots=True)
class _Growing(Generic[V]):
    """A kernel under construction; `position` orders the kernels."""

    identity: int
    position: int
    shape: tuple[Size, ...]
    nodes: dict[int, None] = field(default_factory=dict)
    inputs: dict[V, None] = field(default_factory=dict)
    outputs: dict[V, None] = field(default_factory=dict)
    weight: int = 0
    table: V | None = None

    def done(self) -> Group[V]:
        """Return the kernel, which takes less memory than the kernel under construction."""
        nodes, inputs, outputs = tuple(self.nodes), tuple(self.inputs), tuple(self.outputs)
        return Group(self.identity, self.shape, nodes, inputs, outputs, self.weight, self.table)


def _most_words(shape: tuple[Size, ...], inputs: int, outputs: int, weight: int) -> int:
    """Return the maximum words of machine code; a stream may have fewer dimensions."""
    streams = inputs + outputs
    return kernel_words(streams, streams * len(shape), weight)


def count_streams(inputs: Collection[V], table: V | None) -> int:
    """Return how many streams a kernel with these inputs reads; its table is filled beforehand."""
    return len(inputs) - (table in inputs)


def _share_table(one: V | None, other: V | None) -> bool:
    """Whether two parts of a kernel together read at most one table."""
    return one is None or other is None or one == other


def identity_of(number: int, nodes: Collection[Node[V]]) -> int:
    """Return the identity of the group opened for node `number`."""
    return len(nodes) - number


@dataclass
class FusionPlan(Generic[V]):
    """The plan for `nodes`, which are in an order that respects their dependences.

    `stored` are the values that have to be in memory. A value in `cut` and its readers are in
    different kernels. For each value, `views` has its views with other sizes, which read the value
    from memory. `broadcast_to` decides whether the sizes of inputs are known to broadcast to an
    iteration space.
    """

    nodes: Sequence[Node[V]]
    stored: set[V]
    views: Mapping[V, Sequence[V]]
    limits: Limits
    broadcast_to: Callable[[Iterable[V], tuple[Size, ...]], bool]
    growth: GrowthLimits = field(default_factory=GrowthLimits)
    cut: Collection[V] = ()
    groups: dict[int, _Growing[V]] = field(default_factory=dict)
    readers: dict[V, dict[int, None]] = field(default_factory=dict)
    home: dict[V, int] = field(default_factory=dict)
    repeated: dict[V, int] = field(default_factory=dict)
    crowded: bool = False
    """Whether a group would have grown further with more streams."""

    def run(self) -> list[Group[V]]:
        """Return the kernels in execution order."""
        for number in range(len(self.nodes) - 1, -1, -1):
            self._assign(number)
        for value in list(self.readers):
            if len(self.readers[value]) > 1:
                self._merge_readers(value, 0)
        return [g.done() for g in sorted(self.groups.values(), key=lambda g: g.position)]

    def _assign(self, number: int) -> None:
        """Give a node its kernel, or several kernels that compute it again."""
        node = self.nodes[number]
        value = node.value
        stored = value in self.stored
        readers = self.readers.get(value, {})
        if not readers and not stored:
            return
        if len(readers) > 1:
            self._merge_readers(value, number)
            readers = self.readers[value]
        if not stored:
            if len(readers) == 1 and self._absorb(next(iter(readers)), number, False):
                return
            if len(readers) > 1 and self._recompute(number, list(readers)):
                return
        if readers and self._add_output(number):
            return
        self._open(number)

    def _open(self, number: int) -> None:
        node = self.nodes[number]
        identity = identity_of(number, self.nodes)
        group: _Growing[V] = _Growing(identity, -identity, node.shape)
        self.groups[identity] = group
        group.outputs[node.value] = None
        self.home[node.value] = identity
        self._take(identity, number)

    def _take(self, identity: int, number: int) -> None:
        """Put a node into a group, which then reads the node's operands instead of its value."""
        group, node = self.groups[identity], self.nodes[number]
        group.nodes[number] = None
        group.weight += node.weight
        group.table = node.table if group.table is None else group.table
        if node.value in group.inputs:
            del group.inputs[node.value]
            readers = self.readers[node.value]
            del readers[identity]
            if not readers:  # a large program has a dictionary less for each of its values
                del self.readers[node.value]
        for value in node.inputs:
            group.inputs[value] = None
            self.readers.setdefault(value, {})[identity] = None

    def _fits(self, identity: int, number: int, store: bool) -> bool:
        group, node = self.groups[identity], self.nodes[number]
        before, table = group.inputs, group.table
        if len(group.nodes) >= self.limits.nodes or not _share_table(table, node.table):
            return False
        if table is None:
            table = node.table
        is_read = node.value in before
        streams = len(before) - is_read
        for value in node.inputs:
            streams += value not in before
        if table is not None:
            streams -= table in node.inputs or (table in before and table != node.value)
        if self._too_many(streams, self.growth.inputs(self.limits.inputs, identity, number)):
            return False
        outputs = len(group.outputs) + store
        if (
            outputs > self.limits.outputs
            or _most_words(group.shape, streams, outputs, group.weight + node.weight)
            > self.limits.words
        ):
            return False
        if node.inputs or len(before) == is_read:
            return True
        return self.broadcast_to([v for v in before if v != node.value], group.shape)

    def _too_many(self, streams: int, allowed: int) -> bool:
        """Whether a group would read too many streams; record it if the group may grow at all."""
        self.crowded |= streams > allowed >= 0
        return streams > allowed

    def _absorb(self, identity: int, number: int, store: bool) -> bool:
        if not self._fits(identity, number, store):
            return False
        self._take(identity, number)
        if store:
            value = self.nodes[number].value
            self.groups[identity].outputs[value] = None
            self.home[value] = identity
        return True

    def _add_output(self, number: int) -> bool:
        """Make the node's value an output of its first reader, if the sizes are equal."""
        node = self.nodes[number]
        if node.value in self.cut:
            return False
        host = min(self.readers[node.value], key=lambda g: self.groups[g].position)
        if self.groups[host].shape != node.shape:
            return False
        position = self.groups[host].position
        through_views = [
            self.groups[g].position
            for view in self.views.get(node.value, ())
            for g in self.readers.get(view, ())
        ]
        if any(other <= position for other in through_views):
            return False
        return self._absorb(host, number, store=True)

    def _recompute(self, number: int, readers: list[int]) -> bool:
        """Compute a cheap value in every reader instead of passing it through memory."""
        node = self.nodes[number]
        cost = self.repeated.get(node.value, 0) + node.weight
        if node.slow or cost > RECOMPUTE_WEIGHT:
            return False
        for identity in readers:
            group = self.groups[identity]
            new = sum(value not in group.inputs for value in node.inputs)
            # Reading the value would cost one stream, so recomputing it may cost one as well, and
            # a second one where the value is narrower than its reader.
            if new > (1 if group.shape == node.shape else 2):
                return False
            if not self._fits(identity, number, store=False):
                return False
        for identity in readers:
            self._take(identity, number)
        for value in node.inputs:
            self.repeated[value] = max(self.repeated.get(value, 0), cost)
        return True

    # -- merging kernels

    def _merge_readers(self, value: V, number: int) -> None:
        """Merge readers of `value` with equal sizes if they fit together; node `number` is next."""
        identities = sorted(self.readers[value], key=lambda g: self.groups[g].position)
        by_shape: dict[tuple[Size, ...], int] = {}
        for identity in identities:
            shape = self.groups[identity].shape
            first = by_shape.setdefault(shape, identity)
            if first != identity:
                merged = self._merge(first, identity, number)
                by_shape[shape] = identity if merged is None else merged

    def _merge(self, first: int, second: int, number: int) -> int | None:
        """Merge two groups, `first` before `second`; return the merged group or None."""
        a, b = self.groups[first], self.groups[second]
        if any(v in b.inputs for v in a.outputs if v in self.cut):
            return None
        if not _share_table(a.table, b.table):
            return None
        inputs = {**a.inputs, **b.inputs}
        for value in (*a.outputs, *b.outputs):
            inputs.pop(value, None)
        weight = a.weight + b.weight
        outputs: dict[V, None] = {
            value: None
            for value in (*a.outputs, *b.outputs)
            if value in self.stored or self.readers.get(value, {}).keys() - {first, second}
        }
        if not (a.inputs and b.inputs) and inputs and not self.broadcast_to(inputs, a.shape):
            return None
        limit = self.limits.inputs
        table = b.table if a.table is None else a.table
        streams = count_streams(inputs, table)
        allowed = min(self.growth.inputs(limit, g, number) for g in (first, second))
        if (
            self._too_many(streams, allowed)
            or len(outputs) > self.limits.outputs
            or len(a.nodes) + len(b.nodes) > self.limits.nodes
            or _most_words(a.shape, streams, len(outputs), weight) > self.limits.words
        ):
            return None
        position = self._common_position(first, second)
        if position is None:
            return None
        for value in b.inputs:
            del self.readers[value][second]
        for value in a.inputs:
            del self.readers[value][first]
        a.position, a.inputs, a.outputs, a.weight = position, inputs, outputs, weight
        a.nodes.update(b.nodes)
        a.table = table
        for value in inputs:
            self.readers.setdefault(value, {})[first] = None
        for value in b.outputs:
            self.home[value] = first
        del self.groups[second]
        return first

    def _common_position(self, first: int, second: int) -> int | None:
        """Return the position for the merged group, one of the two positions, or None."""
        a, b = self.groups[first], self.groups[second]
        roots = {v: self._root(v) for v in b.inputs}
        if any(self.home.get(root) == first and root != v for v, root in roots.items()):
            return None
        needed = [self.groups[self.home[r]].position for r in roots.values() if r in self.home]
        if all(p <= a.position for p in needed):
            return a.position
        later = [
            self.groups[g].position
            for value in a.outputs
            for name in (value, *self.views.get(value, ()))
            for g in self.readers.get(name, ())
            if g != second
        ]
        return b.position if all(p > b.position for p in later) else None

    def _root(self, value: V) -> V:
        return self._view_of.get(value, value)

    def __post_init__(self) -> None:
        """Invert the relation from values to views."""
        self._view_of = {view: value for value, views in self.views.items() for view in views}
