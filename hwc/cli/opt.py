"""The command `hwc-opt`: runs selected passes on IR text, for pass authors."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import hwc
from hwc.cli.guard import guarded
from hwc.cli.print_ir import PrintIr, add_print_ir, no_pass, text_of
from hwc.cli.texts import STANDARD, check_files, read, write
from hwc.cli.verbosity import add_verbosity, start_log
from hwc.errors import UserError
from hwc.frontend.diagnostics import LocatedError, quoting
from hwc.frontend.source import Location, Source
from hwc.pipeline import PASSES, Timing, load_pass, run_passes

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.passes import ModulePass

SEPARATOR = "// -----"
_PASS = "--pass"
_ANCHOR = "builtin.module"
_SPACE = re.compile(r"\s*(,)\s*(?![^{}]*\})")
_NESTED = re.compile(r"\s*([\w.]+)\s*\((.*)\)\s*", re.S)
"""A pipeline in mlir-opt's syntax: the operation to run on, and the passes."""
_EXPECTED = re.compile(r"expected-error\s*(?:@([+-]\d+))?\s*\{\{(.*?)\}\}")


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    command = argparse.ArgumentParser(
        prog="hwc-opt", description="Run passes on IR text and print the result."
    )
    command.add_argument(
        "file", nargs="?", default=STANDARD, help="IR text, or - for standard input (default)"
    )
    command.add_argument(
        "-o", "--output", default=STANDARD, help="file to write, or - for standard output (default)"
    )
    command.add_argument("--version", action="version", version=f"hwc-opt {hwc.__version__}")
    command.add_argument(
        "-p",
        "--pass-pipeline",
        metavar="PASSES",
        help="passes to run, separated by commas, options in braces: a,b{option=1}, or "
        "builtin.module(a,b{option=1})",
    )
    command.add_argument(
        _PASS,
        dest="passes",
        action="append",
        default=[],
        metavar="PASS",
        help="run this pass; the name of a pass is an option as well, as in --verify-tosa or "
        "--fuse-kernels='target=tiny'. Passes run in the order of these options",
    )
    command.add_argument(
        "--list-passes", action="store_true", help="print the name and the purpose of every pass"
    )
    command.add_argument(
        "--split-input-file",
        action="store_true",
        help=f"process the pieces between lines `{SEPARATOR}` as separate files",
    )
    command.add_argument(
        "--verify-diagnostics",
        action="store_true",
        help="print errors to standard output and succeed; a piece with comments "
        "`expected-error @+1 {{text}}` succeeds only if it has exactly these errors",
    )
    command.add_argument(
        "--allow-unregistered-dialect",
        action="store_true",
        help="accept operations, types and attributes of unknown dialects",
    )
    command.add_argument(
        "--print-op-generic",
        "--mlir-print-op-generic",
        action="store_true",
        help="print every operation in generic form",
    )
    command.add_argument(
        "--print-debuginfo",
        "--mlir-print-debuginfo",
        action="store_true",
        help="print the location of every operation",
    )
    add_print_ir(command)
    command.add_argument(
        "--timing",
        "--mlir-timing",
        action="store_true",
        help="print the time of each pass to standard error",
    )
    add_verbosity(command)
    return command


