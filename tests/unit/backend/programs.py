"""Random TOSA programs with arguments and the results NumPy gives for them.

A program is generated together with its values: every operation is applied to NumPy arrays with
NumPy's own broadcasting and integer arithmetic, which is the independent reference.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from element_types import DTYPES, FLOATS, INTEGERS
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


@dataclass
class Value:
    """A tensor of the program: its SSA name, declared sizes (None: dynamic) and reference value."""

    name: str
    type: str
    declared: tuple[int | None, ...]
    array: Array

    def __str__(self) -> str:
        return mlir_type(self.declared, self.type)


@dataclass
class Program:
    """A generated program: text, arguments and the expected results."""

    text: str
    arguments: list[Array]
    results: list[Array]


def mlir_type(sizes: Sequence[int | None], kind: str) -> str:
    """Return a tensor type in MLIR's syntax."""
    shape = "".join("?x" if n is None else f"{n}x" for n in sizes)
    return f"tensor<{shape}{kind}>"


def _dense(array: Array) -> str:
    flat = array.astype(np.int32) if array.dtype == np.bool_ else array
    numbers = [f"{float(x):.9e}" if array.dtype.kind == "f" else str(int(x)) for x in flat.ravel()]
    shape = mlir_type(array.shape, next(k for k, d in DTYPES.items() if d == array.dtype.type))
    if array.size == 0:
        return f"dense<> : {shape}"
    nested = np.array(numbers, dtype=object).reshape(array.shape).tolist()
    text = str(nested).replace("'", "") if array.ndim else numbers[0]
    return f"dense<{text}> : {shape}"


