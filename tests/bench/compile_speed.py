"""How long compiling a fully dynamic chain takes, beside IREE for the short one.

    python tests/bench/compile_speed.py [OPERATORS ...]

One line per chain (default: 50 and 2000 operators): processor seconds after import, machine words,
kernels, dispatches. IREE compiles the chain of at most 50 operators for the CPU; its processor time
is that of a process of its own. Exit code 1 if 50 operators take 1 s or 2,000 take 15 s.
"""

from __future__ import annotations

import resource
import sys
import time

import iree.compiler

import hwc
from hwc.cli.table import aligned

IREE_MOST = 50
LIMITS = {50: 1.0, 2000: 15.0}
OPERATORS = ("add", "mul", "sub", "maximum", "tanh", "minimum")
KIND = "tensor<?x?xf32>"


def chain(count: int) -> str:
    """Return a chain of operators; every binary one may broadcast in both dimensions."""
    text = f"func.func @main(%a: {KIND}, %b: {KIND}, %c: {KIND}) -> {KIND} {{\n"
    text += '  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>\n'
    last = "%a"
    for i in range(count):
        operator = OPERATORS[i % len(OPERATORS)]
        operands, kinds = [last, "%b" if i % 2 else "%c"], [KIND, KIND]
        if operator == "tanh":
            operands, kinds = operands[:1], kinds[:1]
        if operator == "mul":
            operands, kinds = [*operands, "%s"], [*kinds, "tensor<1xi8>"]
        text += f"  %{i} = tosa.{operator} {', '.join(operands)} : ({', '.join(kinds)}) -> {KIND}\n"
        last = f"%{i}"
    return text + f"  return {last} : {KIND}\n}}\n"


def iree_seconds(text: str) -> float:
    """Return the processor time of IREE's compiler, which runs as a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    flags = ["--iree-llvmcpu-target-cpu=generic"]
    backends = ["llvm-cpu"]
    iree.compiler.compile_str(text, input_type="tosa", target_backends=backends, extra_args=flags)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure; return the exit code."""
    hwc.compile(chain(1))
    rows = [["operators", "hwc", "IREE 3.13", "words", "kernels", "dispatches"]]
    slow = False
    for count in [int(a) for a in sys.argv[1:]] or list(LIMITS):
        text = chain(count)
        start = time.process_time()
        package = hwc.compile(text).package
        seconds = time.process_time() - start
        slow |= seconds >= LIMITS.get(count, float("inf"))
        other = f"{iree_seconds(text):.2f} s" if count <= IREE_MOST else "-"
        words = sum(len(d.words) for d in package.dispatches)
        kernels = sum(len(d.kernels) for d in package.dispatches)
        counts = [str(words), str(kernels), str(len(package.dispatches))]
        rows.append([str(count), f"{seconds:.2f} s", other, *counts])
    for line in aligned(rows, right=range(6)):
        print(line)
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
