"""Random programs before two other judges: the official reference model of TOSA, and IREE.

    PYTHONPATH=.:tests python -m bench.judges [--programs 100] [--first 0]

The reference model runs the program that `specialize` makes for the shapes of a call, if TOSA 1.0
defines it: `tosa-opt` validates it against the profiles. IREE runs what `--portable --checks`
makes, for every call: where the package refuses a call, the assertions have to refuse it as well.
All results have to be those of the package, bit for bit. Exit code 1 if one is not.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

import numpy as np
from e2e.support.iree import Judge
from e2e.support.mlir_tools import TOSA_OPT, reference_model, run_tool
from iree.compiler import CompilerToolError
from numpy.typing import NDArray
from random_programs.generator import calls, generate
from xdsl.printer import Printer

import hwc
from hwc import pipeline
from hwc.frontend.source import Source

CALLS = 4
VALIDATE = (
    "--tosa-attach-target=profiles=pro_int,pro_fp specification_version=1.0 level=none",
    "--tosa-validate=strict-op-spec-alignment",
)
# IREE 3.13 gives every row of such a tensor the last row's elements (tests/e2e/test_judges.py).
BUILT_WRONGLY_BY_IREE = re.compile(r"tensor\.from_elements .*: tensor<\d+x\d+x")
Arrays = Sequence[NDArray[Any]]


class DifferentError(AssertionError):
    """A judge says something else than the package."""


def check(seed: int) -> Counter[str]:
    """Check the program of a seed; returns how often what was seen.

    Raises:
        DifferentError: a result differs, or one takes a call that the other refuses.
    """
    generator = generate(seed)
    text = generator.graph.text()
    program = hwc.compile(text)
    names = [argument.name.removeprefix("%") for argument in generator.graph.arguments]
    seen: Counter[str] = Counter(programs=1)
    portable = None
    if BUILT_WRONGLY_BY_IREE.search(text):
        seen["not judged by IREE, which builds tensors of rank 2 wrongly"] += 1
    else:
        try:
            portable = Judge(_portable(text), "auto")
        except CompilerToolError:
            seen["not compiled by IREE"] += 1
    for arrays in calls(generator, CALLS):
        try:
            outputs = program(*arrays).outputs
        except hwc.DispatchError as error:
            if str(error).startswith("argument "):
                seen["calls whose arguments do not have their types"] += 1
            elif portable is not None:
                _must_refuse(portable, arrays, seed)
                seen["calls refused by the package and by IREE"] += 1
            continue
        if portable is not None:
            _compare(portable(*arrays), outputs, f"seed {seed}, IREE")
            seen["calls equal to IREE"] += 1
        shapes = dict(zip(names, (array.shape for array in arrays), strict=True))
        seen[_by_the_reference_model(program, shapes, arrays, outputs, seed)] += 1
    return seen


def _portable(text: str) -> str:
    stages = (pipeline.CHECKED_PORTABLE,)
    result = pipeline.run(Source("-", text), until="linalg", then=stages)
    out = StringIO()
    Printer(out).print_op(result.module)
    return out.getvalue()


def _must_refuse(portable: Callable[..., Any], arrays: Arrays, seed: int) -> None:
    try:
        portable(*arrays)
    except (IndexError, RuntimeError, ValueError):
        return
    raise DifferentError(
        f"seed {seed}: IREE takes {[a.shape for a in arrays]}, the package does not"
    )


def _by_the_reference_model(
    program: hwc.Program,
    shapes: dict[str, tuple[int, ...]],
    arrays: Arrays,
    outputs: Arrays,
    seed: int,
) -> str:
    try:
        static = program.specialize(**shapes)
    except hwc.UserError as error:
        if "without elements" not in str(error):
            raise
        return "calls without elements, which TOSA 1.0 does not have"
    try:
        run_tool(TOSA_OPT, static, *VALIDATE)
    except ValueError:
        return "calls of programs that TOSA 1.0 does not define"
    try:
        expected = reference_model(static, arrays)
    except ValueError:
        return "calls that the reference model refuses"
    _compare(expected, outputs, f"seed {seed}, the reference model")
    return "calls equal to the reference model"


def _compare(expected: Sequence[NDArray[Any]], outputs: Arrays, who: str) -> None:
    for number, (judge, ours) in enumerate(zip(expected, outputs, strict=True)):
        same = np.asarray(judge)
        same = same.view(ours.dtype) if same.dtype.itemsize == ours.dtype.itemsize else same
        if same.shape != ours.shape or not np.array_equal(
            same, ours, equal_nan=ours.dtype.kind == "f"
        ):
            raise DifferentError(f"{who}: result {number} differs")


def main() -> int:
    """Check many programs and print the counts; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    args = parser.parse_args()
    seen: Counter[str] = Counter()
    wrong = 0
    for seed in range(args.first, args.first + args.programs):
        try:
            seen += check(seed)
        except DifferentError as error:
            wrong += 1
            print(error)
    for what, count in sorted(seen.items()):
        print(f"{count:6} {what}")
    print(f"{wrong:6} programs differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
