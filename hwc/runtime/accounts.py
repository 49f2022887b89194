"""What a call of a model takes on either side: on the machine, on the host, and between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwc.errors import counted
from hwc.package import Counted, HostStep, Package
from hwc.runtime.steps import ReadyStep


@dataclass(frozen=True)
class Copies:
    """Values copied between the memories of host and machine, and their bytes.

    `to_machine` and `to_host` count how often a value is copied: a value that two regions read is
    copied twice.
    """

    to_machine: int = 0
    bytes_to_machine: int = 0
    to_host: int = 0
    bytes_to_host: int = 0

    def __add__(self, other: Copies) -> Copies:
        return Copies(
            self.to_machine + other.to_machine,
            self.bytes_to_machine + other.bytes_to_machine,
            self.to_host + other.to_host,
            self.bytes_to_host + other.bytes_to_host,
        )


@dataclass(frozen=True)
class Accounts:
    """The accounts of a call of a model with parts on the host.

    `machine` and `host` are the operations of either side: a multiply-add is two, other
    element-wise operators are one for each element of the result (see `hwc.package.work`).
    `host_seconds` is the measured time of the steps on the host on this computer; None if the call
    did not run.
    """

    machine: Counted
    host: Counted
    copies: Copies
    regions: int
    host_seconds: float | None = None

    @property
    def share(self) -> float | None:
        """The machine's share of the counted operations; None if there are none."""
        total = self.machine.operations + self.host.operations
        return self.machine.operations / total if total else None

    @property
    def uncounted(self) -> dict[str, int]:
        """The operators of nodes whose operations are not counted, with the numbers of nodes."""
        return dict((self.machine + self.host).uncounted or {})

    def headline(self, cycles: int) -> str:
        """Say what the machine's cycles are for."""
        if not self.regions:
            return "no part of the model runs on the machine"
        missing = sum(self.uncounted.values())
        counted_ = "counted arithmetic" if missing else "arithmetic"
        note = f" ({counted(missing, 'node')} not counted)" if missing else ""
        if self.share is None:
            return f"machine: {cycles:,} cycles{note}"
        return f"machine: {cycles:,} cycles for {share_text(self.share)} of the {counted_}{note}"

    def to_json(self) -> dict[str, Any]:
        """Return the accounts for `--json`; docs/json.md describes the keys."""
        copies = self.copies
        return {
            "operations": {"machine": self.machine.operations, "host": self.host.operations},
            "machine_share": self.share,
            "uncounted": self.uncounted,
            "copies": {
                "to_machine": {"values": copies.to_machine, "bytes": copies.bytes_to_machine},
                "to_host": {"values": copies.to_host, "bytes": copies.bytes_to_host},
            },
            "regions": self.regions,
            "host_seconds": self.host_seconds,
        }


def share_text(share: float) -> str:
    """Format a share: `3.1 %`, never 0 or 100 unless it is."""
    percent = 100 * share
    if 0 < percent < _SMALLEST:
        return f"less than {_SMALLEST} %"
    if 100 - _SMALLEST < percent < 100:  # noqa: PLR2004 - all of it
        return f"more than {100 - _SMALLEST} %"
    return f"{percent:.1f} %" if percent % 1 else f"{percent:.0f} %"


_SMALLEST = 0.1
"""In percent: the smallest share that is shown as a number."""


def copies_of(
    package: Package,
    steps: Sequence[ReadyStep],
    held: Collection[str],
    later: Collection[str],
    symbols: Mapping[str, int],
) -> Copies:
    """Return what a stretch on the machine copies.

    `held` are the buffers that exist before it, and `later` those that are needed after it.
    """
    used = {name for step in steps for names in step.uses for name in names}
    read = [package.buffer(name).nbytes(symbols) for name in used if name in held]
    made = [
        package.buffer(name).nbytes(symbols) for name in used if name in later and name not in held
    ]
    return Copies(len(read), sum(read), len(made), sum(made))


def accounts_of(
    package: Package,
    symbols: Mapping[str, int],
    copies: Copies,
    host_seconds: float | None = None,
) -> Accounts | None:
    """Return the accounts of a call; None for a program that runs on the machine alone."""
    if package.work is None:
        return None
    machine, host = Counted(), Counted()
    found = package.work.counted(symbols)
    for step, own in zip(package.steps, found, strict=True):
        if isinstance(step, HostStep):
            host += own
        else:
            machine += own
    regions = len(package.steps) - len(package.host_steps)
    return Accounts(machine, host, copies, regions, host_seconds)