@dataclass
class Generator:
    """Generates one program; `dynamic` is the share of dimensions declared as `?`."""

    rng: random.Random
    dynamic: float = 0.7
    max_rank: int = 4
    lines: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    count: int = 0

    def program(self, arguments: int, operations: int, results: int) -> Program:
        """Return a program with these numbers of arguments, operations and results."""
        base = [self.rng.choice((1, 2, 3, 4, 5, 7, 8)) for _ in range(self.max_rank)]
        types = [self.rng.choice((*FLOATS, *DTYPES)) for _ in range(arguments)]
        inputs = [self._argument(i, t, base) for i, t in enumerate(types)]
        self.values += inputs
        for _ in range(operations):
            self._operation()
        computed = self.values[len(inputs) :] or self.values
        returned = [
            self.rng.choice(computed if self.rng.random() < 0.9 else self.values)
            for _ in range(results)
        ]
        if computed and results:
            returned[0] = computed[-1]
        args = ", ".join(f"{v.name}: {v}" for v in inputs)
        outs = ", ".join(str(v) for v in returned)
        names = ", ".join(v.name for v in returned)
        end = f"return {names} : {outs}" if returned else "return"
        head = f"func.func @main({args}) -> ({outs}) {{"
        text = "\n".join([head, *(f"  {line}" for line in self.lines), f"  {end}", "}", ""])
        return Program(text, [v.array for v in inputs], [v.array for v in returned])

    def _declare(self, shape: Sequence[int]) -> tuple[int | None, ...]:
        return tuple(None if self.rng.random() < self.dynamic else n for n in shape)

    def _argument(self, number: int, kind: str, base: Sequence[int]) -> Value:
        rank = self.rng.choice((0, 1, 2, 3, self.max_rank, self.max_rank))
        rank = min(rank, self.max_rank)
        shape = [n if self.rng.random() < 0.7 else 1 for n in base[len(base) - rank :]]
        return Value(f"%a{number}", kind, self._declare(shape), self._random(shape, kind))

    def _random(self, shape: Sequence[int], kind: str) -> Array:
        source = np.random.default_rng(self.rng.getrandbits(32))
        if kind in FLOATS:
            return np.asarray(source.standard_normal(shape) * 4, DTYPES[kind])
        if kind not in INTEGERS:
            return np.asarray(source.integers(0, 2, shape), np.bool_)
        info = np.iinfo(DTYPES[kind])
        return np.asarray(source.integers(info.min, info.max, shape, endpoint=True), DTYPES[kind])

    def _pick(self, *kinds: str) -> Value | None:
        candidates = [v for v in self.values if v.type in kinds]
        if not candidates:
            return None
        recent = candidates[-4:] if self.rng.random() < 0.6 else candidates
        return self.rng.choice(recent)

    def _emit(self, right: Callable[[str], str], kind: str, array: Array, inferred: Any) -> Value:
        """Append an operation; `inferred` are the sizes its operands give, None where dynamic."""
        name = f"%v{self.count}"
        self.count += 1
        declared = tuple(
            n if self.rng.random() < 0.5 else (None if self.rng.random() < self.dynamic else d)
            for d, n in zip(array.shape, inferred, strict=True)
        )
        array = np.asarray(array, DTYPES[kind])
        value = Value(name, kind, declared, array)
        self.lines.append(f"{name} = {right(str(value))}")
        self.values.append(value)
        return value

    def _infer(self, *operands: Value) -> tuple[int | None, ...]:
        rank = max(len(v.declared) for v in operands)
        padded = [(1,) * (rank - len(v.declared)) + v.declared for v in operands]
        sizes: list[int | None] = []
        for column in zip(*padded, strict=True):
            static = [n for n in column if n is not None and n != 1]
            dynamic = any(n is None for n in column)
            sizes.append(static[0] if static else None if dynamic else 1)
        return tuple(sizes)

    def _apply(
        self, op: str, operands: Sequence[Value], kind: str, array: Array, extra: str = ""
    ) -> None:
        names = ", ".join(v.name for v in operands)
        types = ", ".join(str(v) for v in operands)
        self._emit(
            lambda result: f"tosa.{op} {names}{extra} : ({types}) -> {result}",
            kind,
            array,
            self._infer(*operands),
        )

    def _constant(self, array: Array, kind: str) -> Value:
        name = f"%c{self.count}"
        self.count += 1
        value = Value(name, kind, array.shape, np.asarray(array, DTYPES[kind]))
        self.lines.append(
            f'{name} = "tosa.const"() <{{values = {_dense(value.array)}}}> : () -> {value}'
        )
        return value

    def _operation(self) -> None:
        choice = self.rng.choice(
            ("binary",) * 6
            + ("unary", "compare", "select", "cast", "clamp", "shift")
            + ("const", "reshape", "mul", "logical")  # fmt: skip
        )
        getattr(self, f"_op_{choice}")()

    def _pair(self, *kinds: str) -> tuple[Value, Value] | None:
        a = self._pick(*kinds)
        if a is None:
            return None
        for _ in range(8):
            b = self._pick(a.type)
            assert b is not None
            if self._fits(a, b):
                return (a, b) if self.rng.random() < 0.5 else (b, a)
        return None

    @staticmethod
    def _fits(*values: Value) -> bool:
        try:
            shape = np.broadcast_shapes(*(v.array.shape for v in values))
        except ValueError:
            return False
        return int(np.prod(shape)) < 20000  # noqa: PLR2004

    def _op_binary(self) -> None:
        pair = self._pair(*INTEGERS, *FLOATS)
        if pair is None:
            return
        a, b = pair
        names = ["add", "sub", "maximum", "minimum"]
        if a.type not in FLOATS:
            names += ["bitwise_and", "bitwise_or", "bitwise_xor"]
        op = self.rng.choice(names)
        functions: dict[str, Callable[[Array, Array], Array]] = {
            "add": np.add, "sub": np.subtract, "maximum": np.maximum, "minimum": np.minimum,
            "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
            "bitwise_xor": np.bitwise_xor,
        }  # fmt: skip
        self._apply(op, (a, b), a.type, functions[op](a.array, b.array))

    def _op_logical(self) -> None:
        pair = self._pair("i1")
        if pair is not None:
            a, b = pair
            name = self.rng.choice(("and", "or", "xor"))
            function = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[name]
            self._apply(f"logical_{name}", (a, b), "i1", function(a.array, b.array))

    def _op_mul(self) -> None:
        pair = self._pair(*INTEGERS, *FLOATS)
        if pair is None:
            return
        a, b = pair
        shift = self._constant(np.zeros(1, np.int8), "i8")
        kind = a.type if a.type in FLOATS else "i32"
        product = np.multiply(a.array.astype(DTYPES[kind]), b.array.astype(DTYPES[kind]))
        self._emit(
            lambda result: (
                f"tosa.mul {a.name}, {b.name}, {shift.name} : ({a}, {b}, {shift}) -> {result}"
            ),
            kind,
            product,
            self._infer(a, b),
        )

    def _op_unary(self) -> None:
        a = self._pick(*INTEGERS, *FLOATS)
        if a is None:
            return
        op = self.rng.choice(
            ("abs", "ceil", "floor") if a.type in FLOATS else ("abs", "bitwise_not")
        )
        functions: dict[str, Callable[[Array], Array]] = {
            "abs": np.abs, "ceil": np.ceil, "floor": np.floor, "bitwise_not": np.invert,
        }  # fmt: skip
        if op == "abs" and a.type in ("i8", "i16"):
            return
        self._apply(op, (a,), a.type, functions[op](a.array))

    def _op_compare(self) -> None:
        pair = self._pair("i32", *FLOATS)
        if pair is not None:
            op = self.rng.choice(("equal", "greater", "greater_equal"))
            function = {
                "equal": np.equal,
                "greater": np.greater,
                "greater_equal": np.greater_equal,
            }[op]
            self._apply(op, pair, "i1", function(pair[0].array, pair[1].array))

    def _op_select(self) -> None:
        condition, pair = self._pick("i1"), self._pair(*DTYPES)
        if condition is not None and pair is not None and self._fits(condition, *pair):
            chosen = np.where(condition.array, pair[0].array, pair[1].array)
            self._apply("select", (condition, *pair), pair[0].type, chosen)

    def _op_cast(self) -> None:
        a = self._pick(*INTEGERS, "i1")
        if a is not None:
            kind = self.rng.choice([k for k in ("i1", *INTEGERS) if k != a.type])
            array = a.array != 0 if kind == "i1" else a.array.astype(DTYPES[kind])
            self._apply("cast", (a,), kind, array)

    def _op_clamp(self) -> None:
        a = self._pick("i8", "i16", *FLOATS)
        if a is None:
            return
        low, high = sorted(self.rng.randint(-90, 90) for _ in range(2))
        bounds = [f"{float(n):.6e}" if a.type in FLOATS else str(n) for n in (low, high)]
        extra = f" {{max_val = {bounds[1]} : {a.type}, min_val = {bounds[0]} : {a.type}}}"
        self._apply("clamp", (a,), a.type, np.clip(a.array, low, high), extra)

    def _op_shift(self) -> None:
        a = self._pick(*INTEGERS)
        if a is None:
            return
        width = DTYPES[a.type]().itemsize * 8
        amount = self.rng.randint(1, width - 1)
        shape = (1,) * a.array.ndim
        b = self._constant(np.full(shape, amount), a.type)
        if self.rng.random() < 0.5:
            rounded = (a.array >> amount) + ((a.array >> (amount - 1)) & 1)
            self._apply("arithmetic_right_shift", (a, b), a.type, rounded, " {round = true}")
        elif self.rng.random() < 0.5:
            unsigned = a.array.view(f"u{a.array.itemsize}") >> amount
            self._apply("logical_right_shift", (a, b), a.type, unsigned.astype(DTYPES[a.type]))
        else:
            wide = a.array.astype(np.int64) << amount
            self._apply("logical_left_shift", (a, b), a.type, wide.astype(DTYPES[a.type]))

    def _op_const(self) -> None:
        a = self._pick(*DTYPES)
        if a is not None:
            shape = [n if self.rng.random() < 0.5 else 1 for n in a.array.shape]
            array = self._random(shape, a.type)
            if self.rng.random() < 0.4:
                array = np.full(shape, array.ravel()[0] if array.size else 0)
            self.values.append(self._constant(array, a.type))

    def _op_reshape(self) -> None:
        a = self._pick(*DTYPES)
        if a is None or a.array.ndim == 0:
            return
        shape = list(a.array.shape)
        if self.rng.random() < 0.5:
            shape.insert(self.rng.randint(0, len(shape)), 1)
        elif len(shape) > 1:
            shape[:2] = [shape[0] * shape[1]]
        if not 1 <= len(shape) <= 6:  # noqa: PLR2004
            return
        name = f"%s{self.count}"
        sizes = ", ".join(map(str, shape))
        kind = f"!tosa.shape<{len(shape)}>"
        self.lines.append(
            f"{name} = tosa.const_shape {{values = dense<[{sizes}]> : "
            f"tensor<{len(shape)}xindex>}} : () -> {kind}"
        )
        self._emit(
            lambda result: f"tosa.reshape {a.name}, {name} : ({a}, {kind}) -> {result}",
            a.type,
            a.array.reshape(shape),
            tuple(shape),
        )


def generate(
    seed: int, arguments: int, operations: int, results: int, dynamic: float = 0.7
) -> Program:
    """Return the program of a seed."""
    return Generator(random.Random(seed), dynamic).program(arguments, operations, results)
