"""The schema of TOSA flatbuffers, as far as hwc reads it (`tosa.fbs`; TOSA 1.0 and the 1.1 draft).

Each class is a table of the schema, without the prefix `Tosa` in its name. The fields are the slots
in order. `tests/unit/frontend/test_tosa_schema.py` compares all of this with the file `tosa.fbs`
that comes with tosa-tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwc.frontend.flatbuffer import stored

_OPERATORS = (
    "unknown argmax avg_pool2d conv2d conv3d depthwise_conv2d fft2d matmul max_pool2d rfft2d "
    "transpose_conv2d clamp erf sigmoid tanh add arithmetic_right_shift bitwise_and bitwise_or "
    "bitwise_xor intdiv logical_and logical_left_shift logical_right_shift logical_or logical_xor "
    "maximum minimum mul pow sub table abs bitwise_not ceil clz cos exp floor log logical_not "
    "negate reciprocal rsqrt sin select equal greater greater_equal reduce_all reduce_any "
    "reduce_max reduce_min reduce_product reduce_sum concat pad reshape reverse slice tile "
    "transpose gather scatter resize cast rescale const identity custom cond_if while_loop "
    "variable variable_write variable_read const_shape matmul_t_block_scaled "
    "cast_from_block_scaled cast_to_block_scaled dim concat_shape add_shape sub_shape mul_shape "
    "slice_shape exp2_shape log2_ceil_shape log2_floor_shape max_shape min_shape mod_shape "
    "div_ceil_shape div_floor_shape assert_equal_shape conv2d_block_scaled max_pool2d_adaptive "
    "avg_pool2d_adaptive reshape_block_scaled row_gather_block_scaled row_gather matmul_t"
)
OPERATORS = tuple(_OPERATORS.split())
"""The operators by number; the attributes of an operator have the same number."""

_TYPES = (
    "UNKNOWN BOOL INT4 INT8 INT16 INT32 INT48 FP32 FP16 BF16 SHAPE FP8E4M3 FP8E5M2 FP6E2M3 "
    "FP6E3M2 FP4E2M1 FP8UE8M0 INT64 MXINT8"
)
TYPES = tuple(_TYPES.split())
"""The element types by number."""

NAN_MODES = ("UNKNOWN", "PROPAGATE", "IGNORE")
"""The NaN modes by number."""

ROUNDING_MODES = ("UNKNOWN", "SINGLE_ROUND", "INEXACT_ROUND", "DOUBLE_ROUND")
"""The rounding modes by number."""

RESIZE_MODES = ("UNKNOWN", "NEAREST_NEIGHBOR", "BILINEAR")
"""The modes of `resize` by number, in MLIR's spelling."""

DYNAMIC = -1
"""A size that is known only in a call."""


@dataclass(frozen=True)
class ClampAttribute:
    """The bounds of `clamp`, as bytes of an element."""

    min_val: memoryview = stored("bytes", memoryview(b""))
    max_val: memoryview = stored("bytes", memoryview(b""))
    nan_mode: int = stored("uint32", 0)


@dataclass(frozen=True)
class MaximumAttribute:
    """How `maximum` treats NaN."""

    nan_mode: int = stored("uint32", 0)


@dataclass(frozen=True)
class MinimumAttribute:
    """How `minimum` treats NaN."""

    nan_mode: int = stored("uint32", 0)


@dataclass(frozen=True)
class ArithmeticRightShiftAttribute:
    """Whether `arithmetic_right_shift` rounds."""

    round: bool = stored("bool", False)


@dataclass(frozen=True)
class CustomAttribute:
    """Which operator a `custom` is."""

    operator_name: str = stored("string", "")
    domain_name: str = stored("string", "")
    implementation_attrs: memoryview = stored("bytes", memoryview(b""))


@dataclass(frozen=True)
class RescaleAttribute:
    """What `rescale` multiplies by, how it rounds, and what it treats as unsigned."""

    scale32: bool = stored("bool", False)
    rounding_mode: int = stored("uint32", 0)
    per_channel: bool = stored("bool", False)
    input_unsigned: bool = stored("bool", False)
    output_unsigned: bool = stored("bool", False)


@dataclass(frozen=True)
class Conv2dAttribute:
    """Where a window begins and how it moves, and the type in which its products are added."""

    pad: tuple[int, ...] = stored("int32", (), many=True)
    stride: tuple[int, ...] = stored("int32", (), many=True)
    dilation: tuple[int, ...] = stored("int32", (), many=True)
    local_bound: bool = stored("bool", False)
    acc_type: int = stored("uint32", 0)


class Conv3dAttribute(Conv2dAttribute):
    """The attributes of `conv3d`."""


class DepthwiseConv2dAttribute(Conv2dAttribute):
    """The attributes of `depthwise_conv2d`."""


@dataclass(frozen=True)
class TransposeConv2dAttribute:
    """What is cut off or added around the result, and how the window moves in it."""

    out_pad: tuple[int, ...] = stored("int32", (), many=True)
    stride: tuple[int, ...] = stored("int32", (), many=True)
    local_bound: bool = stored("bool", False)
    acc_type: int = stored("uint32", 0)


@dataclass(frozen=True)
class AvgPool2dAttribute:
    """The size of a window and how it moves, and the type in which its elements are added."""

    kernel: tuple[int, ...] = stored("int32", (), many=True)
    stride: tuple[int, ...] = stored("int32", (), many=True)
    pad: tuple[int, ...] = stored("int32", (), many=True)
    acc_type: int = stored("uint32", 0)


@dataclass(frozen=True)
class MaxPool2dAttribute:
    """The size of a window and how it moves, and how its maximum treats NaN."""

    kernel: tuple[int, ...] = stored("int32", (), many=True)
    stride: tuple[int, ...] = stored("int32", (), many=True)
    pad: tuple[int, ...] = stored("int32", (), many=True)
    nan_mode: int = stored("uint32", 0)


