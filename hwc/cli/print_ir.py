"""The options of `hwc compile` and `hwc-opt` that print the program after passes."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches
from io import StringIO
from typing import TYPE_CHECKING

from hwc.cli.verbosity import LOG
from hwc.errors import UserError
from hwc.pipeline import PASSES

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

OPTION = "--print-ir-after"


def add_print_ir(parser: argparse.ArgumentParser) -> None:
    """Add the options, also under their mlir-opt names."""
    parser.add_argument(
        OPTION,
        f"--mlir-{OPTION[2:]}",
        action="append",
        default=[],
        metavar="PASS",
        help="print the program to standard error after this pass, or these, separated by commas; "
        "may be repeated",
    )
    parser.add_argument(
        f"{OPTION}-all",
        f"--mlir-{OPTION[2:]}-all",
        action="store_true",
        help="print the program to standard error after every pass",
    )


class PrintIr:
    """Prints the program after the passes that the command line names."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Read the options.

        Raises:
            UserError: there is no such pass.
        """
        self._all: bool = args.print_ir_after_all
        self._missing = {name for names in args.print_ir_after for name in names.split(",")}
        self._wanted = frozenset(self._missing)
        for name in sorted(self._wanted - set(PASSES)):
            raise UserError(f"{OPTION}: error: {no_pass(name)}")

    def __call__(self, name: str, module: ModuleOp) -> None:
        """Print the program if the command line asks for it after the pass called `name`."""
        self._missing.discard(name)
        if self._all or name in self._wanted:
            print(f"// after {name}\n{text_of(module)}", file=sys.stderr)

    def finish(self) -> None:
        """Report the requested passes that did not run."""
        for name in sorted(self._missing):
            LOG.warning("%s: pass '%s' did not run", OPTION, name)


def no_pass(name: str) -> str:
    """Return the message that no pass is called `name`, with the nearest name or all names."""
    near = get_close_matches(name, PASSES, 1)
    help_ = f"did you mean '{near[0]}'?" if near else f"passes are {', '.join(sorted(PASSES))}"
    return f"there is no pass '{name}'; {help_}"


def text_of(module: ModuleOp, *, generic: bool = False, locations: bool = False) -> str:
    """Return the text of a module, in generic form or with locations if requested."""
    from hwc.dialects.printing import ExactPrinter  # noqa: PLC0415 - xDSL is slow to import

    text = StringIO()
    printer = ExactPrinter(text, print_generic_format=generic, print_debuginfo=locations)
    printer.print_op(module)
    return f"{text.getvalue()}\n"
