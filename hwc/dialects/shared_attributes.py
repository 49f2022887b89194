"""Attributes and properties that many operations share.

xDSL gives each operation two dictionaries of its own, for its attributes and its properties. In a
large program most of them are equal or empty, and they would take a fifth of the compiler's memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn, TypeVar, cast

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue, SSAValues

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
    op = kind.create(
        operands=operands,
        result_types=result_types,
        properties=properties,
        location=location,
        regions=regions,
    )
    assert len(op.properties) == len(properties), f"'{op.name}' has properties by default"
    op.properties, op.attributes = properties, attributes
    if not result_types:
        op.results = NO_RESULTS
    return op
