"""Why an operation is not compiled, in words for its user."""

from __future__ import annotations

_REDUCTIONS = (
    "reduce_all reduce_any reduce_max reduce_min reduce_prod reduce_product reduce_sum argmax"
)
_CONTRACTIONS = (
    "conv2d conv3d depthwise_conv2d transpose_conv2d matmul matmul_t_block_scaled fully_connected "
    "avg_pool2d max_pool2d fft2d rfft2d conv2d_block_scaled"
)
_MOVES = "concat gather scatter pad reverse slice tile transpose resize"
_CONTROL = "cond_if while_loop yield"
_STATE = "variable variable.read variable.write variable_read variable_write"
_LATER = "table rescale custom apply_scale cast_from_block_scaled cast_to_block_scaled"
_SHAPES = "add_shape sub_shape mul_shape div_shape concat_shape dim"

_ELEMENT_WISE = "hwc compiles element-wise operators, constants and reshapes"

_REASONS = (
    (_REDUCTIONS, "it reduces a dimension", f"{_ELEMENT_WISE}; compute the reduction outside"),
    (_CONTRACTIONS, "it is not element-wise", f"{_ELEMENT_WISE}; compute it outside"),
    (_MOVES, "it moves elements to other places", f"{_ELEMENT_WISE}; move the data outside"),
    (_CONTROL, "it is control flow", "use tosa.select, which computes both sides"),
    (_STATE, "it keeps state between calls", "pass the state in and out as arguments and results"),
    (_LATER, "it is not implemented", "express it with other element-wise operators"),
    (
        _SHAPES,
        "shapes computed in the program are not implemented",
        "write the sizes as a const_shape",
    ),
)
_TOSA = {name: (why, advice) for names, why, advice in _REASONS for name in names.split()}

_DIALECTS = {
    "scf": ("it is control flow", "use tosa.select, which computes both sides"),
    "cf": ("it is control flow", "use tosa.select, which computes both sides"),
    "func": (
        "only func.func and func.return are",
        "inline the call, for example with mlir-opt --inline",
    ),
    "arith": ("only TOSA operators are", "write it as the TOSA operator"),
    "math": ("only TOSA operators are", "write it as the TOSA operator"),
    "tensor": ("only TOSA operators are", "write it as the TOSA operator"),
    "linalg": ("only TOSA operators are", "write it as the TOSA operator"),
}


def reason_for(name: str) -> tuple[str, str]:
    """Return the error message and the advice for a program that uses the operation `name`."""
    dialect, _, operator = name.partition(".")
    if dialect == "tosa" and operator in _TOSA:
        why, advice = _TOSA[operator]
        return f"'{name}' is not compiled: {why}", advice
    if dialect == "tosa":
        return f"'{name}' is no TOSA operator that hwc knows", _ELEMENT_WISE
    if dialect in _DIALECTS:
        why, advice = _DIALECTS[dialect]
        return f"'{name}' is not compiled: {why}", advice
    return f"unknown operation '{name}'", "hwc compiles func.func functions of TOSA operators"
