"""What an example of an operator is, how to break it, and its program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from e2e.support.tosa_text import tensor
from element_types import DTYPES
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Tensor:
    """A tensor: its type, its elements if they matter, and whether it is constant.

    A constant has the same type in the static and in the dynamic form of a program; otherwise the
    dynamic form knows at most the size of one dimension, `fixed`. A constant of kind `shape` is a
    shape, and its elements are the values.
    """

    kind: str
    shape: tuple[int, ...]
    values: Array | None = None
    constant: bool = False
    fixed: int | None = None

    def type(self, dynamic: bool) -> str:
        """Return the type in a form of the program."""
        if self.kind == "shape":
            return f"!tosa.shape<{self.shape[0]}>"
        known = not dynamic or self.constant
        shape = (n if known or d == self.fixed else None for d, n in enumerate(self.shape))
        return tensor([*shape], self.kind)

    @property
    def sizes(self) -> str:
        """The sizes as a type has them."""
        return "x".join(map(str, self.shape))


def given(text: str, values: object = None) -> Tensor:
    """Return an argument: `2x3xf32` and perhaps its elements."""
    *sizes, kind = text.split("x")
    data = None if values is None else np.array(values, DTYPES[kind])
    return Tensor(kind, tuple(map(int, sizes)), data)


def constant(text: str, values: object) -> Tensor:
    """Return a constant: a type and its elements."""
    return replace(given(text, values), constant=True)


def shape(*values: int) -> Tensor:
    """Return a constant shape."""
    return Tensor("shape", (len(values),), np.array(values, np.int64), constant=True)


@dataclass(frozen=True)
class Misfit:
    """How an example is changed to break a rule, and what the error has to say.

    `rule` is the statement of TOSA 1.0. `operands` and `results` are replaced by number, and
    `attributes` by name. `says` lists what the error shows: `0.2` is dimension 2 of operand 0,
    with its size and its origin; `r0.1` is dimension 1 of result 0; anything else is text.
    """

    rule: str
    says: tuple[str, ...]
    operands: Mapping[int, Tensor] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[int, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Example:
    """A legal use of an operator, what it means in NumPy, and its misfits.

    `ranks` are the operands whose rank is fixed. An operator of the machine has `machine`.
    """

    operator: str
    operands: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    meaning: Callable[..., Any]
    attributes: Mapping[str, str] = field(default_factory=dict)
    misfits: tuple[Misfit, ...] = ()
    ranks: tuple[int, ...] = ()
    machine: bool = False
    ulp: int = 0

    def broken(self, misfit: Misfit) -> Example:
        """Return the example with a misfit."""
        return replace(
            self,
            operands=_replaced(self.operands, misfit.operands),
            results=_replaced(self.results, misfit.results),
            attributes={**self.attributes, **misfit.attributes},
        )

    def every_misfit(self) -> Iterator[Misfit]:
        """Yield the misfits, those of results and of fixed ranks too."""
        yield from self.misfits
        for number, result in enumerate(self.results):
            yield from _of_result(number, result)
        for number in self.ranks:
            operand = self.operands[number]
            yield Misfit(
                "ERROR_IF: the ranks of the operands",
                (f"rank {len(operand.shape)}", f"rank {len(operand.shape) + 1}"),
                {number: replace(operand, shape=(1, *operand.shape))},
            )

    def arrays(self) -> list[Array]:
        """Return the elements of all operands; small integers where they do not matter."""
        rng = np.random.default_rng(len(self.operator))
        return [_elements(operand, rng) for operand in self.operands]

    def text(self, form: Form) -> str:
        """Return the program in a form; argument `%aN` is operand N."""
        names = [f"%a{number}" for number in range(len(self.operands))]
        types = [operand.type(form.dynamic) for operand in self.operands]
        results = [result.type(form.dynamic) for result in self.results]
        numbered = zip(names, types, self.operands, strict=True)
        arguments = ", ".join(f"{name}: {type_}" for name, type_, o in numbered if not o.constant)
        text = f"func.func @main({arguments}) -> ({', '.join(results)}) {{\n"
        for number, operand in enumerate(self.operands):
            if operand.constant:
                text += _constant(names[number], types[number], operand)
            elif form.place == "machine" and not self.machine:
                text += _copy(names[number], types[number], operand.kind)
                names[number] += "c"
        attributes = ", ".join(f"{name} = {value}" for name, value in self.attributes.items())
        made = [f"%r{number}" for number in range(len(results))]
        text += (
            f'  {", ".join(made)} = "tosa.{self.operator}"({", ".join(names)}) {{{attributes}}} : '
            f"({', '.join(types)}) -> ({', '.join(results)})\n"
        )
        return f"{text}  return {', '.join(made)} : {', '.join(results)}\n}}\n"


@dataclass(frozen=True)
class Form:
    """A form of a program: where it runs, and whether its sizes are dynamic.

    On the `machine`, the operator runs on the machine. An operator that the machine does not have
    reads what the machine computes. On the `host`, nothing runs on the machine.
    """

    place: str
    dynamic: bool

    def __str__(self) -> str:
        return f"{self.place}, {'dynamic' if self.dynamic else 'static'}"


FORMS = tuple(Form(place, dynamic) for place in ("machine", "host") for dynamic in (False, True))


def _replaced(tensors: Sequence[Tensor], new: Mapping[int, Tensor]) -> tuple[Tensor, ...]:
    return tuple(new.get(number, tensor_) for number, tensor_ in enumerate(tensors))


def _of_result(number: int, result: Tensor) -> Iterator[Misfit]:
    """A result with another size in each dimension, and with another rank."""
    for d, size in enumerate(result.shape):
        sizes = (*result.shape[:d], size + 1, *result.shape[d + 1 :])
        yield Misfit(
            "ERROR_IF: the sizes of the result follow from the operands",
            (f"r{number}.{d}", f"{size}"),
            results={number: replace(result, shape=sizes, fixed=d)},
        )
    rank = len(result.shape)
    yield Misfit(
        "ERROR_IF: the rank of the result follows from the operands",
        (f"rank {rank}", f"rank {rank + 1}"),
        results={number: replace(result, shape=(*result.shape, 1))},
    )


def _elements(operand: Tensor, rng: np.random.Generator) -> Array:
    if operand.values is not None:
        return operand.values
    return rng.integers(
        0 if operand.kind == "i1" else 1, 2 if operand.kind == "i1" else 5, operand.shape
    ).astype(DTYPES[operand.kind])


def _constant(name: str, type_: str, operand: Tensor) -> str:
    assert operand.values is not None
    values, kind = operand.values.tolist(), operand.kind
    if kind == "shape":
        of = f"dense<{values}> : tensor<{len(values)}xindex>"
        return f'  {name} = "tosa.const_shape"() {{values = {of}}} : () -> {type_}\n'
    shown = str(values).lower()
    return f'  {name} = "tosa.const"() {{values = dense<{shown}> : {type_}}} : () -> {type_}\n'


_COPIES = {"f32": "maximum", "i1": "logical_and"}


def _copy(name: str, type_: str, kind: str) -> str:
    """An operator of the machine that returns its operand."""
    operator = _COPIES.get(kind, "bitwise_and")
    return f'  {name}c = "tosa.{operator}"({name}, {name}) : ({type_}, {type_}) -> {type_}\n'
