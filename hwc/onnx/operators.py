"""The element-wise operators of ONNX: how a region computes each, or why it cannot.

An operator becomes the TOSA operator with the same meaning, or `tosa.custom` with its own scalar
function. Either way, operands broadcast as in NumPy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hwc.models.graph import HostOnlyError
from hwc.onnx import activations, casts, normalisation, quantised, views
from hwc.onnx.activations import Write
from hwc.onnx.node import Lowered, Node
from hwc.onnx.old_versions import NUMPYS, aligned
from hwc.onnx.reasons import reason
from hwc.onnx.scalars import Scalars, custom, in_f32
from hwc.onnx.types import BOOLEAN, COMPUTED, FLOATS, INTEGERS, MACHINE
from hwc.package.host_types import UNSIGNED


@dataclass(frozen=True)
class Rule:
    """How an operator is lowered; `types` are the element types that the machine supports for it.

    They are the types of the first input that is given; `others` are types besides these and
    `COMPUTED` that other inputs and the result may have. `machine_inputs` is the number of inputs
    that the machine reads, None for all.
    """

    types: tuple[str, ...]
    lower: Callable[[Node], Lowered]
    machine_inputs: int | None = None
    others: tuple[str, ...] = ()


def lower(node: Node) -> Lowered:
    """Return a node lowered to an operator of a region.

    Raises:
        HostOnlyError: the machine cannot compute the node.
    """
    rule = RULES.get(node.operator)
    if rule is None:
        raise HostOnlyError(reason(node.operator))
    if node.results != 1:
        raise HostOnlyError("it has several results")
    known = {*COMPUTED, *rule.types, *rule.others}
    for type_ in (*node.types[: rule.machine_inputs], node.result):
        if type_ is not None and type_ not in known:
            raise HostOnlyError(f"the machine does not compute with {type_}")
    first = next((type_ for type_ in node.types if type_ is not None), None)
    if first not in rule.types:
        raise HostOnlyError(f"the machine does not have it for {first}")
    return aligned(node, rule.lower(node))


def onnx_names(operations: str) -> str:
    """Return the operations of a kernel under their ONNX names."""
    tosa = {f"tosa.{name}": operator for operator, name in TOSA.items()}
    words = (_own_name(word) for word in operations.split(", "))
    return ", ".join(tosa.get(word, word) for word in words)


def _own_name(word: str) -> str:
    match = _OWN.fullmatch(word)
    return match[1] if match else word


def _tosa(node: Node) -> Lowered:
    return Lowered(f"tosa.{TOSA[node.operator]}", tuple(range(len(node.types))))


def _floats(write: Callable[[Node], Write]) -> Callable[[Node], Lowered]:
    """Return the lowering of the f32 function that `write` returns for a node."""

    def lowered(node: Node) -> Lowered:
        types = [type_ for type_ in node.types if type_ is not None]
        return custom(node, in_f32(write(node), types, node.result))

    return lowered


def _float(*operations: str) -> Callable[[Node], Lowered]:
    """Return the lowering of a chain of f32 operations; the first one reads all operands."""

    def write(scalars: Scalars, *values: str) -> str:
        result = scalars.f32(operations[0], *values)
        for operation in operations[1:]:
            result = scalars.f32(operation, result)
        return result

    return _floats(lambda _: write)


def _by_kind(floats: str, integers: str, booleans: str = "") -> Callable[[Node], Lowered]:
    """Return the lowering of a binary `arith` operation that has a name for each kind of type."""

    def lowered(node: Node) -> Lowered:
        type_ = node.types[0]
        if type_ in FLOATS:
            return _float(floats)(node)
        name = booleans if type_ == BOOLEAN else integers
        return custom(node, lambda scalars, *v: scalars.add(name, ", ".join(v), type_))

    return lowered


def _variadic(name: str) -> Callable[[Node], Lowered]:
    """Return the lowering of an operator with any number of operands, folded from the left."""
    of_kind = {"Max": ("maximumf", "maxsi"), "Min": ("minimumf", "minsi"), "Sum": ("addf", "addi")}

    def lowered(node: Node) -> Lowered:
        type_ = node.types[0]
        floats, integers = (f"arith.{word}" for word in of_kind[name])

        def write(scalars: Scalars, first: str, *rest: str) -> str:
            for value in rest:
                if type_ in FLOATS:
                    first = scalars.f32(floats, first, value)
                else:
                    first = scalars.add(integers, f"{first}, {value}", str(type_))
            return first

        return _floats(lambda _: write)(node) if type_ in FLOATS else custom(node, write)

    return lowered


def _mean(node: Node) -> Write:
    def write(scalars: Scalars, first: str, *rest: str) -> str:
        for value in rest:
            first = scalars.f32("arith.addf", first, value)
        return scalars.f32("arith.divf", first, float(len(node.types)))

    return write


def _relation(floats: str, integers: str) -> Callable[[Node], Lowered]:
    def lowered(node: Node) -> Lowered:
        type_ = str(node.types[0])
        kind, relation = ("arith.cmpf", floats) if type_ in FLOATS else ("arith.cmpi", integers)
        return custom(node, lambda scalars, a, b: scalars.add(kind, f"{relation}, {a}, {b}", type_))

    return lowered


def _sign(node: Node) -> Lowered:
    type_ = str(node.types[0])

    def floats(s: Scalars, x: str) -> str:
        zero = s.chosen(s.compared("oeq", x, 0.0), 0.0, x)  # a NaN stays
        negative = s.chosen(s.compared("olt", x, 0.0), -1.0, zero)
        return s.chosen(s.compared("ogt", x, 0.0), 1.0, negative)

    def integers(s: Scalars, x: str) -> str:
        return s.integer("arith.maxsi", type_, s.integer("arith.minsi", type_, x, 1), -1)

    return _floats(lambda _: floats)(node) if type_ in FLOATS else custom(node, integers)


def _absolute(node: Node) -> Lowered:
    type_ = str(node.types[0])
    if type_ in FLOATS:
        return _float("math.absf")(node)
    return custom(node, lambda s, x: s.add("math.absi", x, type_))


def _negative(node: Node) -> Lowered:
    type_ = str(node.types[0])
    if type_ in FLOATS:
        return _float("arith.negf")(node)
    return custom(node, lambda s, x: s.integer("arith.subi", type_, 0, x))


def _mod(node: Node) -> Lowered:
    type_ = str(node.types[0])
    if node.attributes.get("fmod", 0):
        return _by_kind("arith.remf", "arith.remsi")(node)
    if type_ in FLOATS:
        raise HostOnlyError("mod of floats needs fmod = 1")

    def write(s: Scalars, a: str, b: str) -> str:
        down = s.add("arith.floordivsi", f"{a}, {b}", type_)
        whole = s.add("arith.muli", f"{down}, {b}", type_)
        return s.add("arith.subi", f"{a}, {whole}", type_)

    return custom(node, write)


_SQUARE = 2.0
"""The exponent for which the product is used: it is cheaper, and rounded once."""


def _power(s: Scalars, x: str, exponent: str) -> str:
    """Return x to the power of any exponent, with the bits of each constant exponent."""
    is_square = s.compared("oeq", exponent, _SQUARE)
    return s.chosen(is_square, s.f32("arith.mulf", x, x), s.f32("math.powf", x, exponent))


def _pow(node: Node) -> Lowered:
    exponent = node.values[1]
    if exponent is None or exponent.size != 1:
        if node.types[1] not in FLOATS:
            raise HostOnlyError("the exponent is not a float and not one constant")
        return _floats(lambda _: _power)(node)
    power = float(exponent.reshape(-1)[0])

    def write(s: Scalars, x: str) -> str:
        if power == _SQUARE:
            return s.f32("arith.mulf", x, x)
        return s.f32("math.powf", x, power)

    first = str(node.types[0])
    lowered = custom(node, in_f32(write, [first], node.result), [0])
    if node.ranks[1] > node.ranks[0]:
        raise HostOnlyError("the exponent gives the result another rank")
    return lowered


_LARGEST = {"f32": 3.4028234663852886e38, "f16": 65504.0, "bf16": 3.3895313892515355e38}
"""The bounds of Clip that are left out: infinities become the largest finite number."""


def _clip(node: Node) -> Lowered:
    type_ = str(node.types[0])
    given = [i for i in (1, 2) if node.has(i)]
    low, high = ("arith.maximumf", "arith.minimumf")
    if type_ not in FLOATS:
        low, high = ("arith.maxsi", "arith.minsi")

    def write(s: Scalars, x: str, *bounds: str) -> str:
        bound = dict(zip(given, bounds, strict=True))
        for number, operation, sign in ((1, low, -1), (2, high, 1)):
            if number not in bound and type_ in FLOATS:
                bound[number] = s.add("arith.constant", str(sign * _LARGEST[type_]), type_)
            if number in bound:
                x = s.add(operation, f"{x}, {bound[number]}", type_)
        return x

    def fixed(s: Scalars, x: str) -> str:
        for name, operation, sign in (("min", low, -1), ("max", high, 1)):
            x = s.f32(operation, x, node.number(name, sign * _LARGEST["f32"]))
        return x

    if node.version < 11:  # noqa: PLR2004 - since then the bounds are inputs
        return _floats(lambda _: fixed)(node)
    if not given and type_ not in FLOATS:
        return Lowered("tosa.identity", (0,))
    return custom(node, write, [0, *given])


def _is_infinite(node: Node) -> Lowered:
    type_ = str(node.types[0])
    signs = {"detect_negative": "olt", "detect_positive": "ogt"}
    wanted = [relation for name, relation in signs.items() if node.attributes.get(name, 1)]
    if not wanted:
        raise HostOnlyError("it detects no infinity")

    def write(s: Scalars, x: str) -> str:
        infinite = s.add("math.isinf", x, type_)
        if len(wanted) == len(signs):
            return infinite
        signed = s.compared(wanted[0], s.widened(x, type_), 0.0)
        return s.add("arith.andi", f"{infinite}, {signed}", BOOLEAN)

    return custom(node, write)


def _is_nan(node: Node) -> Lowered:
    type_ = str(node.types[0])
    return custom(node, lambda s, x: s.add("math.isnan", x, type_))


def _dropout(node: Node) -> Lowered:
    if len(node.types) > 2 and node.types[2] is not None:  # noqa: PLR2004 - the third is the mode
        raise HostOnlyError("it may be in training mode")
    if node.version < NUMPYS and not node.attributes.get("is_test", 0):
        raise HostOnlyError("it is in training mode")
    return Lowered("tosa.identity", (0,))


TOSA: Mapping[str, str] = {
    "Add": "add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseNot": "bitwise_not",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Ceil": "ceil",
    "Cos": "cos",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Identity": "identity",
    "Log": "log",
    "Not": "logical_not",
    "Or": "logical_or",
    "Sigmoid": "sigmoid",
    "Sin": "sin",
    "Sub": "sub",
    "Tanh": "tanh",
    "Where": "select",
    "Xor": "logical_xor",
}
"""ONNX operators and the TOSA operators with the same meaning."""

_OWN = re.compile(r"onnx\.([\w.]+?)(_[0-9]+)?")
"""What kernels call an operator with its own scalar function."""


VIEWS = ("Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze")
"""Operators that compute nothing: alone they do not make a region."""

_NUMBERS = (*FLOATS, *INTEGERS)
_BYTES = ("i8", "ui8")
_STORED = (*MACHINE, *UNSIGNED)
_QUANTISED = (*_BYTES, "i16", "ui16")

RULES: Mapping[str, Rule] = {
    "Abs": Rule(_NUMBERS, _absolute),
    "Add": Rule(_NUMBERS, _tosa),
    "And": Rule((BOOLEAN,), _tosa),
    "BitwiseAnd": Rule(INTEGERS, _tosa),
    "BitwiseNot": Rule(INTEGERS, _tosa),
    "BitwiseOr": Rule(INTEGERS, _tosa),
    "BitwiseXor": Rule(INTEGERS, _tosa),
    "Cast": Rule(MACHINE, casts.cast),
    "CastLike": Rule(MACHINE, casts.cast, machine_inputs=1),
    "BatchNormalization": Rule(FLOATS, normalisation.batch),
    "Ceil": Rule(FLOATS, _tosa),
    "Celu": Rule(FLOATS, _floats(activations.celu)),
    "Clip": Rule(_NUMBERS, _clip),
    "Cos": Rule(FLOATS, _tosa),
    "DequantizeLinear": Rule((*_QUANTISED, "i32"), quantised.dequantize),
    "Div": Rule(_NUMBERS, _by_kind("arith.divf", "arith.divsi")),
    "Dropout": Rule(FLOATS, _dropout, machine_inputs=1),
    "Elu": Rule(FLOATS, _floats(activations.elu)),
    "Equal": Rule(COMPUTED, _relation("oeq", "eq")),
    "Erf": Rule(FLOATS, _tosa),
    "Exp": Rule(FLOATS, _tosa),
    "Flatten": Rule(_STORED, views.flatten),
    "Floor": Rule(FLOATS, _tosa),
    "Gelu": Rule(FLOATS, _floats(activations.gelu)),
    "Greater": Rule(_NUMBERS, _relation("ogt", "sgt")),
    "GreaterOrEqual": Rule(_NUMBERS, _relation("oge", "sge")),
    "HardSigmoid": Rule(FLOATS, _floats(activations.hard_sigmoid)),
    "HardSwish": Rule(FLOATS, _floats(activations.hard_swish)),
    "Identity": Rule(_STORED, _tosa),
    "IsInf": Rule(FLOATS, _is_infinite),
    "IsNaN": Rule(FLOATS, _is_nan),
    "LeakyRelu": Rule(FLOATS, _floats(activations.leaky_relu)),
    "Less": Rule(_NUMBERS, _relation("olt", "slt")),
    "LessOrEqual": Rule(_NUMBERS, _relation("ole", "sle")),
    "Log": Rule(FLOATS, _tosa),
    "Max": Rule(_NUMBERS, _variadic("Max")),
    "Mean": Rule(FLOATS, _floats(_mean)),
    "Min": Rule(_NUMBERS, _variadic("Min")),
    "Mish": Rule(FLOATS, _floats(activations.mish)),
    "Mod": Rule(_NUMBERS, _mod),
    "Mul": Rule(_NUMBERS, _by_kind("arith.mulf", "arith.muli")),
    "Neg": Rule(_NUMBERS, _negative),
    "Not": Rule((BOOLEAN,), _tosa),
    "Or": Rule((BOOLEAN,), _tosa),
    "PRelu": Rule(FLOATS, _floats(activations.prelu)),
    "Pow": Rule(FLOATS, _pow, machine_inputs=1),
    "QuantizeLinear": Rule((*FLOATS, "i32"), quantised.quantize, others=_QUANTISED),
    "Reciprocal": Rule(FLOATS, _floats(lambda _: lambda s, x: s.f32("arith.divf", 1.0, x))),
    "Relu": Rule(FLOATS, _floats(lambda _: lambda s, x: s.f32("arith.maximumf", x, 0.0))),
    "Reshape": Rule(_STORED, views.reshape, machine_inputs=1),
    "Round": Rule(FLOATS, _float("math.roundeven")),
    "Selu": Rule(FLOATS, _floats(activations.selu)),
    "Shrink": Rule(FLOATS, _floats(activations.shrink)),
    "Sigmoid": Rule(FLOATS, _tosa),
    "Sign": Rule(_NUMBERS, _sign),
    "Sin": Rule(FLOATS, _tosa),
    "Softplus": Rule(FLOATS, _floats(lambda _: lambda s, x: s.softplus(x))),
    "Softsign": Rule(FLOATS, _floats(activations.softsign)),
    "Sqrt": Rule(FLOATS, _float("math.sqrt")),
    "Squeeze": Rule(_STORED, views.squeeze, machine_inputs=1),
    "Sub": Rule(_NUMBERS, _tosa),
    "Sum": Rule(_NUMBERS, _variadic("Sum")),
    "Swish": Rule(FLOATS, _floats(activations.swish)),
    "Tan": Rule(FLOATS, _float("math.tan")),
    "Tanh": Rule(FLOATS, _tosa),
    "ThresholdedRelu": Rule(FLOATS, _floats(activations.thresholded_relu)),
    "Unsqueeze": Rule(_STORED, views.unsqueeze, machine_inputs=1),
    "Where": Rule((BOOLEAN,), _tosa, others=tuple(UNSIGNED)),
    "Xor": Rule((BOOLEAN,), _tosa),
    "com.microsoft.DequantizeLinear": Rule((*_QUANTISED, "i32"), quantised.dequantize),
    "com.microsoft.QLinearAdd": Rule(_BYTES, quantised.add),
    "com.microsoft.QLinearLeakyRelu": Rule(_BYTES, quantised.leaky_relu),
    "com.microsoft.QLinearMul": Rule(_BYTES, quantised.multiply),
    "com.microsoft.QLinearSigmoid": Rule(_BYTES, quantised.sigmoid),
    "com.microsoft.QLinearWhere": Rule((BOOLEAN,), quantised.where, others=_BYTES),
    "com.microsoft.QuantizeLinear": Rule(FLOATS, quantised.quantize, others=_QUANTISED),
}
"""Every operator that the machine supports for some types."""
