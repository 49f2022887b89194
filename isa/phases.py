"""How far apart the phases of a body are: docs/timing.md, section "Vector pipe"."""

from __future__ import annotations


def phase_lag(groups: int, copies: int) -> int:
    """Return by how many strips a phase is behind the phase before it.

    `groups` of special instructions are in the body, `copies` strips have registers. Two strips
    apart, the lanes need not wait for the results of a short group; four copies suffice for that if
    there is one group only.
    """
    return 2 if copies > 2 * groups else 1
