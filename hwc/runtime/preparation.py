"""Prepares calls of a package: chooses a plan, links its kernels, and places its buffers.

Runs and timings of a program share one preparation, so that both see the same machine code and the
same addresses. Linked plans and placements are cached for later calls.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hwc.errors import DispatchError
from hwc.package import Package, Plan, Stretch
from hwc.plans.choose import Planner
from hwc.plans.names import plan_of
from hwc.recent import Recent
from hwc.runtime.placement import Placement, place
from hwc.runtime.steps import ReadyStep, ready_steps
from hwc.runtime.stretches import needed_later
from isa.target import Target

LINKED_PLANS = 64
"""The largest number of plans for which linked programs are cached, for each stretch."""
PLACEMENTS = 64
"""The largest number of sets of sizes for which placements are cached, for each stretch."""


class Preparation:
    """Prepares the stretches of a package for a target.

    `stretches` are the parts of the package that run one after another; `later` has the names of
    the buffers that are needed after each of them.
    """

    def __init__(self, package: Package, target: Target) -> None:
        self.package = package
        self.target = target
        self.stretches = package.stretches
        self.later = needed_later(package, self.stretches)
        self._ready = Recent[list[ReadyStep]](LINKED_PLANS * len(self.stretches))
        self._placements = Recent[Placement](PLACEMENTS * len(self.stretches))
        self._planner = Planner(package, target) if package.choices else None

    def plan(self, symbols: Mapping[str, int], name: str | None, choices: range) -> Plan:
        """Return the plan called `name`, or the one with the fewest cycles, for some choices.

        Raises:
            UserError: there is no plan with this name.
            DispatchError: the plan cannot run at these sizes.
        """
        if name is not None:
            plan = plan_of(self.package, name)[choices.start : choices.stop]
            assert self._planner is not None, "a package with names of plans has a choice"
            refused = self._planner.refused(plan, symbols, choices)
            if refused is not None:
                raise DispatchError(
                    f"plan {name!r}: the alternative {refused!r} is for other sizes only; leave "
                    f"out the plan, and the call runs one that fits"
                )
            return plan
        return () if self._planner is None else self._planner.plan(symbols, choices)

    def linked(self, plan: Plan, stretch: Stretch | None = None) -> list[ReadyStep]:
        """Return the linked steps of a plan, for one stretch or for the whole package."""
        whole = stretch is None or len(self.stretches) == 1
        return self._ready.get(
            (0 if stretch is None else stretch.first, plan),
            lambda: ready_steps(self.package, plan, *(() if whole else (stretch,))),
        )

    def placed(
        self,
        stretch: Stretch,
        plan: Plan,
        steps: Sequence[ReadyStep],
        held: Collection[str],
        later: frozenset[str],
        symbols: Mapping[str, int],
    ) -> Placement:
        """Return where the buffers of a stretch are, with the buffers `held` before it.

        The cache key does not need `held`: the same names are always held before a stretch.
        """
        results = None if len(self.stretches) == 1 else later
        bits = self.target.address_bits
        return self._placements.get(
            (stretch.first, plan, *symbols.values()),
            lambda: place(self.package, steps, symbols, bits, held, results),
        )
