"""Options shared by several commands."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from hwc.frontend.language import Language
from hwc.shapes.modes import BROADCAST_MODES, RANK_MODES, TOSA_VERSIONS


def count(text: str) -> int:
    """Return an integer, 0 or more; argparse prints the error message."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, got {text!r}")
    return int(text)


def positive(text: str) -> int:
    """Return an integer, 1 or more; argparse prints the error message."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a whole number, 1 or more, got {text!r}")
    return int(text)


def fraction(text: str) -> float:
    """Return a finite number, 0 or more; argparse prints the error message."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a finite number, 0 or more, got {text!r}")
    return value


Options: TypeAlias = "argparse.ArgumentParser | argparse._ArgumentGroup"
"""Something that options can be added to: a parser or one of its groups."""


def add_input(parser: argparse.ArgumentParser) -> None:
    """Add `--input`, given once for each argument of the program."""
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="VALUE",
        help="a value for the next argument",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add `--seed`, which decides the `random:` values."""
    parser.add_argument(
        "--seed", type=count, default=0, help="seed of `random:` values (default 0)"
    )


def add_target(parser: Options, default: str | None) -> None:
    """Add the option that names a target; `default` is its default value."""
    parser.add_argument(
        "-t",
        "--target",
        default=default,
        metavar="TARGET",
        help="name of a target, as `hwc targets` lists them, or path of a target file "
        "(default: accel)",
    )


def add_cut(parser: Options) -> None:
    """Add the options that say how to cut a model into parts for the machine and the host."""
    group = parser.add_argument_group("options for models")
    group.add_argument(
        "--min-ops",
        type=positive,
        default=1,
        metavar="N",
        help="keep regions with fewer than N operators on the host (default: 1)",
    )
    group.add_argument(
        "--keep-on-host",
        action="append",
        default=[],
        metavar="OP",
        help="keep every operator OP on the host, such as Pow in ONNX, pow in TOSA or POW in "
        "TFLite; may be repeated",
    )
    group.add_argument(
        "--report",
        action="store_true",
        help="print to standard error where each node runs, after the summary of a program with "
        "parts on the host",
    )


def cut_options(args: argparse.Namespace) -> list[str]:
    """Return the options of `add_cut` that the command line gives."""
    given = {
        "--min-ops": args.min_ops != 1,
        "--keep-on-host": bool(args.keep_on_host),
        "--report": args.report,
    }
    return [option for option, is_given in given.items() if is_given]


def add_entry(parser: Options) -> None:
    """Add the option that selects a function in a file with several."""
    parser.add_argument(
        "--entry", metavar="NAME", help="the function to take, if the file has several"
    )


def add_language(parser: Options) -> None:
    """Add the options that give facts about a program's sizes in addition to its text."""
    parser.add_argument(
        "--broadcast",
        choices=BROADCAST_MODES,
        help="strict: no dynamic dimension of the program expands (default: as the program says, "
        "else numpy)",
    )
    parser.add_argument(
        "--ranks",
        choices=RANK_MODES,
        help="equal: refuse operands of different ranks instead of padding them (default: as the "
        "program says, else pad)",
    )
    parser.add_argument(
        "--conform",
        choices=TOSA_VERSIONS,
        help="refuse what this version of TOSA does not allow (default: take more, such as "
        "operands of different ranks and older text)",
    )
    parser.add_argument(
        "--assume",
        action="append",
        default=[],
        metavar="FACT",
        help="a fact about sizes, as in 'a.n %% 8 == 0' or 'b.0 in {1, a.0}', that every call is "
        "checked against; may be repeated",
    )


def language(args: argparse.Namespace) -> Language:
    """Return what the options of `add_language` say."""
    return Language(args.broadcast, args.ranks, tuple(args.assume), args.conform)


def add_libraries(parser: Options) -> None:
    """Add the option that names libraries of operators."""
    parser.add_argument(
        "--library",
        action="append",
        default=[],
        metavar="FILE",
        help="a file of private functions that define operators of tosa.custom; may be repeated",
    )
