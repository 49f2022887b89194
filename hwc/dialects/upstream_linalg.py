"""The element-wise part of upstream's `linalg` dialect, as mlir-opt 22 has it.

`linalg.generic`, `linalg.yield` and `linalg.index` are xDSL's. The named operations, `linalg.map`,
`linalg.elementwise` and `linalg.broadcast` are defined here: xDSL lacks most of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects import linalg as xdsl_linalg
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Attribute, Block, Data, Dialect, Operation, OpTraits, Region, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from typing_extensions import Self

SEGMENTS = "operandSegmentSizes"

NAMED = (
    *("abs", "add", "ceil", "copy", "div", "div_unsigned", "erf", "exp", "fill", "floor", "log"),
    *("max", "min", "mul", "negf", "powf", "reciprocal", "round", "rsqrt", "select", "sqrt"),
    *("square", "sub", "tanh"),
)
"""The named operations that are element-wise."""

KINDS = (
    *("exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt"),
    *("square", "tanh", "erf", "add", "sub", "mul", "div", "div_unsigned", "max_signed"),
    *("min_signed", "max_unsigned", "min_unsigned", "powf", "select"),
)
"""What `linalg.elementwise` computes."""


_FORMS = {
    "kind": "as in #linalg.elementwise_kind<add>",
    "dimensions": "as in array<i64: 0>",
    "indexing_maps": "a list of maps",
}
"""How the attributes of the operations here are written."""


@irdl_attr_definition
class ElementwiseKindAttr(Data[str]):
    """What a `linalg.elementwise` computes."""

    name = "linalg.elementwise_kind"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        """Parse `<add>`."""
        with parser.in_angle_brackets():
            return parser.parse_keyword_in(KINDS)

    def print_parameter(self, printer: Printer) -> None:
        """Print `<add>`."""
        printer.print_string(f"<{self.data}>")


def _parse_values(parser: Parser, keyword: str) -> Sequence[SSAValue]:
    """Parse `ins(%a, %b : type, type)`, or nothing."""
    position = parser.pos
    if parser.parse_optional_keyword(keyword) is None:
        return ()
    with parser.in_parens():
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return parser.resolve_operands(names or [], types, position)


def _print_values(printer: Printer, keyword: str, values: Sequence[SSAValue]) -> None:
    if values:
        printer.print_string(f" {keyword}(")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)
        printer.print_string(")")


def _parse_results(parser: Parser) -> Sequence[Attribute] | None:
    """Parse `-> type`, `-> (type, type)` or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return None
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