@dataclass(frozen=True)
class ReduceMaxAttribute:
    """The dimension that is reduced, and how the maximum treats NaN."""

    axis: int = stored("int32", 0)
    nan_mode: int = stored("uint32", 0)


class ReduceMinAttribute(ReduceMaxAttribute):
    """The attributes of `reduce_min`."""


class ArgMaxAttribute(ReduceMaxAttribute):
    """The attributes of `argmax`."""


@dataclass(frozen=True)
class DimAttribute:
    """The dimension whose size `dim` returns."""

    axis: int = stored("int32", 0)


class ReduceAllAttribute(DimAttribute):
    """The dimension that is reduced."""


class ReduceAnyAttribute(DimAttribute):
    """The dimension that is reduced."""


class ReduceProductAttribute(DimAttribute):
    """The dimension that is reduced."""


class ReduceSumAttribute(DimAttribute):
    """The dimension that is reduced."""


class ConcatAttribute(DimAttribute):
    """The dimension in which tensors are concatenated."""


class ReverseAttribute(DimAttribute):
    """The dimension that is reversed."""


@dataclass(frozen=True)
class TransposeAttribute:
    """For each dimension of the result, the dimension of the operand."""

    perms: tuple[int, ...] = stored("int32", (), many=True)


@dataclass(frozen=True)
class ResizeAttribute:
    """How to interpolate between elements."""

    mode: int = stored("uint32", 0)


@dataclass(frozen=True)
class FFT2dAttribute:
    """Whether the transform is the inverse transform."""

    inverse: bool = stored("bool", False)
    local_bound: bool = stored("bool", False)


@dataclass(frozen=True)
class RFFT2dAttribute:
    """Whether the error bound applies to each element."""

    local_bound: bool = stored("bool", False)


ATTRIBUTES: Mapping[str, type] = {
    "argmax": ArgMaxAttribute,
    "arithmetic_right_shift": ArithmeticRightShiftAttribute,
    "avg_pool2d": AvgPool2dAttribute,
    "clamp": ClampAttribute,
    "concat": ConcatAttribute,
    "conv2d": Conv2dAttribute,
    "conv3d": Conv3dAttribute,
    "custom": CustomAttribute,
    "depthwise_conv2d": DepthwiseConv2dAttribute,
    "dim": DimAttribute,
    "fft2d": FFT2dAttribute,
    "max_pool2d": MaxPool2dAttribute,
    "maximum": MaximumAttribute,
    "minimum": MinimumAttribute,
    "reduce_all": ReduceAllAttribute,
    "reduce_any": ReduceAnyAttribute,
    "reduce_max": ReduceMaxAttribute,
    "reduce_min": ReduceMinAttribute,
    "reduce_product": ReduceProductAttribute,
    "reduce_sum": ReduceSumAttribute,
    "rescale": RescaleAttribute,
    "resize": ResizeAttribute,
    "reverse": ReverseAttribute,
    "rfft2d": RFFT2dAttribute,
    "transpose": TransposeAttribute,
    "transpose_conv2d": TransposeConv2dAttribute,
}
"""The attributes of operators that the machine or a host computes, if an operator has any."""


def _attribute(number: int) -> type | None:
    name = OPERATORS[number] if 0 <= number < len(OPERATORS) else ""
    return ATTRIBUTES.get(name)


@dataclass(frozen=True)
class Version:
    """The version of TOSA for which a file is written."""

    major: int = stored("int32", -1)
    minor: int = stored("int32", -1)
    patch: int = stored("int32", -1)
    draft: bool = stored("bool", True)


@dataclass(frozen=True)
class Tensor:
    """A tensor: an input, a constant, or the result of an operator."""

    name: str = stored("string", "")
    shape: tuple[int, ...] = stored("int32", (), many=True)
    type: int = stored("uint32", 0)
    data: memoryview | None = stored("bytes", None)
    variable: bool = stored("bool", False)
    is_unranked: bool = stored("bool", False)
    variable_name: str = stored("string", "")
    offset: int = stored("uint64", 0)
    size: int = stored("uint64", 0)


@dataclass(frozen=True)
class Shape:
    """A shape: a list of sizes, 64 bits each if they are constant."""

    name: str = stored("string", "")
    rank: int = stored("uint32", 0)
    data: memoryview | None = stored("bytes", None)


@dataclass(frozen=True)
class Operator:
    """An operator: its number, and the names of its operands and results."""

    op: int = stored("uint32", 0)
    attribute_type: int = stored("uint8", 0)
    attribute: object = stored(_attribute, None)
    inputs: tuple[str, ...] = stored("string", (), many=True)
    outputs: tuple[str, ...] = stored("string", (), many=True)


@dataclass(frozen=True)
class BasicBlock:
    """Operators, the tensors and shapes that they use, and the names of inputs and outputs."""

    name: str = stored("string", "")
    operators: tuple[Operator, ...] = stored(Operator, (), many=True)
    tensors: tuple[Tensor, ...] = stored(Tensor, (), many=True)
    inputs: tuple[str, ...] = stored("string", (), many=True)
    outputs: tuple[str, ...] = stored("string", (), many=True)
    shapes: tuple[Shape, ...] = stored(Shape, (), many=True)


@dataclass(frozen=True)
class Region:
    """A region: `main`, or the code that a control flow operator runs."""

    name: str = stored("string", "")
    blocks: tuple[BasicBlock, ...] = stored(BasicBlock, (), many=True)


@dataclass(frozen=True)
class Graph:
    """The root of a file."""

    version: Version | None = stored(Version, None)
    regions: tuple[Region, ...] = stored(Region, (), many=True)
