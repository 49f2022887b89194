"""Explains to the author of a program why an operation is not supported."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from hwc.frontend.diagnostics import CombinedError, LocatedError
from hwc.frontend.old_names import name_today
from hwc.frontend.operation_names import operation_names
from hwc.frontend.scalar_operations import refusal
from hwc.frontend.source import Location, Place, Source

_REDUCTIONS = (
    "reduce_all reduce_any reduce_max reduce_min reduce_prod reduce_product reduce_sum argmax"
)
_CONTRACTIONS = (
    "conv2d conv3d depthwise_conv2d transpose_conv2d matmul matmul_t_block_scaled fully_connected "
    "avg_pool2d max_pool2d fft2d rfft2d conv2d_block_scaled"
)
_MOVES = "concat gather scatter pad reverse slice tile transpose resize"
FOR_A_HOST = frozenset(f"{_REDUCTIONS} {_CONTRACTIONS} {_MOVES}".split())
"""TOSA operators that an engine on the host may compute, as parts of a model."""
_FOR_A_HOST = re.compile(rf"tosa\.(?:{'|'.join(sorted(FOR_A_HOST))})")
TFLITE = "TFL"
"""The domain that the converter of TFLite models gives to operators that TFLite does not have."""
_OF_TFLITE = re.compile(rf'domain_name = "{TFLITE}"')
_CUSTOM = re.compile(r'("?tosa\.custom\b)[^\n]*')
_OPERATOR_NAME = re.compile(r'operator_name = "([^"]*)"')
_CONTROL = "cond_if while_loop yield"
_STATE = "variable variable.read variable.write variable_read variable_write"
_LATER = "apply_scale cast_from_block_scaled cast_to_block_scaled"

_VARIABLES = ("var_handle", "read_variable", "assign_variable", "call_once")
_STATE_OF_TFLITE = (
    "it keeps state between calls",
    "pass the state in and out as arguments and results",
)
_LEFT_OF_TFLITE = (
    "the converter to TOSA does not convert it",
    "express it with operators that the converter knows",
)
_OPERANDS_OF_TFLITE = frozenset({"tfl.no_value", "tfl.pseudo_const", "tfl.pseudo_qconst"})
"""Operations for the operands of operators that the converter leaves; TFLite has none of them."""

_ELEMENT_WISE = "hwc compiles element-wise operators, constants and reshapes"

VECTOR = (
    "the compiler forms the vectors itself, in the length that the machine has",
    "write the same with tensors",
)
BUFFER = (
    "the runtime places buffers in memory itself",
    "write the same with tensors",
)
SPARSE = ("tensors are dense", "use a tensor without an encoding")
DISTRIBUTED = (
    "a program runs on one machine, and its tensors are not distributed",
    "compile the program of one machine",
)
"""Operations and types that are not allowed anywhere in a program: why, and what to do."""

_CONTROL_FLOW = ("it is control flow", "use tosa.select, which computes both sides")
_LINALG = ("it is not element-wise", "docs/shapes.md lists the forms of linalg that are taken")
_TENSOR = (
    "it moves elements, or is unknown",
    "docs/shapes.md lists the operations of tensor that are taken",
)

_TOSA = {
    name: reason
    for names, reason in {
        _REDUCTIONS: (
            "it reduces a dimension",
            f"{_ELEMENT_WISE}; compute the reduction outside",
        ),
        _CONTRACTIONS: ("it is not element-wise", f"{_ELEMENT_WISE}; compute it outside"),
        _MOVES: ("it moves elements", f"{_ELEMENT_WISE}; move the data outside"),
        _CONTROL: _CONTROL_FLOW,
        _STATE: (
            "it keeps state between calls",
            "pass the state in and out as arguments and results",
        ),
        _LATER: (
            "it is not implemented yet",
            "express it with other element-wise operators",
        ),
    }.items()
    for name in names.split()
}
"""TOSA operators: why they are not supported, and what to do."""

_DIALECTS = {
    "scf": _CONTROL_FLOW,
    "cf": _CONTROL_FLOW,
    "func": (
        "a function cannot call another one",
        "inline the call, for example with mlir-opt --inline",
    ),
    "tensor": _TENSOR,
    "linalg": _LINALG,
    "vector": VECTOR,
    "memref": BUFFER,
    "bufferization": BUFFER,
    "sparse_tensor": SPARSE,
    "mesh": DISTRIBUTED,
    "shard": DISTRIBUTED,
}
"""Other dialects: why their operations are not supported, and what to do."""

_OF_FUNC = ("call", "call_indirect")
"""Operations whose dialect may be left out."""


def reason_for(name: str) -> tuple[str, str]:
    """Return the error message and the advice for a program that uses the operation `name`."""
    if (refused := refusal(name)) is not None:
        return refused
    if (today := name_today(name)) is not None:
        return (
            f"'{name}' is an old name: the operation is '{today}' today",
            f"write {today}, as mlir-opt 22 prints it",
        )
    dialect, _, operator = name.partition(".")
    if name in _OF_FUNC:
        dialect, name = "func", f"func.{name}"
    if dialect == "tfl":
        known = _STATE_OF_TFLITE if operator in _VARIABLES else _LEFT_OF_TFLITE
        return f"TFLite's operator '{operator.upper()}' is not supported: {known[0]}", known[1]
    reason = _TOSA.get(operator) if dialect == "tosa" else _DIALECTS.get(dialect)
    if reason is not None:
        why, advice = reason
        return f"'{name}' is not supported: {why}", advice
    if dialect == "tosa":
        return f"there is no TOSA operator '{name}'", _ELEMENT_WISE
    return (
        f"unknown operation '{name}'",
        "a program has functions (func.func) of tosa, arith, math, linalg and tensor, and of "
        "operators that it or a file given with --library defines",
    )


def unsupported(found: Iterable[tuple[Location | Place | None, str]]) -> LocatedError:
    """Return an error about operations that are not supported, with a line for each name.

    `found` has the location and the name of each operation. A line has the first location of a name
    and the number of operations with this name.
    """
    places: dict[str, list[Location | Place | None]] = {}
    everything = list(found)
    own = [each for each in everything if each[1] not in _OPERANDS_OF_TFLITE]
    for location, name in own or everything:
        places.setdefault(name, []).append(location)
    errors: list[LocatedError] = []
    for name, locations in places.items():
        message, advice = reason_for(name)
        more = f" ({len(locations)} operations)" if len(locations) > 1 else ""
        errors.append(LocatedError(locations[0], f"{message}{more}", advice))
    return errors[0] if len(errors) == 1 else CombinedError(errors)


def reason_for_name(name: str) -> tuple[str, str] | None:
    """Return message and advice for a type or an attribute of an unsupported dialect."""
    reason = _DIALECTS.get(name.partition(".")[0])
    return reason and (f"'{name}' is not supported: {reason[0]}", reason[1])


def needs_a_host(source: Source, has_libraries: bool = False) -> bool:
    """Whether a program has operators that only an engine on the host can compute.

    A library may define the operators that are not TFLite's own.

    Raises:
        SourceError: the source is bytecode that cannot be read.
    """
    if source.flatbuffer is not None:
        from hwc.frontend.tosa_flatbuffer import operator_names  # noqa: PLC0415 - it needs xDSL

        names: Iterable[str] = operator_names(source.flatbuffer)
    elif not has_libraries and _OF_TFLITE.search(source.text):
        return True
    elif _FOR_A_HOST.search(source.text) is None:  # most programs: no need to look at each operator
        return False
    else:
        names = (name for _, name in operation_names(source.text))
    return any(_FOR_A_HOST.fullmatch(name) for name in names)


def unknown_custom(operator: str, known: Collection[str]) -> tuple[str, str]:
    """Return message and advice about a custom operator that nothing computes."""
    if operator == "ethos-u":
        return (
            "the operator 'ethos-u' is a program for Arm's Ethos-U, which Vela compiled",
            "give hwc the model from before Vela",
        )
    return (
        f"nothing computes the custom operator '{operator}'",
        f"custom operators that are known: {', '.join(known)}",
    )


def refuse_custom(source: Source, known: Collection[str]) -> None:
    """Refuse a text with a custom operator of a TFLite model that is not `known`.

    The converter leaves out what only such an operator reads, so that the text may not be correct.

    Raises:
        LocatedError: there is one.
    """
    for custom in _CUSTOM.finditer(source.text):
        operator = _OPERATOR_NAME.search(custom[0])
        if operator and _OF_TFLITE.search(custom[0]) and operator[1] not in known:
            message = unknown_custom(operator[1], known)
            raise LocatedError(source.place(custom.start(1)), *message)
