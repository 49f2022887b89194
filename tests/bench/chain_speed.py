"""How long a call of a fused chain of ten operators takes, beside NumPy's ten operations.

    python tests/bench/chain_speed.py [--target accel] [--rounds 41] [--piece POINTS]

A matrix of 1,024 x 1,024, with another matrix and with a row. One line for each: the medians of
paired runs in milliseconds of processor time, and the median of their ratios. The call is the whole
call, with the checks of its arguments and the cycles; its results are NumPy's. Exit code 1 if a
ratio is above the limit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

import hwc
from sim import execute

LIMIT = 2.0
SIZE = 1024
ROWS = "tensor<?x?xf32>"
TEXT = f"""
func.func @main(%a: {ROWS}, %b: {ROWS}) -> {ROWS} {{
  %s = "tosa.const"() {{values = dense<0> : tensor<1xi8>}} : () -> tensor<1xi8>
  %0 = tosa.add %a, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %1 = tosa.mul %0, %b, %s : ({ROWS}, {ROWS}, tensor<1xi8>) -> {ROWS}
  %2 = tosa.sub %1, %a : ({ROWS}, {ROWS}) -> {ROWS}
  %3 = tosa.maximum %2, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %4 = tosa.abs %3 : ({ROWS}) -> {ROWS}
  %5 = tosa.add %4, %a : ({ROWS}, {ROWS}) -> {ROWS}
  %6 = tosa.minimum %5, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %7 = tosa.mul %6, %a, %s : ({ROWS}, {ROWS}, tensor<1xi8>) -> {ROWS}
  %8 = tosa.sub %7, %b : ({ROWS}, {ROWS}) -> {ROWS}
  %9 = tosa.add %8, %a : ({ROWS}, {ROWS}) -> {ROWS}
  return %9 : {ROWS}
}}
"""


def chain(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute what the program does, an operation after another."""
    x = (a + b) * b - a
    x = np.abs(np.maximum(x, b)) + a
    return np.minimum(x, b) * a - b + a


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = process_time()
    work()
    return process_time() - start


def main() -> int:
    """Measure both shapes; returns the exit code."""
    parser = argparse.ArgumentParser(description="Time a fused chain of ten operators.")
    parser.add_argument("--target", default="accel")
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--piece", type=int, default=execute.PIECE_POINTS)
    args = parser.parse_args()
    execute.PIECE_POINTS = args.piece
    program = hwc.compile(TEXT, args.target)
    rng = np.random.default_rng(1)
    worst = 0.0
    print(f"ten f32 operators on {SIZE}x{SIZE}, pieces of {args.piece}, {args.rounds} rounds")
    print(f"{'operand':10}{'NumPy ms':>10}{'call ms':>10}{'ratio':>8}")
    for name, rows in (("matrix", SIZE), ("row", 1)):
        a = rng.standard_normal((SIZE, SIZE), np.float32)
        b = rng.standard_normal((rows, SIZE), np.float32)
        assert np.array_equal(program(a, b).outputs[0], chain(a, b)), "the results are NumPy's"
        pairs = [
            (seconds(lambda a=a, b=b: chain(a, b)), seconds(lambda a=a, b=b: program(a, b)))
            for _ in range(args.rounds)
        ]
        numpy, call = (1e3 * median(column) for column in zip(*pairs, strict=True))
        ratio = median(call / numpy for numpy, call in pairs)
        worst = max(worst, ratio)
        print(f"{name:10}{numpy:10.2f}{call:10.2f}{ratio:8.2f}")
    print(f"worst ratio: {worst:.2f}, allowed: {LIMIT:g}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
