"""The kernel dialect: element-wise kernels between buffers, and the sizes they rely on.

A `kernel.apply` computes its expressions at each point of its iteration space. Its operands are
tensors of any sizes that broadcast to that space; the hardware broadcasts them. Sizes are static or
symbols. A symbol is a name that a `kernel.size` of the function defines
(`hwc.dialects.kernel_sizes`). The `kernel.size` operations have no SSA operands or results: in
order, they are the function's shape program. No pass removes a `kernel.size`, because each states a
requirement of a source operation on a call.

A `kernel.choose` holds several lists of kernels with the same results; a call runs one list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import ArrayAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.building import strings_attr
from hwc.dialects.kernel_host import HostOp
from hwc.dialects.kernel_sizes import SizeOp, StepAttr
from hwc.dialects.kernel_text import (
    parse_kernel,
    parse_sized_tensor,
    print_kernel,
    print_sized_results,
)
from hwc.dialects.kernel_views import ReshapeOp, TableOp
from hwc.dialects.scalars import TableReadOp
from hwc.dialects.shared_attributes import SharedAttributes, create, initialize
from hwc.dialects.sizes import read_sizes, shapes_attr, verify_sizes
from hwc.frontend.diagnostics import error_at
from hwc.shapes import Size, strip_ones


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values that a region returns, one per result.

    In a kernel, the values are the scalars of one point; in an alternative, the tensors in memory.
    """

    name = "kernel.yield"

    values = var_operand_def()
    traits = traits_def(IsTerminator())

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, values: Sequence[SSAValue]) -> None:
        """Build the terminator."""
        initialize(self, values)


@lru_cache(maxsize=4096)
def _apply_properties(
    sizes: tuple[tuple[Size, ...], ...], source: tuple[str, ...]
) -> SharedAttributes:
    return SharedAttributes({"sizes": shapes_attr(sizes), "source": strings_attr(*source)})


