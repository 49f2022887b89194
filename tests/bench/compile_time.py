"""How long compiling a chain of operators takes, beside IREE for the shortest one.

    python tests/bench/compile_time.py [--target accel] [--without-iree]

One line for each length: process time of hwc after its imports, for all stages from text to
package, and the limit. For 50 operators the same file goes through IREE (`iree.compiler`, if it is
installed; the process time of its compiler). Exit code 1 if hwc is over a limit.
"""

from __future__ import annotations

import argparse
import resource
import sys
from time import process_time

from hwc import pipeline
from hwc.compiler import compile_package
from hwc.dialects import DIALECTS, make_context
from hwc.frontend.source import Source
from isa.target import Target, load_target

LIMITS = {50: 1.0, 200: None, 2000: 15.0}
"""Operators of a chain, and the seconds it may take."""

IREE_OPERATORS = 50


def chain(operators: int) -> str:
    """A rank-3, fully dynamic chain that repeats add, mul, tanh, sub over three arguments."""
    kind = "tensor<?x?x?xf32>"
    lines = ['%s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>']
    value = "%a"
    for i in range(operators):
        name = f"%v{i}"
        match i % 4:
            case 0:
                line = f"tosa.add {value}, %b : ({kind}, {kind})"
            case 1:
                line = f"tosa.mul {value}, %c, %s : ({kind}, {kind}, tensor<1xi8>)"
            case 2:
                line = f"tosa.tanh {value} : ({kind})"
            case _:
                line = f"tosa.sub {value}, %b : ({kind}, {kind})"
        lines.append(f"{name} = {line} -> {kind}")
        value = name
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%a: {kind}, %b: {kind}, %c: {kind}) -> {kind} {{\n"
        f"  {body}\n  return {value} : {kind}\n}}\n"
    )


def import_everything() -> None:
    """Import what a compilation imports on its first use."""
    for name in pipeline.PASSES:
        pipeline.load_pass(name)
    context = make_context()
    for name in DIALECTS:
        context.get_optional_dialect(name)


def hwc_seconds(text: str, target: Target) -> tuple[float, int]:
    """Process time of one compilation, and the kernels it gives."""
    start = process_time()
    package = compile_package(Source("chain.mlir", text), target).package
    return process_time() - start, sum(len(d.kernels) for d in package.dispatches)


def iree_seconds(text: str) -> float | None:
    """Process time of IREE's compiler for the same text, None if it is not installed."""
    try:
        import iree.compiler  # noqa: PLC0415
    except ImportError:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    iree.compiler.compile_str(
        text,
        input_type="tosa",
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=generic"],
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure every length; returns the exit code."""
    parser = argparse.ArgumentParser(description="Time the compilation of chains.")
    parser.add_argument("--target", default="accel")
    parser.add_argument("--without-iree", action="store_true")
    args = parser.parse_args()
    target = load_target(args.target)
    import_everything()
    good = True
    print(f"{'operators':>9} {'kernels':>7} {'hwc':>8} {'limit':>7} {'IREE':>8} {'IREE/hwc':>8}")
    for operators, limit in LIMITS.items():
        text = chain(operators)
        seconds, kernels = hwc_seconds(text, target)
        good &= limit is None or seconds < limit
        columns = [f"{operators:9} {kernels:7} {seconds:6.2f} s"]
        columns.append(f"{limit:5.1f} s" if limit else f"{'-':>7}")
        other = None
        if operators == IREE_OPERATORS and not args.without_iree:
            other = iree_seconds(text)
        columns.append(f"{other:6.2f} s {other / seconds:7.0f}x" if other else f"{'-':>8} {'-':>8}")
        print(" ".join(columns), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
