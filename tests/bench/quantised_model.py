"""How much processor time hwc needs to compile a quantised convolutional network.

    python tests/bench/quantised_model.py [--parts 31] [--size 96] [--revision REVISION]

The network is like MobileNet in i8, with random weights: pointwise and depthwise convolutions for
IREE on the host, and between them what the machine computes (rescale, clamp, residual additions).
Every convolution is a host part of its own. The time is that of `hwc compile` in a process of its
own, with all processes that it starts. With `--revision`, that revision compiles the same program.
`--write FILE` writes the program and compiles nothing.

Exit code 1 if the time exceeds `SECONDS` for `PARTS` parts.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from revisions import CHECKOUT, environment, worktree

PARTS = 31
SECONDS = 20.0
"""Processor time that compiling `PARTS` parts may take."""

_STRIDED = (1, 3, 5, 11)
"""The blocks that halve height and width, and double the channels."""


class _Network:
    """The text of a network, operator by operator; `value` is the last result, in i8."""

    def __init__(self, size: int, channels: int) -> None:
        self._rng = np.random.default_rng(0)
        self._lines: list[str] = []
        self._argument = f"tensor<1x{size}x{size}x{channels}xi8>"
        self.value, self.size, self.channels = "%x", size, channels
        self._add('"tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>')
        self._add('"tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>')

    def convolution(self, channels: int, kernel: int, stride: int = 1) -> None:
        """Add a convolution to `channels` channels, its bias, and the rescale to i8."""
        shape = (channels, kernel, kernel, self.channels)
        self._contraction("conv2d", shape, channels, kernel, stride)

    def depthwise(self, kernel: int, stride: int = 1) -> None:
        """Add a depthwise convolution, its bias, and the rescale to i8."""
        shape = (kernel, kernel, self.channels, 1)
        self._contraction("depthwise_conv2d", shape, self.channels, kernel, stride)

    def add(self, other: str) -> None:
        """Add another value: both are rescaled to i32, added, and rescaled to i8."""
        wide = self._tensor("i32")
        left, right = (
            self._rescale(value, "i8", "i32", 1 << 30, 20) for value in (self.value, other)
        )
        total = self._add(f"tosa.add {left}, {right} : ({wide}, {wide}) -> {wide}")
        self.value = self._rescale(total, "i32", "i8", 1 << 30, 41)

    def text(self) -> str:
        """Return the function."""
        type_, body = self._tensor("i8"), "\n  ".join(self._lines)
        return (
            f"func.func @main(%x: {self._argument}) -> {type_} {{\n"
            f"  {body}\n  return {self.value} : {type_}\n}}\n"
        )

    def _contraction(
        self, operator: str, shape: tuple[int, ...], channels: int, kernel: int, stride: int
    ) -> None:
        given = self._tensor("i8")
        weights = self._constant(self._rng.integers(-127, 128, shape, np.int8))
        bias = self._constant(self._rng.integers(-1000, 1000, channels, np.int32))
        before = max((self.size // stride - 1) * stride + kernel - self.size, 0)
        low, high = before // 2, before - before // 2
        self.size, self.channels = self.size // stride, channels
        wide, sizes = self._tensor("i32"), "x".join(map(str, shape))
        made = self._add(
            f"tosa.{operator} {self.value}, {weights}, {bias}, %0, %0 {{acc_type = i32, "
            f"dilation = array<i64: 1, 1>, pad = array<i64: {low}, {high}, {low}, {high}>, "
            f"stride = array<i64: {stride}, {stride}>}} : ({given}, tensor<{sizes}xi8>, "
            f"tensor<{channels}xi32>, tensor<1xi8>, tensor<1xi8>) -> {wide}"
        )
        self.value = self._rescale(made, "i32", "i8", 1 << 30, 38)

    def _rescale(self, value: str, given: str, made: str, multiplier: int, shift: int) -> str:
        multipliers = self._constant(np.array([multiplier], np.int32))
        shifts = self._constant(np.array([shift], np.int8))
        zeros = {"i8": "%0", "i32": "%1"}
        return self._add(
            f"tosa.rescale {value}, {multipliers}, {shifts}, {zeros[given]}, {zeros[made]} "
            "{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, "
            "input_unsigned = false, output_unsigned = false} : "
            f"({self._tensor(given)}, tensor<1xi32>, tensor<1xi8>, tensor<1x{given}>, "
            f"tensor<1x{made}>) -> {self._tensor(made)}"
        )

    def _constant(self, array: np.ndarray) -> str:
        sizes = "x".join(map(str, array.shape))
        type_ = f"tensor<{sizes}xi{8 * array.itemsize}>"
        values = f'"0x{array.tobytes().hex().upper()}"' if array.size > 1 else str(array.item())
        return self._add(f'"tosa.const"() <{{values = dense<{values}> : {type_}}}> : () -> {type_}')

    def _tensor(self, element: str) -> str:
        return f"tensor<1x{self.size}x{self.size}x{self.channels}x{element}>"

    def _add(self, operation: str) -> str:
        self._lines.append(f"%{len(self._lines)} = {operation}")
        return f"%{len(self._lines) - 1}"


def network(parts: int = PARTS, size: int = 96) -> str:
    """Return a network with this many convolutions, an odd number, on images of `size` pixels."""
    made = _Network(size, 3)
    made.convolution(32, 3, 2)
    for block in range(parts // 2):
        stride = 2 if block in _STRIDED else 1
        before, channels = made.value, made.channels
        made.depthwise(3, stride)
        made.convolution(channels * stride, 1)
        if stride == 1 and block:
            made.add(before)
    return made.text()


def compile_seconds(program: Path, revision: Path) -> tuple[float, float]:
    """Return processor time, of all processes, and wall time of compiling a program."""
    command = [sys.executable, "-m", "hwc", "compile", str(program), "-o", os.devnull]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment(revision), check=True)
    waited, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, waited


def main() -> int:
    """Measure; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--parts", type=int, default=PARTS)
    parser.add_argument("--size", type=int, default=96)
    parser.add_argument("--revision")
    parser.add_argument("--write", metavar="FILE")
    args = parser.parse_args()
    text = network(args.parts, args.size)
    if args.write:
        Path(args.write).write_text(text)
        return 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        program = folder / "network.mlir"
        program.write_text(text)
        revisions = {"this checkout": CHECKOUT}
        if args.revision:
            revisions[args.revision] = stack.enter_context(
                worktree(args.revision, folder / "revision")
            )
        found = {name: compile_seconds(program, folder) for name, folder in revisions.items()}
    for name, (processor, waited) in found.items():
        print(f"{name}: {processor:.1f} s of processor time, {waited:.1f} s waited")
    return int(args.parts <= PARTS and found["this checkout"][0] > SECONDS)


if __name__ == "__main__":
    sys.exit(main())
