"""The `hwc.…` attributes by which a program describes sizes; docs/shapes.md explains them.

`KNOWN` lists them. Any other attribute with such a name is an error, and so is an attribute in the
wrong place or of another form. Otherwise a typing error would silently drop the attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from hwc.dialects.tosa_operation import TosaOperation
from hwc.dialects.tosa_table import OPERATORS
from hwc.frontend.diagnostics import LocatedError, error_at
from hwc.frontend.functions import called_argument, error_at_argument
from hwc.shapes.modes import BROADCAST_MODES, RANK_MODES, TOSA_VERSIONS

PREFIX = "hwc."
SYMBOLS = "hwc.symbols"
NONEXPANDING = "hwc.nonexpanding"
STRICT = "hwc.strict"
BROADCAST = "hwc.broadcast"
RANKS = "hwc.ranks"
CONFORM = "hwc.conform"
ASSUME = "hwc.assume"
ASSUMED = "assume "
"""How the origin of a step begins if a fact requires the step; the fact follows."""

Place: TypeAlias = Literal["module", "function", "argument", "result", "operation"]
"""Where an attribute may be; `operation` is an operation in the body of a function."""


@dataclass(frozen=True)
class Known:
    """One attribute: where it may be, how users write it, and whether a value fits."""

    place: Place
    form: str
    fits: Callable[[Attribute], bool]


def _are_strings(value: Attribute) -> bool:
    return isinstance(value, ArrayAttr) and all(isinstance(item, StringAttr) for item in value.data)


def _are_dimensions(value: Attribute) -> bool:
    return isinstance(value, DenseArrayBase) and value.elt_type == i64


def _is_one_of(words: tuple[str, ...]) -> Callable[[Attribute], bool]:
    return lambda value: isinstance(value, StringAttr) and value.data in words


def _quoted(words: tuple[str, ...]) -> str:
    return " or ".join(f'"{word}"' for word in words)


KNOWN: Mapping[str, Known] = {
    SYMBOLS: Known("argument", 'a list of strings, as in ["n", "d"]', _are_strings),
    NONEXPANDING: Known("argument", "dimensions, as in array<i64: 0>", _are_dimensions),
    STRICT: Known("operation", "no value", lambda value: isinstance(value, UnitAttr)),
    BROADCAST: Known("function", _quoted(BROADCAST_MODES), _is_one_of(BROADCAST_MODES)),
    RANKS: Known("function", _quoted(RANK_MODES), _is_one_of(RANK_MODES)),
    CONFORM: Known("function", _quoted(TOSA_VERSIONS), _is_one_of(TOSA_VERSIONS)),
    ASSUME: Known("function", 'a list of strings, as in ["a.n % 8 == 0"]', _are_strings),
}
"""Every attribute by name."""

_WITH_ARTICLE: Mapping[Place, str] = {
    "module": "a module",
    "function": "a function",
    "argument": "an argument of a function",
    "result": "a result of a function",
    "operation": "an operation",
}


class _Found(NamedTuple):
    place: Place
    name: str
    value: Attribute
    what: str
    number: int | None = None
    """The number of the argument that has the attribute; None if something else has it."""


def check_attributes(module: ModuleOp) -> None:
    """Raise a located error at the first `hwc.…` attribute that does not belong where it is."""
    for op in module.walk():
        for found in _attributes(op):
            if found.name.startswith(PREFIX):
                _check(op, found)
        if isinstance(op, FuncOp):
            _check_arguments(op)


def _attributes(op: Operation) -> Iterator[_Found]:
    place: Place = "operation"
    what = f"'{op.name}'"
    if isinstance(op, ModuleOp):
        place, what = "module", "the module"
    elif isinstance(op, FuncOp):
        place, what = "function", f"function @{op.sym_name.data}"
        for number, dictionary in enumerate(op.arg_attrs or ()):
            for name, value in dictionary.data.items():
                yield _Found("argument", name, value, called_argument(op, number), number)
        for number, dictionary in enumerate(op.res_attrs or ()):
            for name, value in dictionary.data.items():
                yield _Found("result", name, value, f"result {number} of {what}")
    for name, value in {**op.attributes, **op.properties}.items():
        yield _Found(place, name, value, what)


def _check(op: Operation, found: _Found) -> None:
    known = KNOWN.get(found.name)
    if known is None:
        near = get_close_matches(found.name, KNOWN, 1, cutoff=0.75)
        here = ", ".join(name for name, other in KNOWN.items() if other.place == found.place)
        meant = f"did you mean {near[0]}? " if near else ""
        raise _error(
            op,
            found,
            f"{found.what} has the unknown attribute '{found.name}'",
            f"{meant}{_WITH_ARTICLE[found.place]} takes {here or 'no attribute of hwc'}; "
            "docs/shapes.md defines them",
        )
    if known.place != found.place:
        raise _error(
            op,
            found,
            f"{found.what} has the attribute '{found.name}', which belongs to "
            f"{_WITH_ARTICLE[known.place]}",
            "move it; docs/shapes.md says what it means",
        )
    if not known.fits(found.value):
        raise _error(
            op,
            found,
            f"'{found.name}' of {found.what} is {found.value}, expected {known.form}",
            "docs/shapes.md defines the attribute",
        )
    if found.name == STRICT and not _is_element_wise(op):
        raise _error(
            op,
            found,
            f"{found.what} has the attribute '{STRICT}', but broadcasts nothing",
            "only an element-wise operator takes it",
        )


def _error(op: Operation, found: _Found, message: str, advice: str) -> LocatedError:
    if found.number is None:
        return error_at(op, message, advice)
    assert isinstance(op, FuncOp)
    return error_at_argument(op, found.number, message, advice)


def _is_element_wise(op: Operation) -> bool:
    return isinstance(op, TosaOperation) and op.operator in OPERATORS


def _check_arguments(function: FuncOp) -> None:
    """Check the attributes of arguments against the ranks of the arguments."""
    for number, type_ in enumerate(function.function_type.inputs):
        if not isinstance(type_, TensorType):
            continue
        rank = type_.get_num_dims()
        what = called_argument(function, number)
        names = symbol_names(function, number)
        if names is not None and len(names) != rank:
            raise error_at_argument(
                function,
                number,
                f"'{SYMBOLS}' of {what} is a list of length {len(names)}, expected {rank}: "
                f"one name for each dimension of {type_}",
                'write "" for a dimension without a name',
            )
        for dimension in nonexpanding(function, number):
            if not 0 <= dimension < rank:
                raise error_at_argument(
                    function,
                    number,
                    f"'{NONEXPANDING}' of {what} has dimension {dimension}, but {type_} has rank "
                    f"{rank}",
                    "dimensions count from 0, the outermost",
                )


def symbol_names(function: FuncOp, number: int) -> tuple[str, ...] | None:
    """Return the names of an argument's dimensions ("" if unnamed), or None without names."""
    value = _of_argument(function, number, SYMBOLS)
    return None if value is None else _strings(value)


