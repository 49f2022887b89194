"""Ways in which a simulation of the hardware fails."""

from __future__ import annotations

from isa.errors import UserError


class HardwareError(UserError):
    """The simulated hardware did not come to an end, or one of its assertions failed."""


class UnavailableError(HardwareError):
    """The hardware could not be simulated; that says nothing about the hardware."""


class KilledError(UnavailableError):
    """A signal ended the process that simulates the hardware."""
