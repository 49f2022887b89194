"""Bits and states in the host's registers, for tests (docs/host_registers.md).

They are not read from the description of the registers: a test that uses them notices if a bit
moves.
"""

START, RESUME, FLUSH, ABORT, KEEP_COUNTERS = 1, 2, 4, 8, 16
"""Bits of `control`; a launch's tag is above them, from bit 16 on."""

STATE = 7
"""The bits of `status` with one of these states."""
IDLE, RUNNING, DONE, FAULTED, ABORTED = range(5)
AXI_ERROR, HELD = 1 << 8, 1 << 9
DEPTH = 4
"""Launches that the queue holds."""
FREE = DEPTH << 16
"""In `status`, while the queue is empty."""

IRQ_DONE, IRQ_FAULT, IRQ_EMPTY, IRQ_OVERRUN, IRQ_ABORTED = 1, 2, 4, 8, 16
IRQ_ALL = 31
"""Every bit of `irq_enable` and `irq_pending`."""
