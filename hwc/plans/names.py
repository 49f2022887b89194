"""Names of plans: the name of the chosen alternative of each choice, separated by commas."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hwc.errors import UserError
from hwc.package import Choice, Package, Plan


def plan_name(package: Package, plan: Plan) -> str:
    """Return the name of a plan; '' for a package without a choice."""
    return alternatives_name(package.choices, plan)


def alternatives_name(choices: Sequence[Choice], plan: Plan) -> str:
    """Return the name of a plan for some of a package's choices."""
    chosen = zip(choices, plan, strict=True)
    return ",".join(choice.alternatives[number].name for choice, number in chosen)


def all_plans(package: Package) -> list[Plan]:
    """Return every plan of a package, beginning with the first plan."""
    return list(product(*(range(len(choice.alternatives)) for choice in package.choices)))


def plan_of(package: Package, name: str) -> Plan:
    """Return the plan called `name`. A single name applies to all choices if each choice has it.

    Raises:
        UserError: no plan has this name; the message lists the known names.
    """
    choices = package.choices
    if not choices:
        raise UserError(f"no plan {name!r}: the package has no choice, so it has one plan only")
    names = name.split(",")
    if len(names) == 1:
        names *= len(choices)
    if len(names) != len(choices):
        raise UserError(
            f"no plan {name!r}: got {len(names)} names, expected one for each of the "
            f"{len(choices)} choices, separated by commas"
        )
    plan: list[int] = []
    for number, (choice, wanted) in enumerate(zip(choices, names, strict=True)):
        known = [alternative.name for alternative in choice.alternatives]
        if wanted not in known:
            of = f"choice {number} has" if len(choices) > 1 else "there are"
            raise UserError(f"no plan {name!r}: {of} the alternatives {', '.join(known)}")
        plan.append(known.index(wanted))
    return tuple(plan)
