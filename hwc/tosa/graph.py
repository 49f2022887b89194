"""A TOSA function as a graph: its operators in order, and its constants."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from hwc.dialects import tosa_shapes
from hwc.dialects.attributes import CONFORM, PREFIX, SYMBOLS
from hwc.dialects.element_types import element_type, stored_type
from hwc.dialects.tosa import CLASSES
from hwc.dialects.tosa_operation import ShapeType, TosaOperation, is_operator
from hwc.frontend.diagnostics import error_at, location_of
from hwc.frontend.functions import argument_name
from hwc.frontend.source import Place
from hwc.frontend.unsupported import unsupported
from hwc.models.graph import Graph, Size, Value
from hwc.package.host_types import HOST_TYPES, is_numpys
from hwc.tosa.operators.forms import INDEXED
from isa.stored import STORED


@dataclass(frozen=True, eq=False)
class TosaNode:
    """An operator, with the names of its operands and its results.

    `reads` are the names of the tensors that the operator reads, without duplicates: instead of a
    shape, those tensors whose sizes the shape is computed from.
    """

    op: TosaOperation
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    reads: tuple[str, ...]

    @property
    def operation(self) -> str:
        """The name with the dialect, or in the file's words; with its domain if it is custom."""
        return self.origin or (self.operator if is_operator(self.op, "custom") else self.op.name)

    @property
    def origin(self) -> str:
        """The operator of a TFLite file that became this one; '' in other files."""
        place = location_of(self.op.location)
        return place.operator if isinstance(place, Place) else ""

    @property
    def operator(self) -> str:
        """The name without the dialect; for a custom operator, its own name with its domain."""
        given = (self.op.arguments.get(f"{name}_name") for name in ("domain", "operator"))
        domain, name = (each.data if isinstance(each, StringAttr) else "" for each in given)
        return f"{domain}.{name}" if is_operator(self.op, "custom") else self.op.operator

    def place_in(self, model: str) -> str:
        """Return the file, the line and the column."""
        location = location_of(self.op.location)
        return model if location is None else str(location)


@dataclass
class TosaGraph(Graph[TosaNode]):
    """A TOSA model. `constants` maps each value computed from constants alone to its operator.

    `shapes` maps each other shape to its operator; such operators belong to every part that reads
    the shape. `types` are the MLIR types of all values.
    """

    constants: dict[str, TosaNode]
    shapes: dict[str, TosaNode]
    types: Mapping[str, Attribute]

    def folds(self, name: str, accepts: Callable[[TosaNode], bool]) -> bool:
        """Whether a value is a constant that is computed by operators for which `accepts` holds."""
        todo = [name]
        while todo:
            node = self.constants.get(todo.pop())
            if node is None or not accepts(node):
                return False
            todo += node.inputs
        return True

    def other_type(self, name: str) -> str:
        """Return the MLIR type of a value."""
        return str(self.types[name])


def read_graph(function: FuncOp, name: str) -> TosaGraph:
    """Return the graph of a function from the file `name`; the function is modified.

    Raises:
        LocatedError: the function has control flow, or operations of dialects other than tosa.
    """
    _check(function)
    block = function.body.blocks[0]
    folded = _constant_operators(function)
    _copy_direct_results(function, folded)
    names: dict[SSAValue, str] = {}
    for argument in block.args:
        names[argument] = _fresh(argument_name(argument), names.values())
    inputs = [*names.values()]
    nodes: list[TosaNode] = []
    constants: dict[str, TosaNode] = {}
    shapes: dict[str, TosaNode] = {}
    folded_nodes: list[TosaNode] = []
    returned = block.last_op
    assert isinstance(returned, ReturnOp)
    for op in block.ops:
        if not isinstance(op, TosaOperation):
            continue
        for result in op.results:
            names[result] = f"v{len(names)}"
        read = tuple(names[operand] for operand in op.operands)
        tensors = (shapes[name].reads if name in shapes else (name,) for name in read)
        node = TosaNode(
            op,
            read,
            tuple(names[result] for result in op.results),
            tuple(dict.fromkeys(chain.from_iterable(tensors))),
        )
        if op in folded:
            constants.update(dict.fromkeys(node.outputs, node))
            if node.inputs and op.operator not in tosa_shapes.OPERATORS:
                folded_nodes.append(node)
        elif op.operator in tosa_shapes.OPERATORS:
            shapes.update(dict.fromkeys(node.outputs, node))
        else:
            nodes.append(node)
    symbols = _symbols(function)
    known = {
        name: _value(value, symbols.get(name, ()))
        for value, name in names.items()
        if name not in constants
    }
    return TosaGraph(
        name=name,
        entry=function.sym_name.data,
        nodes=nodes,
        inputs=inputs,
        outputs=[names[value] for value in returned.operands],
        constants=constants,
        shapes=shapes,
        values={name: value for name, value in known.items() if value is not None},
        types={name: value.type for value, name in names.items()},
        folded=folded_nodes,
    )


