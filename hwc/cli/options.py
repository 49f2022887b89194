"""Numbers that options of several commands take."""

from __future__ import annotations

import argparse


def count(text: str) -> int:
    """Return a whole number from 0; argparse prints the message of what is none."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0, came {text!r}")
    return int(text)


def fraction(text: str) -> float:
    """Return a finite number from 0; argparse prints the message of what is none."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a finite number from 0, came {text!r}")
    return value
