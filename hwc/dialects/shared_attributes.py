"""Attributes and properties that many operations share.

xDSL gives each operation two dictionaries of its own, for its attributes and its properties. In a
large program most of them are equal or empty, and they would take a fifth of the compiler's memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NoReturn, TypeVar, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue, SSAValues
from xdsl.irdl import IRDLOperation, OptionalDef

Op = TypeVar("Op", bound=Operation)


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise TypeError("other operations share these attributes: give the operation a copy first")


class SharedAttributes(dict[str, Attribute]):
    """A dictionary that several operations hold, so it never changes.

    To change one of the operations, give it a dictionary of its own; `copy` returns one.
    """

    __setitem__ = __delitem__ = __ior__ = cast("Any", _refuse)
    clear = pop = popitem = setdefault = update = cast("Any", _refuse)


NONE = SharedAttributes()
"""The attributes of an operation without any."""

NO_RESULTS = SSAValues[OpResult]()
"""The results of an operation without any."""


def shared(attributes: Mapping[str, Attribute]) -> SharedAttributes:
    """Return attributes that may be shared: the given ones, or a copy."""
    if isinstance(attributes, SharedAttributes):
        return attributes
    return SharedAttributes(attributes) if attributes else NONE


@lru_cache(maxsize=4096)
def one_attribute(name: str, value: Attribute) -> SharedAttributes:
    """Return a single attribute."""
    return SharedAttributes({name: value})


def create(
    kind: type[Op],
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] = (),
    *,
    properties: SharedAttributes = NONE,
    attributes: SharedAttributes = NONE,
    location: LocationAttr = UNKNOWN_LOC,
    regions: Sequence[Region] = (),
) -> Op:
    """Create an operation that shares its properties and attributes with others.

    `properties` are complete: they include the ones that have default values.
    """
    op = kind.__new__(kind)
    initialize(op, operands, result_types, properties, attributes, location, regions)
    return op


def initialize(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute] = (),
    properties: SharedAttributes = NONE,
    attributes: SharedAttributes = NONE,
    location: LocationAttr = UNKNOWN_LOC,
    regions: Sequence[Region] = (),
) -> None:
    """Give a new operation its parts, as `create` does.

    The constructor of xDSL's `Operation` takes twice as long: it copies both dictionaries, looks
    for default values, and keeps a list of successors, which no operation here has.
    """
    for name in _given_by_default(type(op)):
        assert name in properties or name in attributes, f"'{op.name}' has '{name}' by default"
    op.operands = operands
    op.results = (
        SSAValues([OpResult(type_, op, index) for index, type_ in enumerate(result_types)])
        if result_types
        else NO_RESULTS
    )
    op.properties, op.attributes = properties, attributes
    op.location = location
    op.regions = ()
    for region in regions:
        op.add_region(region)


@cache
def _given_by_default(kind: type[Operation]) -> tuple[str, ...]:
    """Return the properties and attributes that xDSL gives to operations created without them."""
    # CPython stores the attributes of objects compactly if one of the first objects of the class
    # has had all of them. xDSL's constructor sets those that `initialize` leaves at their defaults.
    kind.create()
    if not issubclass(kind, IRDLOperation):
        return ()
    definition = kind.get_irdl_definition()
    return tuple(
        name
        for one in (definition.properties, definition.attributes)
        for name, defined in one.items()
        if not isinstance(defined, OptionalDef) and defined.default_value is not None
    )