def with_passes(argv: Sequence[str]) -> list[str]:
    """Return the arguments, with `--NAME` and `--NAME=OPTIONS` of passes turned into `--pass`."""
    found = ((re.fullmatch(r"--?([\w-]+)(?:=(.*))?", arg, re.S), arg) for arg in argv)
    return [
        f"{_PASS}={match[1]}" + (f"{{{match[2]}}}" if match[2] else "")
        if match and match[1] in PASSES
        else arg
        for match, arg in found
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 (error), 2 (wrong usage)."""
    given = with_passes(sys.argv[1:] if argv is None else argv)
    return guarded("hwc-opt", lambda: _execute(parser().parse_args(given)))


def _execute(args: argparse.Namespace) -> int:
    start_log(args)
    if args.list_passes:
        for name in sorted(PASSES):
            summary = (load_pass(name).__doc__ or "").splitlines()[0]
            print(f"{name:<28} {summary}")
        return 0
    if args.passes and args.pass_pipeline is not None:
        raise UserError("--pass-pipeline: error: passes are options as well; use one of the two")
    passes = parse_pipeline(args.pass_pipeline or ",".join(args.passes))
    show = PrintIr(args)
    check_files({"the input": args.file}, {"-o": args.output})
    source = Source(*read(args.file))
    timing = Timing()
    is_text = source.flatbuffer is None
    pieces = split(source) if args.split_input_file and is_text else [source]
    outputs: list[str] = []
    failed = False
    for piece in pieces:
        try:
            text, error = _process(piece, passes, args, timing, show), None
        except LocatedError as raised:
            text, error = "", raised
        if args.verify_diagnostics:
            expected = list(expected_errors(piece))
            if expected:
                failed |= not _as_expected(piece, expected, error)
            elif error is not None:
                text = f"{error}\n"
        elif error is not None:
            print(error, file=sys.stderr)
            failed = True
        outputs.append(text)
    write(args.output, f"{SEPARATOR}\n".join(outputs))
    show.finish()
    if args.timing:
        print(timing, file=sys.stderr)
    return int(failed)


def _process(
    source: Source,
    passes: Sequence[ModulePass],
    args: argparse.Namespace,
    timing: Timing,
    show: PrintIr,
) -> str:
    from hwc.dialects import make_context  # noqa: PLC0415 - xDSL is slow to import
    from hwc.frontend.parser import parse  # noqa: PLC0415 - xDSL is slow to import

    context: Context = make_context()
    context.allow_unregistered = args.allow_unregistered_dialect
    with quoting(source):
        module = parse(source, context)
        run_passes(module, context, passes, timing, show, verify_each=True)
    return text_of(module, generic=args.print_op_generic, locations=args.print_debuginfo)


def parse_pipeline(text: str) -> tuple[ModulePass, ...]:
    """Return the passes that `text` names: `a,b{option=1}`, or `builtin.module(a,b)`.

    Raises:
        UserError: the text is malformed, or names a pass or an option that does not exist.
    """
    from xdsl.utils.arg_spec import parse_pipeline as parse_specs  # noqa: PLC0415 - xDSL is slow to import
    from xdsl.utils.exceptions import ArgSpecParseError  # noqa: PLC0415 - xDSL is slow to import

    nested = _NESTED.fullmatch(text)
    if nested and nested[1] != _ANCHOR:
        raise UserError(
            f"--pass-pipeline: error: passes run on {_ANCHOR}, not on {nested[1]}; write "
            f"{_ANCHOR}({nested[2]})"
        )
    if nested is None and "(" in text:
        raise UserError(
            f"--pass-pipeline: error: got {text!r}, expected {_ANCHOR}(PASSES), or passes alone"
        )
    try:
        # xDSL's parser allows no space between passes; in braces, a space separates options.
        named = _SPACE.sub(r"\1", (nested[2] if nested else text).strip())
        specs = list(parse_specs(named))
    except ArgSpecParseError as error:
        raise UserError(f"--pass-pipeline: error: {error}") from None
    passes: list[ModulePass] = []
    for spec in specs:
        if spec.name not in PASSES:
            raise UserError(f"--pass-pipeline: error: {no_pass(spec.name)}")
        transform = load_pass(spec.name)
        _check_options(transform, spec.parameters)
        try:
            passes.append(transform.from_spec(spec))
        except (TypeError, ValueError) as error:
            raise UserError(f"--pass-pipeline: error: '{spec.name}': {error}") from None
    return tuple(passes)


def _check_options(transform: type[ModulePass], given: Iterable[str]) -> None:
    known = {option.name.replace("_", "-") for option in fields(transform)}
    for name in given:
        if name.replace("_", "-") not in known:
            has = f"options are {', '.join(sorted(known))}" if known else "it has no options"
            raise UserError(
                f"--pass-pipeline: error: pass '{transform.name}' has no option '{name}'; {has}"
            )


def split(source: Source) -> Iterator[Source]:
    """Yield the pieces of `source` between separator lines; each piece has its first line."""
    line = source.first_line
    for text in source.text.split(SEPARATOR):
        yield Source(source.name, text, line)
        line += text.count("\n")


def expected_errors(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every error that comments in `source` expect."""
    for number, text in enumerate(source.text.split("\n"), source.first_line):
        for match in _EXPECTED.finditer(text):
            yield number + int(match[1] or 0), match[2]


def _as_expected(
    source: Source, expected: Sequence[tuple[int, str]], error: LocatedError | None
) -> bool:
    remaining = list(expected)
    for one in () if error is None else error.errors:
        line = one.location.line if isinstance(one.location, Location) else 0
        found = next((e for e in remaining if e[0] == line and e[1] in one.message), None)
        if found is None:
            print(f"unexpected {error}", file=sys.stderr)
            return False
        remaining.remove(found)
    for line, text in remaining:
        print(
            f"{source.name}:{line}: error: expected the error '{text}' here, got none",
            file=sys.stderr,
        )
    return not remaining


if __name__ == "__main__":
    sys.exit(main())
