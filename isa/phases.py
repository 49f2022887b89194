"""The distance between the phases of a body: docs/timing.md, section "Vector pipe"."""

from __future__ import annotations


def phase_lag(groups: int, copies: int) -> int:
    """Return by how many strips a phase lags the phase before it.

    `groups` is the number of groups of special instructions in the body; `copies` strips have
    registers. With a lag of two strips, the lanes need not wait for the results of a short group;
    four copies are enough for that if there is only one group.
    """
    return 2 if copies > 2 * groups else 1