@irdl_op_definition
class ApplyOp(IRDLOperation):
    """One kernel: the region computes the values of every point from the elements of the inputs.

    The iteration space has the sizes to which the inputs broadcast, or without inputs, the sizes of
    the results. All results have these sizes, apart from leading 1s; in an alternative of a
    `kernel.choose`, they may have sizes that only turn out to be equal. The region's arguments are
    the scalars of the inputs. `sizes` holds one shape per result; `source` names the source
    operations, for human readers.
    """

    name = "kernel.apply"

    inputs = var_operand_def(TensorType)
    results_ = var_result_def(TensorType)
    sizes = prop_def(ArrayAttr)
    source = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove())

    @staticmethod
    def build_from(
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        sizes: Sequence[Sequence[Size]],
        source: Iterable[str],
        body: Block | Region,
    ) -> ApplyOp:
        """Build a kernel around a finished block, or a region of one block."""
        return create(
            ApplyOp,
            inputs,
            result_types,
            properties=_apply_properties(tuple(map(tuple, sizes)), tuple(source)),
            regions=[Region(body) if isinstance(body, Block) else body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        """Parse the form that `kernel_text` describes, without sizes of inputs."""
        text = parse_kernel(parser, lambda _, kind: kind.get_element_type(), sized_inputs=False)
        return ApplyOp.create(
            operands=text.inputs,
            result_types=text.result_types,
            properties={"sizes": text.output_sizes, "source": text.source},
            attributes=text.attributes,
            regions=[text.body],
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        print_kernel(printer, self, self.sizes)

    @property
    def shapes(self) -> list[tuple[Size, ...]]:
        """The sizes of each result."""
        return [read_sizes(s) for s in self.sizes.data]

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        """The scalars that the region yields, one per result."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return tuple(last.values)

    def verify_(self) -> None:
        """Check the region's signature, the terminator and the sizes."""
        block = self.body.block
        given = [i.type.get_element_type() for i in self.inputs if isinstance(i.type, TensorType)]
        if [a.type for a in block.args] != given:
            raise VerifyException("the region's arguments are not the element types of the inputs")
        if not isinstance(block.last_op, YieldOp):
            raise VerifyException("the region does not end in kernel.yield")
        types = [r.type.get_element_type() for r in self.results_ if isinstance(r.type, TensorType)]
        if [v.type for v in block.last_op.values] != types:
            raise VerifyException("kernel.yield does not give the element types of the results")
        if not types:
            raise VerifyException("a kernel has at least one result")
        self._verify_result_sizes()

    def _verify_result_sizes(self) -> None:
        if len(self.sizes) != len(self.results_):
            raise VerifyException("'sizes' holds one shape per result")
        shapes: list[tuple[Size, ...]] = []
        for attr, result in zip(self.sizes, self.results_, strict=True):
            verify_sizes(attr, "an entry of 'sizes'")
            shapes.append(read_sizes(attr))
            if len(shapes[-1]) != len(result.type.get_shape()):
                raise VerifyException("'sizes' and the result's type differ in rank")
        # An alternative may be for the case that sizes turn out to be equal.
        chosen = isinstance(self.parent_op(), ChooseOp)
        if len({strip_ones(s) for s in shapes}) != 1 and not chosen:
            raise VerifyException("all results of a kernel have equal sizes")


@irdl_op_definition
class ChooseOp(IRDLOperation):
    """Alternatives with the same results; one of them is chosen when the sizes are known.

    Each region is one alternative: kernels, which may read any value from above, and a
    `kernel.yield` of one tensor for each result, which a kernel of the alternative writes to the
    memory of the result. `names` has a name for each alternative, `sizes` the sizes of each result.
    A kernel of an alternative may need more than the shape program requires (for example that two
    symbols are equal). Such an alternative is chosen only where the machine's own rules about the
    sizes of its streams hold. The first alternative has no such needs.
    In text:

        %r = kernel.choose -> tensor<?xf32> [d0] "fused" {
          %k = kernel.apply (%x = %a : tensor<1xf32>, %y = %b : tensor<?xf32>) -> ...
          kernel.yield %k : tensor<?xf32>
        } or "keep-exp" {
          ...
        }
    """

    name = "kernel.choose"

    results_ = var_result_def(TensorType)
    sizes = prop_def(ArrayAttr)
    names = prop_def(ArrayAttr[StringAttr])
    alternatives = var_region_def("single_block")

    def __init__(
        self,
        result_types: Sequence[Attribute],
        sizes: Sequence[Sequence[Size]],
        alternatives: Sequence[tuple[str, Block]],
    ) -> None:
        """Build the choice between `alternatives`, each a name and a block that ends in a yield."""
        super().__init__(
            result_types=[result_types],
            properties={
                "sizes": shapes_attr(tuple(map(tuple, sizes))),
                "names": ArrayAttr([StringAttr(name) for name, _ in alternatives]),
            },
            regions=[[Region(block) for _, block in alternatives]],
        )

    @property
    def shapes(self) -> list[tuple[Size, ...]]:
        """The sizes of each result."""
        return [read_sizes(s) for s in self.sizes.data]

    @property
    def blocks(self) -> list[Block]:
        """The block of each alternative."""
        return [region.block for region in self.alternatives]

    @classmethod
    def parse(cls, parser: Parser) -> ChooseOp:
        """Parse what follows the name."""
        parser.parse_punctuation("->", " before the results of a choice")
        tensors = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parse_sized_tensor(parser)
        )
        if tensors is None:
            tensors = [parse_sized_tensor(parser)]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        names, regions = [], []
        while True:
            names.append(StringAttr(parser.parse_str_literal(" as the name of an alternative")))
            regions.append(parser.parse_region())
            if parser.parse_optional_keyword("or") is None:
                break
        return ChooseOp.create(
            result_types=[tensor.type for tensor in tensors],
            properties={
                "sizes": ArrayAttr([tensor.sizes for tensor in tensors]),
                "names": ArrayAttr(names),
            },
            attributes={} if attributes is None else dict(attributes.data),
            regions=regions,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        print_sized_results(printer, self, self.sizes)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        for i, (name, region) in enumerate(zip(self.names, self.alternatives, strict=True)):
            printer.print_string(" or " if i else " ")
            printer.print_attribute(name)
            printer.print_string(" ")
            printer.print_region(region)

    def verify_(self) -> None:
        """Check names, sizes and what each alternative yields."""
        if len(self.names) != len(self.alternatives) or len(self.alternatives) < 2:  # noqa: PLR2004
            raise VerifyException("a choice has two alternatives or more, and a name for each")
        if len(set(self.names)) != len(self.names):
            raise VerifyException("two alternatives have the same name")
        if any(not name.data or set(name.data) & set(" ,\t\n") for name in self.names):
            raise VerifyException("the name of an alternative is a word without commas")
        if len(self.sizes) != len(self.results_):
            raise VerifyException("'sizes' holds one shape per result")
        for attr, result in zip(self.sizes, self.results_, strict=True):
            verify_sizes(attr, "an entry of 'sizes'")
            if len(read_sizes(attr)) != len(result.type.get_shape()):
                raise VerifyException("'sizes' and the result's type differ in rank")
        types = [result.type for result in self.results_]
        for block in self.blocks:
            last = block.last_op
            if block.args or not isinstance(last, YieldOp):
                raise VerifyException("an alternative has no arguments and ends in kernel.yield")
            if [value.type for value in last.values] != types:
                raise VerifyException("an alternative does not yield the types of the results")
        for block in self.blocks:
            yielded = set(block.last_op.operands if block.last_op else ())
            own = {result for op in block.ops for result in op.results}
            if not yielded <= own or len(yielded) != len(types):
                raise VerifyException(
                    "an alternative yields results of its own kernels, each of them once"
                )


def table_of(apply: ApplyOp) -> TableOp | None:
    """Return the table that a kernel reads, if any; a kernel reads at most one table.

    Raises:
        LocatedError: an operation reads something that is not a table, or the kernel reads two.
    """
    found: TableOp | None = None
    for op in apply.body.block.ops:
        if not isinstance(op, TableReadOp):
            continue
        argument = op.table
        owner = None
        if isinstance(argument, BlockArgument):
            owner = apply.inputs[argument.index].owner
        if not isinstance(owner, TableOp):
            raise error_at(op, f"'{op.name}' reads a table that is no result of 'kernel.table'")
        if found is not None and found is not owner:
            raise error_at(
                op, "the kernel reads two tables", "the machine has one: use two kernels"
            )
        found = owner
    return found


def stream_inputs(apply: ApplyOp) -> list[SSAValue]:
    """Return the inputs that a kernel reads as streams: all but its table.

    Raises:
        LocatedError: as `table_of`.
    """
    table = table_of(apply)
    named = None if table is None else table.view
    return [value for value in apply.inputs if value is not named]


Kernel = Dialect(
    "kernel",
    [SizeOp, HostOp, YieldOp, ApplyOp, ChooseOp, ReshapeOp, TableOp],
    [StepAttr],
)
