"""Share of the roofline that compiled programs reach at 256x1024, on the named targets.

    PYTHONPATH=.:tests python -m bench.roofline_programs [--targets accel ...]

Operands are 256x1024, columns 256x1 and rows 1x1024; all sizes are dynamic. Beside the cycles of
the whole call are those of the engines: from the set-up's end to the last write response, summed
over kernels. Exit code 1 if the engines' share is below 99 %, or below what `LEAST_OF` and
`LEAST_QUANTISED` say, or if the engines take longer for the demo than they may.

Where the planner splits a program that one kernel could run, because a special function of a column
is then computed once for a row and not for every point, the single kernel is measured as well
(`in one`): it has to reach the share, and the split program must not take longer.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from bench import quantised
from bench.programs import Argument, Body, Named, Value, Writer, named
from numpy.typing import NDArray

import hwc
from hwc.runtime.roofline import ideal_cycles
from isa.load import load
from isa.target import Target, load_target

TARGETS = ("accel", "tiny", "wide")
SIZES = {"n": 256, "d": 1024}
LEAST = 0.99
LEAST_OF = {
    ("rotary, computed", "tiny"): 0.97,
    # 16,448 cycles at best. Of the 317 more, 203 are the way of the first word from a memory with a
    # latency of 100, and of the last response back.
    ("add of a row", "wide"): 0.98,
}
LEAST_QUANTISED = 0.95
MOST_CYCLES = {("chain", "accel"): 131_600, ("chain", "tiny"): 524_700, ("chain", "wide"): 66_100}


def _three(w: Writer, a: Value, b: Value, c: Value, d: Value) -> Value:
    exp = w.op("exp", w.op("add", w.op("tanh", a), b))
    return w.op("sub", w.op("sigmoid", w.op("mul", exp, c)), d)


def _gelu_tanh(w: Writer, x: Value) -> Value:
    cube = w.op("mul", w.op("mul", x, x), x)
    inner = w.op("add", x, w.op("mul", cube, w.constant("0.044715")))
    tanh = w.op("tanh", w.op("mul", inner, w.constant("0.79788456")))
    half = w.op("mul", x, w.constant("0.5"))
    return w.op("mul", half, w.op("add", tanh, w.constant("1.0")))


def _silu(w: Writer, x: Value) -> Value:
    return w.op("mul", x, w.op("sigmoid", x))


def _affine(w: Writer, x: Value, mean: Value, scale: Value, gamma: Value, beta: Value) -> Value:
    normal = w.op("mul", w.op("sub", x, mean), scale)
    return w.op("add", w.op("mul", normal, gamma), beta)


def _softmax(w: Writer, x: Value, largest: Value, total: Value) -> Value:
    return w.op("mul", w.op("exp", w.op("sub", x, largest)), w.op("reciprocal", total))


def _rotary(w: Writer, x: Value, rotated: Value, cos: Value, sin: Value) -> Value:
    return w.op("add", w.op("mul", x, cos), w.op("mul", rotated, sin))


def _add(w: Writer, a: Value, b: Value) -> Value:
    return w.op("add", a, b)


def _divide(w: Writer, a: Value, b: Value) -> Value:
    return w.op("intdiv", a, b)


def _program(name: str, arguments: str, body: Body, kind: str = "f32") -> Named:
    """Return a program; `arguments` are the dimensions of each, as in `nd n1 1d`."""
    read = tuple(
        Argument(f"a{i}", kind, tuple(1 if d == "1" else d for d in dims))
        for i, dims in enumerate(arguments.split())
    )
    return Named(name, name, read, body, SIZES, ())


PROGRAMS = (
    _program("chain", "nd nd nd nd", named("chain").body),
    _program("three functions", "nd nd nd nd", _three),
    _program("GELU, erf", "nd 1d", named("GELU").body),
    _program("GELU, tanh", "nd", _gelu_tanh),
    _program("hard-swish", "nd 1d", named("hard-swish").body),
    _program("SiLU", "nd", _silu),
    _program("RMS scale", "nd n1 1d", named("RMS scale").body),
    _program("layer norm", "nd n1 n1 1d 1d", named("layer norm").body),
    _program("layer norm, affine", "nd n1 n1 1d 1d", _affine),
    _program("rotary", "nd nd nd nd", _rotary),
    _program("rotary, computed", "nd nd n1 1d", named("rotary embedding").body),
    _program("softmax", "nd n1 n1", _softmax),
    _program("integer division", "nd nd", _divide, "i32"),
    _program("add", "nd nd", _add),
    _program("add of a row", "nd 1d", _add),
)
"""What is measured, besides quantised programs."""


class Row(NamedTuple):
    """A program on a target: kernels of the plan that ran; cycles of the call and of the engines.

    `ideal` are the cycles that the roofline allows at best, `least` the share of them that the
    engines have to reach, `most` the cycles that the call may take.
    """

    name: str
    target: str
    kernels: int
    cycles: int
    engines: int
    ideal: int
    least: float
    most: int

    @property
    def good(self) -> bool:
        """Whether it reaches what it has to."""
        most = MOST_CYCLES.get((self.name, self.target), self.engines)
        share = self.ideal >= self.least * self.engines
        return share and self.engines <= most and self.cycles <= self.most


def rows(targets: list[str]) -> Iterator[Row]:
    """Measure every program on every target."""
    for program in (*PROGRAMS, *quantised.programs(SIZES)):
        least = LEAST_QUANTISED if isinstance(program, quantised.Quantised) else LEAST
        arrays = program.arrays(program.shapes())
        for name in targets:
            target = load_target(name)
            compiled = hwc.compile(program.text(), target)
            share = LEAST_OF.get((program.name, name), least)
            row = _row(program.name, target, compiled, arrays, None, share)
            if row.kernels > 1 and "fused" in compiled.plans:
                one = _row(f"{program.name}, in one", target, compiled, arrays, "fused", share)
                if one.kernels == 1:
                    yield row._replace(least=0.0, most=one.cycles)
                    row = one
            yield row


def _row(
    title: str,
    target: Target,
    compiled: hwc.Program,
    arrays: list[NDArray[Any]],
    plan: str | None,
    least: float,
) -> Row:
    result = compiled(*arrays, plan=plan)
    shapes = [array.shape for array in arrays]
    ran = compiled.plan(compiled.symbols(shapes), plan)
    kernels = sum(len(d.kernels) for d in compiled.package.link(ran))
    counters = result.counters
    # From the engines' start to the last store of a kernel the store engine works or waits.
    engines = counters["store_busy"] + counters["store_stall_input"]
    engines += kernels * (target.memory_latency + load().timing.write_return)
    ideal = ideal_cycles(counters, target)
    return Row(title, target.name, kernels, result.cycles, engines, ideal, least, result.cycles)


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="Measure shares of the roofline.")
    parser.add_argument("--targets", nargs="+", default=list(TARGETS))
    args = parser.parse_args()
    print(f"{'program':22}{'target':8}{'kernels':>8}{'at best':>10}"
          f"{'cycles':>10}{'share':>9}{'engines':>10}{'share':>9}")  # fmt: skip
    bad = 0
    for row in rows(args.targets):
        bad += not row.good
        print(
            f"{row.name:22}{row.target:8}{row.kernels:8}{row.ideal:10}"
            f"{row.cycles:10}{100 * row.ideal / row.cycles:8.2f}%"
            f"{row.engines:10}{100 * row.ideal / row.engines:8.2f}%{'' if row.good else '  !'}",
            flush=True,
        )
    print(f"{bad} below what they have to reach" if bad else "every share is what it has to be")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
