"""The option `--plan`, shared by several commands."""

from __future__ import annotations

import argparse

from hwc.errors import UserError
from hwc.package import Package, Plan


def add_plan(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add the option; `meaning` says what the command does with the plan."""
    parser.add_argument(
        "--plan",
        metavar="NAME",
        help=f"{meaning}. `hwc info` has the names of the alternatives; several choices take one "
        "name that all of them have, or one for each, separated by commas",
    )


def given_plan(package: Package, name: str | None) -> Plan | None:
    """Return the plan that the option names; None without the option.

    Raises:
        UserError: the package has no such plan.
    """
    from hwc.plans.names import plan_of  # noqa: PLC0415 - `hwc --help` needs no estimates

    if name is None:
        return None
    try:
        return plan_of(package, name)
    except UserError as error:
        raise UserError(f"--plan: error: {error}") from None