def _check(function: FuncOp) -> None:
    """Refuse control flow, operations of other dialects, and facts about sizes."""
    body = [op for op in function.walk() if op is not function and not isinstance(op, ReturnOp)]
    other = [op for op in body if not isinstance(op, TosaOperation)]
    if other:
        raise error_at(
            other[0],
            f"'{other[0].name}' is in a program that is cut into parts for machine and host",
            "such a program has operators of tosa alone",
        )
    nested = [(location_of(op.location), op.name) for op in body if op.regions]
    if nested:
        raise unsupported(nested)
    said = {*function.attributes, *(key for each in _argument_attributes(function) for key in each)}
    for key in sorted(said):
        if key.startswith(PREFIX) and key not in {SYMBOLS, CONFORM}:
            raise error_at(
                function,
                f"'{key}' is in a program that is cut into parts for machine and host",
                f"such a program names sizes ({SYMBOLS}) and says nothing else about them",
            )


def _argument_attributes(function: FuncOp) -> Sequence[Mapping[str, Attribute]]:
    given = function.arg_attrs
    return [] if given is None else [each.data for each in given.data]


def _symbols(function: FuncOp) -> dict[str, tuple[Size, ...]]:
    """Return the size names of each argument, by the argument's name."""
    found: dict[str, tuple[Size, ...]] = {}
    arguments = function.body.blocks[0].args
    for argument, attributes in zip(arguments, _argument_attributes(function), strict=False):
        said = attributes.get(SYMBOLS)
        if isinstance(said, ArrayAttr):
            texts = (each.data if isinstance(each, StringAttr) else "" for each in said.data)
            found[argument_name(argument)] = tuple(text or None for text in texts)
    return found


def _constant_operators(function: FuncOp) -> set[Operation | Block]:
    """Return the operators that depend only on constants.

    One that computes indices is left out: indices are checked before an engine reads them.
    """
    found: set[Operation | Block] = set()
    for op in function.body.blocks[0].ops:
        if not isinstance(op, TosaOperation) or not all(v.owner in found for v in op.operands):
            continue
        if is_operator(op, "const") or not any(map(_is_index, op.results)):
            found.add(op)
    return found


def _is_index(value: SSAValue) -> bool:
    """Whether an operator reads a value as indices."""
    return any(
        isinstance(use.operation, TosaOperation)
        and INDEXED.get(use.operation.operator) == use.index
        for use in value.uses
    )


def _copy_direct_results(function: FuncOp, folded: Collection[Operation | Block]) -> None:
    """Add a copy for each result that no operator computes, or that is returned twice."""
    block = function.body.blocks[0]
    returned = block.last_op
    assert isinstance(returned, ReturnOp)
    seen: set[SSAValue] = set()
    for number, value in enumerate(returned.operands):
        owner = value.owner
        if value not in seen and isinstance(owner, Operation) and owner not in folded:
            seen.add(value)
            continue
        copy = CLASSES["identity"].create(operands=[value], result_types=[value.type])
        copy.location = returned.location
        block.insert_op_before(copy, returned)
        returned.operands[number] = copy.results[0]


def _value(value: SSAValue, symbols: Sequence[Size]) -> Value | None:
    """Return what is known about a value; None if no package can hold it."""
    type_ = value.type
    if isinstance(type_, ShapeType) or not isinstance(type_, TensorType):
        return None
    element = type_.get_element_type()
    known = element_type(element) or stored_type(element) or HOST_TYPES.get(str(element))
    if known is None or (known.name in HOST_TYPES and not is_numpys(known.name)):
        return None
    if known.name in STORED and len(STORED[known.name].parts) > 1:
        return None  # it takes two buffers, and an engine knows one
    sizes = [size if size >= 0 else None for size in type_.get_shape()]
    named = [*symbols, *[None] * (len(sizes) - len(symbols))]
    return Value(
        known.name, tuple(n if s is None else s for s, n in zip(sizes, named, strict=True))
    )


def _fresh(name: str, others: Iterable[str]) -> str:
    """Return a name that no other value has and that no operator's result will get."""
    taken = set(others)
    while name in taken or (name[:1] == "v" and name[1:].isdecimal()):
        name += "_"
    return name
