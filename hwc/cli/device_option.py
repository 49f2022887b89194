"""The option `--device`, shared by several commands."""

from __future__ import annotations

import argparse

from hwc.errors import UserError


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--device",
        default="simulator",
        metavar="NAME",
        help="the device: simulator (default), or rtl, the hardware simulated by Verilator",
    )


def given_device(name: str) -> str:
    """Return the name of the device, after a check that the device exists.

    Raises:
        UserError: there is no such device.
    """
    from hwc.runtime import device_names  # noqa: PLC0415 - `hwc --help` needs no simulator

    if name not in device_names():
        known = ", ".join(device_names())
        raise UserError(f"--device: error: no device {name!r}: known are {known}")
    return name
