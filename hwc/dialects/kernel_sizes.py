"""`kernel.size`: a step of the function's shape program, as an operation of the kernel dialect.

    kernel.size s0 = dim(argument 0, dimension 1)
    kernel.size d0 = broadcast(s0, s1) in dimension 1 of "tosa.add"
    kernel.size equal(s0, 7) of "tosa.exp"

`hwc.shapes.steps` defines the kinds of steps and their text; this dialect does not depend on them.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Data
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from hwc.frontend.diagnostics import location_of
from hwc.shapes.steps import Origin, Step, StepSyntaxError, read_step


class _IrTokens:
    """The tokens of a step in IR."""

    def __init__(self, parser: AttrParser) -> None:
        self._parser = parser

    def name(self) -> str | None:
        """Take a name."""
        return self._parser.parse_optional_identifier()

    def number(self) -> int | None:
        """Take a number that is not negative."""
        return self._parser.parse_optional_integer(allow_boolean=False, allow_negative=False)

    def punctuation(self, text: str) -> bool:
        """Take a punctuation mark; return whether it was there."""
        return self._parser.parse_optional_characters(text) is not None


def _read(parser: AttrParser) -> Step:
    try:
        return read_step(_IrTokens(parser))
    except StepSyntaxError as error:
        parser.raise_error(f"not a step of a shape program: {error}")


@irdl_attr_definition
class StepAttr(Data[Step]):
    """A step of a shape program, without its origin."""

    name = "kernel.step"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Step:
        """Parse the step's text."""
        with parser.in_angle_brackets():
            return _read(parser)

    def print_parameter(self, printer: Printer) -> None:
        """Print the step's text."""
        with printer.in_angle_brackets():
            printer.print_string(str(self.data))


@irdl_op_definition
class SizeOp(IRDLOperation):
    """A step of the function's shape program.

    `source` names the source operation that requires the step; `dimension` is the dimension of its
    result that the step is about. A step that no operation requires has neither.
    """

    name = "kernel.size"

    step_ = prop_def(StepAttr, prop_name="step")
    source = opt_prop_def(StringAttr)
    dimension = opt_prop_def(IntegerAttr)

    def __init__(self, step: Step, source: str | None = None, dimension: int | None = None) -> None:
        """Hold a step that has no origin."""
        super().__init__(
            properties={
                "step": StepAttr(step),
                "source": None if source is None else StringAttr(source),
                "dimension": None if dimension is None else IntegerAttr(dimension, i64),
            }
        )

    def verify_(self) -> None:
        """Check what the step is about."""
        if self.dimension is None:
            return
        if self.source is None:
            raise VerifyException("a 'dimension' without the 'source' whose result has it")
        if self.dimension.type != i64 or self.dimension.value.data < 0:
            raise VerifyException(f"'dimension' is {self.dimension}, expected an i64, 0 or more")

    @property
    def step(self) -> Step:
        """The step, without its origin."""
        return self.step_.data

    def with_origin(self) -> Step:
        """Return the step with its origin: the source operation, and the location of this one."""
        if self.source is None:
            return self.step
        dimension = None if self.dimension is None else self.dimension.value.data
        location = str(location_of(self.location) or "<in memory>")
        return replace(self.step, origin=Origin(self.source.data, location, dimension))

    def print(self, printer: Printer) -> None:
        """Print the step's text and its origin."""
        printer.print_string(f" {self.step}")
        if self.source is not None:
            if self.dimension is not None:
                printer.print_string(f" in dimension {self.dimension.value.data}")
            printer.print_string(" of ")
            printer.print_string_literal(self.source.data)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> SizeOp:
        """Parse what `print` prints."""
        step = _read(parser)
        source = dimension = None
        if parser.parse_optional_keyword("in"):
            parser.parse_keyword("dimension")
            dimension = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_keyword("of")
            source = parser.parse_str_literal()
        elif parser.parse_optional_keyword("of"):
            source = parser.parse_str_literal()
        op = cls(step, source, dimension)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op


def size_ops(block: Block) -> list[SizeOp]:
    """Return the function's shape program in order."""
    return [op for op in block.ops if isinstance(op, SizeOp)]