class StructuredOp(Operation):
    """A named operation: its operands are the inputs, then the destinations."""

    traits = OpTraits(lambda: (Pure(),))
    required: ClassVar[Mapping[str, type[Attribute]]] = {}
    """The properties that the operation has to have, with their types."""

    def verify_(self) -> None:
        """Check the properties, which the generic form may leave out."""
        maps = {"indexing_maps": ArrayAttr} if "indexing_maps" in self.properties else {}
        for name, kind in {**self.required, **maps}.items():
            given = self.properties.get(name)
            if not isinstance(given, kind):
                got = "got none" if given is None else f"got {given}"
                raise VerifyException(f"expected the attribute '{name}' ({_FORMS[name]}), {got}")

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of inputs and destinations."""
        segments = self.properties.get(SEGMENTS)
        if isinstance(segments, DenseArrayBase) and len(values := segments.get_values()) == 2:  # noqa: PLR2004
            return int(values[0]), int(values[1])
        return len(self.operands) - 1, 1

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The operands that are read."""
        return self.operands[: self.counts[0]]

    @property
    def outputs(self) -> Sequence[SSAValue]:
        """The operands that give the sizes of the results."""
        return self.operands[self.counts[0] :]

    @classmethod
    def of(
        cls,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        results: Sequence[Attribute] | None,
        properties: Mapping[str, Attribute],
        attributes: Mapping[str, Attribute],
        regions: Sequence[Region] = (),
    ) -> Self:
        """Build the operation; without `results`, the results have the destinations' types."""
        segments = DenseArrayBase.from_list(i32, [len(inputs), len(outputs)])
        tensors = [value.type for value in outputs if isinstance(value.type, TensorType)]
        return cls.create(
            operands=[*inputs, *outputs],
            result_types=tensors if results is None else results,
            properties={**properties, SEGMENTS: segments},
            attributes=dict(attributes),
            regions=regions,
        )

    @classmethod
    def parse_body(cls, parser: Parser, properties: dict[str, Attribute]) -> Region | None:
        """Parse what comes before `ins`: properties, or the short form of a body."""
        return None

    @classmethod
    def parse_rest(cls, parser: Parser, properties: dict[str, Attribute]) -> Region | None:
        """Parse what follows `outs(...)` before the types of the results."""
        return None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `ins(%a : type) outs(%b : type) -> type`."""
        properties: dict[str, Attribute] = {}
        short = cls.parse_body(parser, properties)
        attributes = parser.parse_optional_attr_dict()
        inputs = _parse_values(parser, "ins")
        outputs = _parse_values(parser, "outs")
        body = cls.parse_rest(parser, properties) or short
        results = _parse_results(parser)
        regions = [] if body is None else [body]
        return cls.of(inputs, outputs, results, properties, attributes, regions)

    def print_head(self, printer: Printer) -> None:
        """Print what `parse_body` reads."""

    def print_rest(self, printer: Printer) -> None:
        """Print what `parse_rest` reads, and the types of the results if they are written."""
        if self.results:
            printer.print_string(" -> ")
            printer.print_list(self.result_types, printer.print_attribute)

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        self.print_head(printer)
        printer.print_op_attributes(self.attributes)
        _print_values(printer, "ins", self.inputs)
        _print_values(printer, "outs", self.outputs)
        self.print_rest(printer)


class ElementwiseOp(StructuredOp):
    """Computes the function `kind`; `indexing_maps` say how the loops index the operands."""

    name = "linalg.elementwise"
    required = {"kind": ElementwiseKindAttr}  # noqa: RUF012 - a ClassVar of the base

    @classmethod
    def parse_body(cls, parser: Parser, properties: dict[str, Attribute]) -> Region | None:
        """Parse `kind=#linalg.elementwise_kind<add> indexing_maps = [...]`."""
        parser.parse_keyword("kind")
        parser.parse_punctuation("=")
        properties["kind"] = parser.parse_attribute()
        if parser.parse_optional_keyword("indexing_maps"):
            parser.parse_punctuation("=")
            properties["indexing_maps"] = parser.parse_attribute()
        return None

    def print_head(self, printer: Printer) -> None:
        """Print what `parse_body` reads."""
        printer.print_string(" kind=")
        printer.print_attribute(self.properties["kind"])
        if "indexing_maps" in self.properties:
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(self.properties["indexing_maps"])


class BroadcastOp(StructuredOp):
    """Repeats its input in the `dimensions` of the result that the input lacks."""

    name = "linalg.broadcast"
    required = {"dimensions": DenseArrayBase}  # noqa: RUF012 - as above

    @classmethod
    def parse_rest(cls, parser: Parser, properties: dict[str, Attribute]) -> Region | None:
        """Parse `dimensions = [0, 2]`."""
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        properties["dimensions"] = DenseArrayBase.from_list(i64, numbers)
        return None

    def print_rest(self, printer: Printer) -> None:
        """Print what `parse_rest` reads."""
        dimensions = self.properties["dimensions"]
        assert isinstance(dimensions, DenseArrayBase)
        listed = ", ".join(str(number) for number in dimensions.get_values())
        printer.print_string(f" dimensions = [{listed}]")


class MapOp(StructuredOp):
    """Computes its region, or one operation, from the scalars of its inputs."""

    name = "linalg.map"

    @classmethod
    def parse_body(cls, parser: Parser, properties: dict[str, Attribute]) -> Region | None:
        """Parse `{ arith.addf {attributes} }`; the operands' types are not known yet."""
        position = parser.pos
        if parser.parse_optional_punctuation("{") is None:
            return None
        name = parser.parse_optional_identifier()
        if name is None or "." not in name:
            parser.raise_error("expected the name of an operation", position)
        properties["payload"] = StringAttr(name)
        payload = parser.parse_optional_attr_dict()
        if payload:
            parser.raise_error("attributes of the operation are not supported here", position)
        parser.parse_punctuation("}")
        return None

    @classmethod
    def parse_rest(cls, parser: Parser, properties: dict[str, Attribute]) -> Region | None:
        """Parse the region's arguments and the region, unless the short form has been read."""
        if "payload" in properties:
            return None
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=True)
        )
        return parser.parse_region(arguments)

    def print_head(self, printer: Printer) -> None:
        """Print the short form."""
        payload = self.properties.get("payload")
        if isinstance(payload, StringAttr):
            printer.print_string(f" {{ {payload.data} }}")

    def print_rest(self, printer: Printer) -> None:
        """Print the region."""
        if self.regions:
            block = self.regions[0].block
            printer.print_string(" (")
            printer.print_list(block.args, printer.print_block_argument)
            printer.print_string(") ")
            printer.print_region(self.regions[0], print_entry_block_args=False)


class GenericOp(linalg.GenericOp):
    """xDSL's `linalg.generic`, extended to parse the types of several results."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `{indexing_maps = ...} ins(...) outs(...) attrs = {...} {region} -> types`."""
        position = parser.pos
        given = parser.parse_optional_attr_dict()
        inputs = _parse_values(parser, "ins")
        outputs = _parse_values(parser, "outs")
        attributes: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("attrs") is not None:
            parser.parse_punctuation("=")
            attributes = parser.parse_optional_attr_dict()
        body = parser.parse_region()
        results = _parse_results(parser) or []
        maps, iterators = given.pop("indexing_maps", None), given.pop("iterator_types", None)
        if not isinstance(maps, ArrayAttr) or not isinstance(iterators, ArrayAttr):
            parser.raise_error("expected indexing_maps and iterator_types", position)
        kinds = [
            IteratorTypeAttr(IteratorType(kind.data)) if isinstance(kind, StringAttr) else kind
            for kind in iterators
        ]
        doc, call = given.pop("doc", None), given.pop("library_call", None)
        generic = cls(
            inputs,
            outputs,
            body,
            [map_ for map_ in maps if isinstance(map_, AffineMapAttr)],
            kinds,
            results,
            doc if isinstance(doc, StringAttr) else None,
            call if isinstance(call, StringAttr) else None,
        )
        generic.attributes |= {**given, **attributes}
        return generic


def _named(name: str) -> type[StructuredOp]:
    class_name = "".join(part.capitalize() for part in name.split("_")) + "Op"
    members = {"name": f"linalg.{name}", "__doc__": f"`linalg.{name}`."}
    return type(class_name, (StructuredOp,), members)


Linalg = Dialect(
    "linalg",
    [
        *map(_named, NAMED),
        ElementwiseOp,
        BroadcastOp,
        MapOp,
        GenericOp,
        linalg.IndexOp,
        linalg.YieldOp,
    ],
    [*xdsl_linalg.Linalg.attributes, ElementwiseKindAttr],
)
"""The operations that a program may have; the parser refuses the others."""


def region_of(op: Operation) -> Block | None:
    """Return the block that computes one point, if the text of the operation has one."""
    return op.regions[0].block if op.regions and op.regions[0].blocks else None
