"""Random models: element-wise operators of TOSA beside those that move, reduce and multiply.

    PYTHONPATH=.:tests python -m random_programs.models FIRST LAST

checks the models of these seeds: which operators stay on the host is drawn at random, and every
call gives what NumPy computes, or is refused if NumPy refuses it. Only operators that an engine
computes exactly are drawn.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from random_programs import operations
from random_programs.check import CALLS, LOCATED, TARGETS
from random_programs.generator import MAX_POINTS, MAX_RANK, Generator, calls
from random_programs.graph import Array, Node, RefusedError, Types, Value

from hwc.compiler import compile_package
from hwc.errors import DispatchError, UserError
from hwc.frontend.source import Source
from hwc.models.compile import Cut
from hwc.package import HostStep, Package
from hwc.runtime.program import Program
from hwc.tosa import parts
from isa.target import load_target

ENGINE = re.compile(r"-:\d+:\d+: error: IREE does not compile 'tosa\.\w+': ")
"""How the message about a part begins that the engine does not compile."""
CHUNK = 50
"""How many models are compiled together."""
ALL = (*INTEGERS, *FLOATS, "i1")
Run = Callable[..., Array]


def _add(  # noqa: PLR0917 - an operator has all of these
    g: Generator,
    operator: str,
    operands: Sequence[Value],
    kind: str,
    run: Run,
    inferred: Sequence[int | None],
    attributes: str = "",
) -> None:
    """Add an operator whose result has the sizes `inferred` by the types of its operands."""
    try:
        result = run(*(g.array(v) for v in operands if not v.text))
    except RefusedError:
        return
    if result.size > MAX_POINTS or result.ndim > MAX_RANK:
        return
    value = Value(g.name(), kind, g.declare(result.shape, inferred))

    def write(type_of: Types) -> str:
        names = ", ".join(v.name for v in operands)
        types = ", ".join(type_of(v) for v in operands)
        given = f" {{{attributes}}}" if attributes else ""
        return f'{value.name} = "tosa.{operator}"({names}){given} : ({types}) -> {type_of(value)}'

    tensors = [number for number, v in enumerate(operands) if not v.text]
    g.add(Node(value, tuple(operands), write, lambda *all_: run(*(all_[n] for n in tensors))))


def _shape(g: Generator, values: Sequence[int]) -> Value:
    """Add a constant shape."""
    value = Value(g.name(), "", text=f"!tosa.shape<{len(values)}>")
    data = f"dense<{[*values] if values else ''}> : tensor<{len(values)}xindex>"

    def write(_: Types) -> str:
        return f'{value.name} = "tosa.const_shape"() {{values = {data}}} : () -> {value.text}'

    g.add(Node(value, (), write, lambda: tuple(values)))
    return value


def _picked(g: Generator, *kinds: str, least: int = 1) -> Value | None:
    """Return a tensor of a rank of at least `least`."""
    for _ in range(4):
        value = g.pick(*kinds)
        if value is not None and g.array(value).ndim >= least:
            return value
    return None


def _transpose(g: Generator) -> None:
    if (x := _picked(g, *ALL)) is not None:
        perms = [*range(len(x.declared))]
        g.rng.shuffle(perms)
        sizes = [x.declared[d] for d in perms]
        text = f"perms = array<i32: {', '.join(map(str, perms))}>"
        _add(g, "transpose", [x], x.kind, lambda a: a.transpose(perms), sizes, text)


def _reverse(g: Generator) -> None:
    if (x := _picked(g, *ALL)) is not None:
        axis = g.rng.randrange(len(x.declared))
        _add(
            g,
            "reverse",
            [x],
            x.kind,
            lambda a: np.flip(a, axis),
            x.declared,
            f"axis = {axis} : i32",
        )


def _concat(g: Generator) -> None:
    if (x := _picked(g, *ALL)) is None:
        return
    axis, rank = g.rng.randrange(len(x.declared)), len(x.declared)
    others = [v for v in g.tensors if v.kind == x.kind and len(v.declared) == rank]
    parts = [x, *(g.rng.choice(others) for _ in range(g.rng.choice((0, 1, 1, 2))))]

    def run(*arrays: Array) -> Array:
        try:
            return np.concatenate(arrays, axis)
        except ValueError as error:
            raise RefusedError(str(error)) from None

    sizes: list[int | None] = []
    for dimension, column in enumerate(zip(*(v.declared for v in parts), strict=True)):
        if dimension == axis:
            known = [n for n in column if n is not None]
            sizes.append(sum(known) if len(known) == len(column) else None)
        else:
            sizes.append(next((n for n in column if n is not None), None))
    _add(g, "concat", parts, x.kind, run, sizes, f"axis = {axis} : i32")


def _slice(g: Generator) -> None:
    if (x := _picked(g, *ALL)) is None:
        return
    own = g.array(x).shape
    if 0 in own:
        return  # TOSA: a slice has at least one element in each dimension.
    start = [g.rng.randint(0, n - 1) for n in own]
    taken = [g.rng.randint(1, n - s) for n, s in zip(own, start, strict=True)]

    def run(a: Array) -> Array:
        if any(s + n > size for s, n, size in zip(start, taken, a.shape, strict=True)):
            raise RefusedError(f"a slice from {start} of {taken} of {a.shape}")
        return a[tuple(slice(s, s + n) for s, n in zip(start, taken, strict=True))]

    _add(g, "slice", [x, _shape(g, start), _shape(g, taken)], x.kind, run, taken)


def _tile(g: Generator) -> None:
    if (x := _picked(g, *ALL)) is not None:
        times = [g.rng.choice((1, 1, 2, 3)) for _ in x.declared]
        sizes = [None if n is None else n * t for n, t in zip(x.declared, times, strict=True)]
        _add(g, "tile", [x, _shape(g, times)], x.kind, lambda a: np.tile(a, times), sizes)


def _pad(g: Generator) -> None:
    if (x := _picked(g, *INTEGERS, *FLOATS)) is None:
        return
    around = [(g.rng.choice((0, 0, 1, 2)), g.rng.choice((0, 1))) for _ in x.declared]
    sizes = [None if n is None else n + sum(a) for n, a in zip(x.declared, around, strict=True)]
    value = np.asarray([g.rng.randint(-3, 3)], DTYPES[x.kind])
    padding = _shape(g, [amount for pair in around for amount in pair])
    element = operations.constant(g, value, x.kind)
    _add(
        g,
        "pad",
        [x, padding, element],
        x.kind,
        lambda a, v: np.pad(a, around, constant_values=v[0]),
        sizes,
    )


def _reduce(g: Generator) -> None:
    name = g.rng.choice(("max", "min", "sum", "all", "any"))
    kinds = {"sum": ("i32",), "all": ("i1",), "any": ("i1",)}.get(name, ("i32", "i16", "i8", "f32"))
    if (x := _picked(g, *kinds)) is None:
        return
    axis = g.rng.randrange(len(x.declared))
    least: dict[str, object] = {}
    if name in ("max", "min"):
        info = np.finfo(np.float32) if x.kind == "f32" else np.iinfo(DTYPES[x.kind])
        ends = (-np.inf, np.inf) if x.kind == "f32" else (info.min, info.max)
        least = {"initial": ends[name == "min"]}

    def run(a: Array) -> Array:
        reduced = getattr(np, name)(a, axis=axis, keepdims=True, **least)
        return np.asarray(reduced, a.dtype)

    sizes = [1 if d == axis else n for d, n in enumerate(x.declared)]
    _add(g, f"reduce_{name}", [x], x.kind, run, sizes, f"axis = {axis} : i32")


def _gather(g: Generator) -> None:
    values = [v for v in g.tensors if len(v.declared) == 3 and v.kind in (*INTEGERS, *FLOATS)]
    indices = [v for v in g.tensors if len(v.declared) == 2 and v.kind == "i32"]
    if not values or not indices:
        return
    x, i = g.rng.choice(values), g.rng.choice(indices)
    if g.rng.random() < 0.8:
        most = max(0, g.array(x).shape[1] - 1)
        bounds = f"min_val = 0 : i32, max_val = {most} : i32"
        count = len(g.tensors)
        operations.element_wise(g, "clamp", [i], "i32", lambda a: np.clip(a, 0, most), bounds)
        i = g.tensors[-1] if len(g.tensors) > count else i

    def run(a: Array, at: Array) -> Array:
        if a.shape[0] != at.shape[0] or (at < 0).any() or (at >= a.shape[1]).any():
            raise RefusedError(f"a gather of {a.shape} by {at}")
        return np.take_along_axis(a, at[:, :, None].astype(np.int64), 1)

    _add(g, "gather", [x, i], x.kind, run, (x.declared[0], i.declared[1], x.declared[2]))


def _matmul(g: Generator) -> None:
    known = [v for v in g.tensors if len(v.declared) == 3 and v.kind == "i8"]
    if not known:
        return
    a, b = g.rng.choice(known), g.rng.choice(known)
    zero = operations.constant(g, np.zeros(1, np.int8), "i8")

    def run(x: Array, y: Array, *_: Array) -> Array:
        if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
            raise RefusedError(f"a product of {x.shape} and {y.shape}")
        return np.matmul(x.astype(np.int32), y.astype(np.int32)).astype(np.int32)

    sizes = (
        a.declared[0] if a.declared[0] is not None else b.declared[0],
        a.declared[1],
        b.declared[2],
    )
    _add(g, "matmul", [a, b, zero, zero], "i32", run, sizes)


DRAWN: tuple[tuple[int, Callable[[Generator], None]], ...] = (
    *((1, move) for move in (_transpose, _reverse, _slice, _tile, _pad, _gather, _matmul)),
    *((2, move) for move in (_concat, _reduce)),
    (4, operations.binary),
    *((1, each) for each in (operations.multiply, operations.logical, operations.unary)),
    *((1, each) for each in (operations.compare, operations.select, operations.cast)),
    *((1, each) for each in (operations.clamp, operations.with_constant, operations.reshape)),
)
"""The operators of models, with their weights."""


def generate(seed: int) -> Generator:
    """Return the model of a seed; it has at least one operator."""
    rng = random.Random(f"model {seed}")
    dynamic = rng.choice((0.3, 0.8, 1.0))
    with np.errstate(all="ignore"):
        while True:
            g = Generator(rng, dynamic)
            g.run(rng.randint(1, 4), rng.choice((2, 3, 5, 8)), rng.randint(1, 2), DRAWN)
            if any(v not in g.graph.arguments for v in g.graph.returned):
                return g


@dataclass(frozen=True)
class Model:
    """A compiled model: its generator, the calls, and the operators that stay on the host."""

    seed: int
    generator: Generator
    every: list[list[Array]]
    kept: tuple[str, ...]
    package: Package

    def check(self, seen: Counter[str]) -> None:
        """Check all calls; count what was seen.

        Raises:
            AssertionError: a call does not give what NumPy computes; the message has the seed.
        """
        program, graph = Program(self.package), self.generator.graph
        seen["models"] += 1
        seen["models with both"] += 0 < len(program.package.host_steps) < len(program.package.steps)
        for arrays in self.every:
            what = f"seed {self.seed}, kept {self.kept}, shapes {[a.shape for a in arrays]}"
            try:
                values = graph.evaluate(arrays)
            except RefusedError as refused:
                seen["calls refused"] += 1
                self._check_refused(program, arrays, f"{what}: {refused}")
                continue
            seen["calls that fit"] += 1
            try:
                outputs = program(*arrays).outputs
            except Exception as error:
                raise AssertionError(f"{what}: {error}\n{graph.text()}") from error
            for output, value in zip(outputs, graph.returned, strict=True):
                message = f"{what}\n{graph.text()}"
                np.testing.assert_array_equal(output, values[value.name], message, strict=True)

    def _check_refused(self, program: Program, arrays: Sequence[Array], what: str) -> None:
        try:
            program(*arrays)
        except DispatchError as error:
            assert LOCATED.match(str(error)), f"{what}: refused without a place: {error}"
            return
        raise AssertionError(f"{what}: taken\n{self.generator.graph.text()}")


def compiled(seed: int) -> Model | None:
    """Compile the model of a seed for a random target, with random operators on the host.

    None if IREE does not compile a part, which happens to some.

    Raises:
        AssertionError: hwc refuses the model; the message has the seed and the model.
    """
    g = generate(seed)
    text = g.graph.text()
    written = sorted(set(re.findall(r"tosa\.(\w+)", text)) - {"const", "const_shape", "shape"})
    share = g.rng.choice((0, 0.3, 1))
    kept = tuple(name for name in written if g.rng.random() < share)
    target = load_target(g.rng.choice(TARGETS))
    try:
        package = compile_package(Source("-", text), target, cut=Cut(kept)).package
    except UserError as error:
        if ENGINE.match(str(error)):
            return None
        raise AssertionError(f"seed {seed}, kept {kept}: {error}\n{text}") from error
    return Model(seed, g, list(calls(g, CALLS)), kept, package)


def compiled_together(seeds: Sequence[int]) -> list[Model]:
    """Compile models with one call of IREE's compiler, whose start takes most of the time.

    Models of which IREE does not compile a part are left out.

    Raises:
        AssertionError: hwc refuses a model.
    """
    models: list[Model] = []
    together: dict[str, parts.PartText] = {}
    for seed in seeds:

        def keep(own: Mapping[str, parts.PartText], seed: int = seed) -> bytes:
            together.update({f"seed{seed}_{name}": part for name, part in own.items()})
            return b""

        with patch("hwc.tosa.compile.parts_module", keep):
            model = compiled(seed)
        assert model is not None
        models.append(model)
    try:
        module, refused = _module(together)
    except parts.RefusedError:
        return [model for model in map(compiled, seeds) if model is not None]
    models = [model for model in models if f"seed{model.seed}" not in refused]
    return [
        replace(model, package=_with_module(model.package, module, f"seed{model.seed}_"))
        for model in models
    ]


def _module(together: dict[str, parts.PartText]) -> tuple[bytes, set[str]]:
    """Compile the parts of models; leave out the models of the parts that IREE refuses.

    Raises:
        parts.RefusedError: IREE does not say which part it refuses.
    """
    refused: set[str] = set()
    while together:
        try:
            return parts.parts_module(together), refused
        except parts.RefusedError as error:
            # The operator itself: two models may have equal ones.
            own = {
                name.split("_")[0]
                for name, part in together.items()
                if any(node is error.node for node in part.nodes)
            }
            if not own:
                raise
            refused |= own
            together = {n: part for n, part in together.items() if n.split("_")[0] not in own}
    return b"", refused


def _with_module(package: Package, module: bytes, prefix: str) -> Package:
    """Return a package whose steps on the host are functions of a module."""
    steps = tuple(
        replace(step, model=module, function=f"{prefix}{step.function}")
        if isinstance(step, HostStep)
        else step
        for step in package.steps
    )
    return replace(package, steps=steps)


def check(seeds: Sequence[int]) -> Counter[str]:
    """Check the models of seeds; return how often what was seen.

    Raises:
        AssertionError: a model is refused, or something is not as NumPy says.
    """
    models = compiled_together(seeds)
    seen = Counter({"models that IREE does not compile": len(seeds) - len(models)})
    for model in models:
        model.check(seen)
    return seen


def main() -> int:
    """Check the seeds from the first to the last of the command line; return the exit code."""
    first, last = map(int, sys.argv[1:])
    seen: Counter[str] = Counter()
    for start in range(first, last + 1, CHUNK):
        seen += check(range(start, min(start + CHUNK, last + 1)))
        print(", ".join(f"{what}: {count}" for what, count in seen.items()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
