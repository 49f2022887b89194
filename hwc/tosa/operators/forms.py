"""The operands, attributes and element types of the operators that only a host computes.

The tables of profiles and extensions are those of TOSA 1.0. Element-wise operators have theirs in
`hwc/dialects/tosa_table.py` and `hwc/dialects/tosa_conformance.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SHAPE = "shape"
"""The element type of an operand that is a shape."""


@dataclass(frozen=True)
class Operand:
    """An operand: its name and its element type.

    The type is a variable (A, B, and R for the result), `shape`, or the name of a type. A `single`
    operand is a tensor of rank 1 and size 1, such as a zero point. A shape has `values` values, if
    the number does not depend on the rank of another operand. A `many` operand is given once or
    more.
    """

    name: str
    type: str
    single: bool = False
    values: int | None = None
    many: bool = False


@dataclass(frozen=True)
class Form:
    """The operands, attributes and element types of an operator.

    `types` lists for each profile and extension `A*B>R`: the types of operands and result; `A`
    alone stands for `A>A`. `also` lists more types that have a plain meaning, and with `free`, the
    result may have any type that all operands have. `sums` maps the type of operand A to the types
    in which sums may be computed.
    """

    operands: tuple[Operand, ...]
    types: Mapping[str, str]
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    also: str = ""
    free: bool = False
    sums: Mapping[str, str] = field(default_factory=dict)
    results: int = 1


def _operands(text: str) -> tuple[Operand, ...]:
    """Read `name:type`, `name=type` for a single element, `name:shape/4`, `name:type...`."""
    found: list[Operand] = []
    for word in text.split():
        single = "=" in word
        name, _, type_ = word.replace("=", ":").partition(":")
        type_, _, values = type_.partition("/")
        many = type_.endswith("...")
        number = int(values) if values else None
        found.append(Operand(name, type_.removesuffix("..."), single, number, many))
    return tuple(found)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FP8 = {"fp8e4m3": "f8E4M3FN", "fp8e5m2": "f8E5M2"}
_FLOATS = {"pro_fp": "f16 f32", "bf16": "bf16"}
_INDEXED = {"pro_int": "i8 i16 i32", **_FLOATS, **_FP8}
_MOVED = {"pro_int": "i1 i8 i16 i32", "pro_fp": "i1 f16 f32", "bf16": "bf16", **_FP8}
_JOINED = {**_MOVED, "pro_int": "i1 i8 i32", "int16": "i16"}
_POOLED = {"pro_int": "i8", "int16": "i16", **_FLOATS, **_FP8}
_LARGEST = {"pro_int": "i8 i16 i32", **_FLOATS}

_AXIS = _words("axis")
_NAN = _words("nan_mode")
_WINDOW = _words("kernel stride pad")
_SUM = _words("acc_type")
_BOUND = _words("local_bound")

_PRODUCTS = {
    "pro_int": "i8*i8>i32",
    "int4": "i8*i4>i32",
    "int16": "i16*i8>i48",
    "pro_fp": "f16*f16>f16 f32*f32>f32",
    "bf16": "bf16*bf16>bf16",
    "fp8e4m3": "f8E4M3FN*f8E4M3FN>f16",
    "fp8e5m2": "f8E5M2*f8E5M2>f16",
}
_PRODUCT_SUMS = {
    "i8": "i32",
    "i16": "i48",
    "f16": "f16 f32",
    "bf16": "f32",
    "f32": "f32",
    "f8E4M3FN": "f16",
    "f8E5M2": "f16",
}
_POOL_SUMS = {**_PRODUCT_SUMS, "i16": "i32"}

_CONVOLUTION = Form(
    _operands("input:A weight:B bias:R input_zp=A weight_zp=B"),
    _PRODUCTS,
    required=_words("pad stride dilation") | _SUM,
    optional=_BOUND,
    also="i16*i16>i48 i16*i8>i32 f64*f64>f64",
    sums={**_PRODUCT_SUMS, "i16": "i48 i32", "f64": "f64"},
)
_TRANSFORMED = {"fft": "f32"}

FORMS: Mapping[str, Form] = {
    "argmax": Form(
        _operands("input:A"),
        {
            "pro_int": "i8>i32",
            "pro_fp": "f16>i32 f32>i32",
            "int16": "i16>i32",
            "bf16": "bf16>i32",
            "fp8e4m3": "f8E4M3FN>i32",
            "fp8e5m2": "f8E5M2>i32",
        },
        required=_AXIS,
        optional=_NAN,
        also="i32>i32 i64>i32 f64>i32 "
        + " ".join(
            f"{type_}>i64" for type_ in ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")
        ),
    ),
    "avg_pool2d": Form(
        _operands("input:A input_zp=A output_zp=R"),
        _POOLED,
        required=_WINDOW | _SUM,
        also="f64",
        sums={**_POOL_SUMS, "f64": "f64"},
    ),
    "concat": Form(_operands("input:A..."), _JOINED, required=_AXIS, free=True),
    "conv2d": _CONVOLUTION,
    "conv3d": _CONVOLUTION,
    "depthwise_conv2d": _CONVOLUTION,
    "fft2d": Form(
        _operands("input_real:A input_imag:A"),
        _TRANSFORMED,
        required=_words("inverse"),
        optional=_BOUND,
        results=2,
    ),
    "gather": Form(_operands("values:A indices:i32"), _INDEXED, free=True),
    "matmul": Form(
        _operands("a:A b:B a_zp=A b_zp=B"),
        {
            "pro_int": "i8*i8>i32",
            "int16": "i16*i16>i48",
            "pro_fp": "f16*f16>f16 f16*f16>f32 f32*f32>f32",
            "bf16": "bf16*bf16>f32",
            "fp8e4m3": "f8E4M3FN*f8E4M3FN>f16",
            "fp8e5m2": "f8E5M2*f8E5M2>f16",
        },
        also="i32*i32>i32 i16*i16>i32 i16*i8>i48 bf16*bf16>bf16 f64*f64>f64 "
        "f8E4M3FN*f8E4M3FN>f32 f8E5M2*f8E5M2>f32 f8E4M3FN*f8E5M2>f16 f8E5M2*f8E4M3FN>f16",
    ),
    "max_pool2d": Form(
        _operands("input:A"), _POOLED, required=_WINDOW, optional=_NAN, also="i32 f64"
    ),
    "pad": Form(_operands("input:A padding:shape pad_const=A"), _MOVED, free=True),
    "reduce_all": Form(_operands("input:A"), {"pro_int": "i1", "pro_fp": "i1"}, required=_AXIS),
    "reduce_any": Form(_operands("input:A"), {"pro_int": "i1", "pro_fp": "i1"}, required=_AXIS),
    "reduce_max": Form(_operands("input:A"), _LARGEST, required=_AXIS, optional=_NAN, free=True),
    "reduce_min": Form(_operands("input:A"), _LARGEST, required=_AXIS, optional=_NAN, free=True),
    "reduce_product": Form(_operands("input:A"), _FLOATS, required=_AXIS, free=True),
    "reduce_sum": Form(
        _operands("input:A"),
        {"pro_int": "i32", "pro_fp": "i32 f16 f32", "bf16": "bf16"},
        required=_AXIS,
        free=True,
    ),
    "resize": Form(
        _operands("input:A scale:shape/4 offset:shape/2 border:shape/2"),
        {"pro_int": "i8 i8>i32", "int16": "i16 i16>i48", **_FLOATS},
        required=_words("mode"),
        also="i16>i32 i32 f64",
    ),
    "reverse": Form(_operands("input:A"), _MOVED, required=_AXIS, free=True),
    "rfft2d": Form(_operands("input_real:A"), _TRANSFORMED, optional=_BOUND, results=2),
    "scatter": Form(_operands("values_in:A indices:i32 input:A"), _INDEXED, free=True),
    "slice": Form(_operands("input:A start:shape size:shape"), _MOVED, free=True),
    "tile": Form(_operands("input:A multiples:shape"), _MOVED, free=True),
    "transpose": Form(_operands("input:A"), _MOVED, required=_words("perms"), free=True),
    "transpose_conv2d": Form(
        _CONVOLUTION.operands,
        _PRODUCTS,
        required=_words("out_pad stride") | _SUM,
        optional=_BOUND,
        also=_CONVOLUTION.also,
        sums=_CONVOLUTION.sums,
    ),
}
"""The form of each operator, by its name without the dialect."""

INDEXED: Mapping[str, int] = {"gather": 1, "scatter": 1}
"""The operand of each operator that has indices."""

Types = tuple[str, str, str]
"""The types of operands A and B, and of the result; B is empty if the operator has none."""


def type_sets(text: str) -> set[Types]:
    """Return the types that a cell of a table lists."""
    found: set[Types] = set()
    for word in text.split():
        operands, _, result = word.partition(">")
        first, _, second = operands.partition("*")
        found.add((first, second, result or first))
    return found


def allowed(form: Form) -> set[Types]:
    """Return the types that an operator takes, except types that are `free`."""
    return set().union(*(type_sets(cell) for cell in (*form.types.values(), form.also)))
