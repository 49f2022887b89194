"""Types of numbers that several commands have as options."""

from __future__ import annotations

import argparse


def count(text: str) -> int:
    """Return a whole number, 0 or more; argparse prints the message of the error."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, got {text!r}")
    return int(text)


def fraction(text: str) -> float:
    """Return a finite number, 0 or more; argparse prints the message of the error."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a finite number, 0 or more, got {text!r}")
    return value