def nonexpanding(function: FuncOp, number: int) -> tuple[int, ...]:
    """Return the dimensions of an argument that never expand."""
    value = _of_argument(function, number, NONEXPANDING)
    return () if value is None else cast("DenseArrayBase[IntegerType]", value).get_values()


def is_strict(op: Operation) -> bool:
    """Whether no dynamic dimension expands in an operator of a function."""
    function = op.parent_op()
    whole = isinstance(function, FuncOp) and broadcast_mode(function) == "strict"
    return whole or STRICT in op.attributes or STRICT in op.properties


def broadcast_mode(function: FuncOp) -> str:
    """Return "numpy" or "strict"."""
    value = function.attributes.get(BROADCAST)
    return value.data if isinstance(value, StringAttr) else BROADCAST_MODES[0]


def rank_mode(function: FuncOp) -> str:
    """Return "pad" or "equal"."""
    value = function.attributes.get(RANKS)
    return value.data if isinstance(value, StringAttr) else RANK_MODES[0]


def conforms(function: FuncOp) -> bool:
    """Whether a function has to conform to TOSA."""
    return CONFORM in function.attributes


def assumed(function: FuncOp) -> tuple[str, ...]:
    """Return the facts of a function."""
    value = function.attributes.get(ASSUME)
    return () if value is None else _strings(value)


def _of_argument(function: FuncOp, number: int, name: str) -> Attribute | None:
    dictionaries = function.arg_attrs
    return None if dictionaries is None else dictionaries.data[number].data.get(name)


def _strings(value: Attribute) -> tuple[str, ...]:
    assert isinstance(value, ArrayAttr)
    return tuple(cast("StringAttr", item).data for item in value.data)
