"""Plans of a static function, including the plans of its dynamic form.

Fusion depends on which sizes are equal. A dynamic function, whose sizes have more symbols, gets
other kernels than a static function, and sometimes better kernels: results that share no kernel, or
that share a kernel because both are narrow. So a static function is planned a second time with
unknown argument sizes, and the new plans become alternatives. Because the sizes are in fact known,
the compiler decides, and one plan remains. Functions with views are not planned again: the sizes of
views do not follow from the sizes of arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from xdsl.ir import Block

from hwc.dialects.kernel_facts import Facts
from hwc.shapes import SymbolTable
from hwc.shapes.products import Product
from hwc.transforms.fusion_planner import Planner
from hwc.transforms.kernel_choices import MOST_JOINED, Alternative, Choice, Choices

MOST_PLANS = 32
"""The most plans of a function, with known and with unknown sizes, that are compared."""


def all_choices(planner: Planner, block: Block) -> list[Choice]:
    """Return the choices for a function's block in the order of their execution."""
    kernels = planner.plan(block)
    if planner.views or any(isinstance(s, str) for node in planner.nodes for s in node.shape):
        return Choices(planner).of(kernels)
    other = _with_unknown_sizes(planner, block)
    own = Choices(planner)
    found: list[Choice] = []
    for members in own.connected(kernels):
        choices = own.of(members)
        numbers = sorted({number for kernel in members for number in kernel.numbers})
        if _may_gain(planner, numbers):
            choices = _side_by_side(planner, choices, Choices(other).of(other.kernels(numbers)))
        found += choices
    return found


def _may_gain(planner: Planner, numbers: Sequence[int]) -> bool:
    """Whether other plans for these nodes are worth the time to make them.

    They are not worth the time for one operation, for very many operations, or for sizes at which
    no plan can save the set-up cycles of another kernel.
    """
    nodes = [planner.nodes[number] for number in numbers]
    beats, one = sum(node.beats for node in nodes), Product.of(())
    return 1 < len(nodes) <= MOST_JOINED and any(
        Choices(planner).pays(beats, Product.of(node.shape), one) for node in nodes
    )


def _side_by_side(planner: Planner, own: list[Choice], others: list[Choice]) -> list[Choice]:
    """Return one choice between both sets of plans; `own` if the others are not new or too many."""
    known, unknown = _plans(own), _plans(others)
    found = {plan.kernels for plan in known}
    new = [
        Alternative(f"dynamic-{plan.name}", plan.kernels)
        for plan in unknown
        if plan.kernels not in found and _fits(planner, plan)
    ]
    if not known or not new:
        return own
    values = {value for choice in own for value in choice.outputs}
    outputs = (node.value for node in planner.nodes if node.value in values & planner.stored)
    return [Choice(tuple(outputs), (*known, *new))]


def _with_unknown_sizes(planner: Planner, block: Block) -> Planner:
    """Return a planner of the same function in which no size of an argument is known."""
    table = SymbolTable()
    facts = Facts(table, dict(planner.facts.views))
    for argument in block.args:
        facts.store(argument, [table.fresh() for _ in planner.facts.sizes(argument)])
    for node in planner.nodes:
        if node.inputs:
            inputs = (facts.sizes(planner.tensors[v]) for v in node.inputs)
            facts.store(planner.tensors[node.value], table.broadcast_shapes(inputs))
    return planner.knowing(facts)


def _plans(choices: Sequence[Choice]) -> list[Alternative]:
    """Return all combinations of the alternatives of choices; none if there are too many."""
    if prod(len(choice.alternatives) for choice in choices) > MOST_PLANS:
        return []
    plans: list[Alternative] = []
    for chosen in product(*(choice.alternatives for choice in choices)):
        kernels = dict.fromkeys(kernel for one in chosen for kernel in one.kernels)
        plans.append(Alternative("-and-".join(one.name for one in chosen), tuple(kernels)))
    return plans


def _fits(planner: Planner, plan: Alternative) -> bool:
    """Whether the outputs of each kernel have equal sizes, as a kernel's outputs must."""
    return all(len({planner.shape(v) for v in k.outputs}) == 1 for k in plan.kernels)
