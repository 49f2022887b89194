"""What runs where in a compiled model: nodes, arithmetic, crossings, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hwc.errors import DispatchError, counted
from hwc.package import HostStep, Package, Work
from hwc.shapes.steps import Learned


@dataclass(frozen=True)
class NodePlace:
    """Where a node runs: its operator, its place in the model, and the number of its step.

    `origin` is the operator of the file from which a converter made the node, '' if none did.
    `reason` says why the node stays on the host; '' for a node on the machine.
    """

    operator: str
    origin: str
    place: str
    step: int
    reason: str = ""

    @property
    def kind(self) -> str:
        """The operator, with its origin, which may have become several operators."""
        is_custom = self.operator.endswith(f".{self.origin}")
        return (
            f"{self.operator} of {self.origin}" if self.origin and not is_custom else self.operator
        )


@dataclass(frozen=True)
class Report:
    """What runs where in a model; `nodes` are in the order of the model."""

    package: Package
    regions: int
    nodes: tuple[NodePlace, ...] = field(default=())

    @property
    def on_machine(self) -> int:
        """The number of nodes on the machine."""
        return sum(not node.reason for node in self.nodes)

    @property
    def on_host(self) -> Mapping[tuple[str, str], int]:
        """The number of nodes on the host for each kind of operator and reason."""
        return Counter((node.kind, node.reason) for node in self.nodes if node.reason)

    @property
    def crossings(self) -> tuple[int, int]:
        """How often a call copies a value to the machine, and back to the host."""
        return _crossings(self.package)

    def table(self) -> list[list[str]]:
        """Return a row for each node, after a row of heads."""
        rows = [
            [
                str(node.step),
                "host" if node.reason else "machine",
                node.kind,
                node.reason,
                node.place,
            ]
            for node in self.nodes
        ]
        return [["step", "on", "operator", "reason", "place"], *rows]

    def lines(self) -> Iterator[str]:
        """Yield the summary, with a line for each kind of operator on the host and its reason."""
        total = len(self.nodes)
        regions = counted(self.regions, "region")
        yield f"{self.on_machine} of {total} nodes on the machine, in {regions}"
        if self.package.host_steps:
            yield f"arithmetic on the machine: {self._arithmetic()}"
            into, back = self.crossings
            values = counted(into, "value")
            yield f"a call copies {values} to the machine, and {back} back to the host"
        yield f"{total - self.on_machine} of {total} nodes on the host"
        for (operator, reason), count in sorted(self.on_host.items()):
            yield f"  {count:>5}  {operator}: {reason}"

    def _arithmetic(self) -> str:
        """Say what share of the arithmetic is on the machine, as far as no call decides it."""
        work = self.package.work
        if work is None:
            return "all"
        sides: dict[bool, Counter[tuple[str, ...]]] = {True: Counter(), False: Counter()}
        missing = 0
        for step, own in zip(self.package.steps, work.steps, strict=True):
            for each in own:
                missing += each.nodes if each.operations is None else 0
                for product in each.operations or ():
                    sides[step.kind == "machine"][product.symbols] += product.factor
        machine, host = sides[True], sides[False]
        note = f"; the operations of {counted(missing, 'node')} are not known" if missing else ""
        of = " of what is counted" if missing else ""
        kinds = {symbols for side in sides.values() for symbols, factor in side.items() if factor}
        if not kinds:
            return f"nothing to count{note}"
        if len(kinds) == 1:  # all terms grow alike, so the share is the same for each call
            (symbols,) = kinds
            a, b = machine[symbols], host[symbols]
            per = f" for each {' · '.join(symbols)}" if symbols else ""
            return f"{_percent(a, a + b)}{of} ({a:,} of {a + b:,} operations{per}){note}"
        program = self.package.shape_program
        needs_data = program.needs_elements or program.needs_results
        commands = "`hwc run` shows it" if needs_data else "`hwc time` and `hwc run` show it"
        return f"{self._example(work, missing)}; {commands}{note}"

    def _example(self, work: Work, missing: int) -> str:
        """Say the share of a call whose free sizes are all the same; `missing` nodes do not count.

        No example is said if no such call fits, or if only an engine learns some sizes.
        """
        for size in _EXAMPLES:
            found = work.counted(_symbols(self.package, size))
            uncounted = sum(sum((each.uncounted or {}).values()) for each in found)
            total = sum(each.operations for each in found)
            if uncounted == missing and total:
                steps = zip(self.package.steps, found, strict=True)
                own = sum(each.operations for step, each in steps if step.kind == "machine")
                share = f"{_percent(own, total)}{' of what is counted' if missing else ''}"
                return f"{share} if every free size is {size}"
        return "depends on the sizes of a call"


_EXAMPLES = (128, 64, 32, 1)
"""Sizes for an example; a smaller one is taken if the larger ones do not fit."""


def _symbols(package: Package, size: int) -> Mapping[str, int]:
    """Return what follows if every free size of the arguments is `size`; nothing if it may not."""
    shapes = [[n if isinstance(n, int) else size for n in each.shape] for each in package.inputs]
    program = package.shape_program
    if program.needs_elements:
        return {}
    try:
        call = program.begin(package.inputs, shapes)
        while call.position < len(program.steps):
            step = program.steps[call.position]
            if not isinstance(step, Learned) or step.result not in call.values:
                break
            call.position += 1
            program.proceed(call)
    except DispatchError:
        return {}
    return call.values


def _percent(part: int, total: int) -> str:
    return f"{100 * part / total:.1f} %"


def _crossings(package: Package) -> tuple[int, int]:
    needed = {name for tensor in package.outputs for name, _ in tensor.parts}
    later: list[frozenset[str]] = []
    for step in reversed(package.steps):
        later.append(frozenset(needed))
        if isinstance(step, HostStep):
            needed.update(tensor.buffer for tensor in step.inputs)
        needed = needed.union(*(kernel.buffers for kernel in step.kernels))
    held = {name for tensor in package.inputs for name, _ in tensor.parts}
    into = back = 0
    for step, after in zip(package.steps, later[::-1], strict=True):
        if isinstance(step, HostStep):
            held.update(tensor.buffer for tensor in step.outputs)
            continue
        used = frozenset[str]().union(*(kernel.buffers for kernel in step.kernels))
        into += len(used & held)
        back += len((used & after) - held)
        held |= used & after
    return into, back
