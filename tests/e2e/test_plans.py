"""Dynamic sizes cost nothing, and whatever plan runs, the bits are the same."""

import pytest
from bench.dynamic_static import measure
from bench.programs import named
from bench.random_graphs import Graph
from bench.regret import MOST, TARGETS
from bench.regret import measure as calls

import hwc
from isa.target import load_target

SAMPLE = [
    *(named(name) for name in ("layer norm", "exp of a column", "abs of a row")),
    *map(Graph, (7, 48, 87, 161, 186, 285)),
]
"""The first need a plan that fits the sizes; the graphs have several results.

The static form of graphs 87 and 161 needs a plan of the dynamic one: to compute a value twice, and
to compute a result and a narrow value together. Graph 186 has more decisions than are combined, and
two results that lanes compute apart beside two that share a kernel with special functions. Of the
three results of graph 285 two have equal sizes.
"""


@pytest.mark.parametrize("program", SAMPLE, ids=lambda p: p.name)
def test_a_dynamic_program_takes_the_cycles_of_the_static_one(program):
    row = measure(program, load_target("accel"))
    assert row.good, row


@pytest.mark.parametrize("number", range(6))
def test_every_plan_gives_the_same_bits_and_the_chosen_one_is_near_the_best(number):
    """`calls` compares the bits."""
    target = TARGETS[number % len(TARGETS)]
    graph = Graph(number)
    program = hwc.compile(graph.text(), target)
    measured = list(calls(graph, program, target))
    assert len(measured) == 10
    assert all(call.regret <= MOST for call in measured), measured


def test_a_chain_of_five_arguments_has_at_most_eight_plans():
    kind = "tensor<?xf32>"
    arguments = ", ".join(f"%a{i}: {kind}" for i in range(5))
    lines = [f"%v1 = tosa.exp %a0 : ({kind}) -> {kind}"]
    lines += [
        f"%v{i + 1} = tosa.add %v{i}, %a{i} : ({kind}, {kind}) -> {kind}" for i in range(1, 5)
    ]
    body = "\n  ".join(lines)
    text = f"func.func @main({arguments}) -> {kind} {{\n  {body}\n  return %v5 : {kind}\n}}\n"
    plans = hwc.compile(text, "accel").plans
    assert plans[0] == "fused"
    assert len(plans) == len(set(plans)) == 8
