"""Plans of fusion: every kernel within its limits, every value computed before it is read."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import calls_in

from hwc.planning.fusion_plan import FusionPlan, Limits, Node
from hwc.planning.fusion_search import ROUNDS, _Cutter, plan_fusion


@st.composite
def graphs(draw):
    """Nodes over the arguments x0 to x3 with three shapes, views, and the returned values."""
    nodes, values, views = [], ["x0", "x1", "x2", "x3"], {}
    for i in range(draw(st.integers(1, 14))):
        recent = values[-5:]
        inputs = draw(st.lists(st.sampled_from(recent + values), max_size=3, unique=True))
        shape = draw(st.sampled_from([("n",), ("n",), ("m",), (4, "n")]))
        weight = draw(st.integers(1, 3))
        value = f"v{i}"
        nodes.append(Node(value, tuple(inputs), shape, weight, draw(st.booleans())))
        values.append(value)
        if draw(st.integers(0, 2)) == 0:
            views[value] = [f"view_{value}"]
            values.append(f"view_{value}")
    results = [n.value for n in nodes]
    returned = set(draw(st.lists(st.sampled_from(results), min_size=1, max_size=3)))
    return nodes, views, returned | set(views)


def check(groups, nodes, views, pinned, limits):
    root = {view: value for value, names in views.items() for view in names}
    produced, stored = {n.value for n in nodes}, set()
    for group in groups:
        members = [nodes[i] for i in sorted(group.nodes)]
        inside = {n.value for n in members}
        needed = {v for n in members for v in n.inputs} - inside
        assert needed == set(group.inputs)
        for value in needed:
            origin = root.get(value, value)
            assert origin not in produced or origin in stored, f"{value} is read too early"
        position = {n.value: i for i, n in enumerate(members)}
        for n in members:
            assert all(position[v] < position[n.value] for v in n.inputs if v in position)
        assert group.outputs, "a kernel without outputs"
        assert set(group.outputs) <= inside
        assert not set(group.outputs) & stored, "a value is stored twice"
        assert {n.shape for n in members if n.value in group.outputs} == {group.shape}
        stored |= set(group.outputs)
        if len(members) > 1:
            assert len(group.inputs) <= limits.inputs
            assert len(group.outputs) <= limits.outputs
            assert len(members) <= limits.nodes
            words = (len(group.inputs) + len(group.outputs)) * (1 + len(group.shape)) + 2
            assert words + sum(n.weight for n in members) <= limits.words
    assert pinned <= stored


@given(graphs(), st.integers(2, 4), st.integers(1, 2), st.integers(16, 60), st.integers(1, 20))
def test_plans_are_valid(graph, inputs, outputs, words, members):
    nodes, views, pinned = graph
    limits = Limits(inputs, outputs, words, members)
    groups = plan_fusion(
        nodes, pinned, views, limits, lambda v, s: bool(list(v)), lambda g, n: len(n) <= 6
    )
    check(groups, nodes, views, pinned, limits)


@given(graphs(), st.integers(2, 6), st.integers(1, 2), st.integers(16, 60), st.integers(1, 20))
def test_a_second_search_is_left_out_only_where_it_finds_the_same(
    graph, inputs, outputs, words, members
):
    nodes, views, pinned = graph
    limits = Limits(inputs, outputs, words, members)

    def planned():
        groups = plan_fusion(
            nodes, pinned, views, limits, lambda v, s: bool(list(v)), lambda g, n: len(n) <= 4
        )
        return [(sorted(g.nodes), list(g.inputs), list(g.outputs)) for g in groups]

    found = planned()
    with patch.object(FusionPlan, "crowded", property(lambda _: True, lambda *_: None)):
        assert planned() == found


def plan(nodes, pinned, limits=Limits(4, 2, 1000, 1000), registers=16):  # noqa: B008
    return plan_fusion(
        nodes, pinned, {}, limits, lambda v, s: True, lambda g, n: len(n) <= registers
    )


def test_a_chain_is_one_kernel():
    nodes = [Node(f"v{i}", (f"v{i - 1}",), ("n",), 1) for i in range(10)]
    assert len(plan(nodes, {"v9"})) == 1


def test_a_chain_of_many_kernels_takes_one_round(monkeypatch):
    """The first plan is one kernel; the second has them all, each as long as registers allow."""
    plans = []
    run = FusionPlan.run
    monkeypatch.setattr(FusionPlan, "run", lambda self: plans.append(self) or run(self))
    nodes = [Node(i + 1, (i,), ("n",), 1) for i in range(100)]
    groups = plan(nodes, {100}, registers=7)
    assert [sorted(group.nodes) for group in groups] == [
        list(range(max(0, end - 7), end)) for end in range(2, 101, 7)
    ]
    assert len(plans) == 2


def test_every_plan_but_the_last_is_looked_at(monkeypatch):
    """A search that finds groups over a limit every time makes no plan that nobody needs."""
    plans, looked = [], []
    run = FusionPlan.run
    monkeypatch.setattr(FusionPlan, "run", lambda self: plans.append(self) or run(self))
    monkeypatch.setattr(_Cutter, "limit_growth", lambda *_: looked.append(len(plans)) or True)
    plan([Node(i + 1, (i,), ("n",), 1) for i in range(10)], {10})
    assert looked == list(range(1, ROUNDS + 1))
    assert len(plans) == ROUNDS + 1


def test_outputs_of_other_sizes_are_not_shared():
    nodes = [Node("t", ("a", "b"), ("n",), 1), Node("u", ("t", "c"), ("m",), 1)]
    assert [list(g.outputs) for g in plan(nodes, {"t", "u"})] == [["t"], ["u"]]


def test_a_value_is_stored_before_its_view_is_read():
    """The reader of the view comes first, so the value cannot be an output of its own reader."""
    nodes = [
        Node("v", ("a",), ("n",), 1),
        Node("w", ("view_v", "b"), (4, "m"), 1),
        Node("r", ("v", "c"), ("n",), 1),
    ]
    limits, views, pinned = Limits(4, 2, 1000, 1000), {"v": ["view_v"]}, {"v", "w", "r"}
    groups = plan_fusion(nodes, pinned, views, limits, lambda v, s: True, lambda g, n: True)
    check(groups, nodes, views, pinned, limits)


def test_a_reader_of_a_value_and_of_its_view_is_another_kernel():
    """Both share the operand `a`; only the view needs the value in memory."""
    nodes = [
        Node("v", ("a",), ("n",), 1),
        Node("m", ("v", "a"), ("n",), 1),
        Node("r", ("view_v", "m"), ("n",), 1),
    ]
    limits, views, pinned = Limits(4, 2, 1000, 1000), {"v": ["view_v"]}, {"v", "r"}
    groups = plan_fusion(nodes, pinned, views, limits, lambda v, s: True, lambda g, n: True)
    check(groups, nodes, views, pinned, limits)
    assert [list(g.outputs) for g in groups] == [["v"], ["r"]]


def test_slow_values_are_computed_once():
    readers = [Node(f"r{i}", ("s", f"x{i}"), (f"n{i}",), 1) for i in range(2)]
    slow = [Node("s", ("a",), ("n",), 1, slow=True), *readers]
    assert [list(g.outputs) for g in plan(slow, {"r0", "r1"})] == [["s"], ["r0"], ["r1"]]
    cheap = [Node("s", ("a",), ("n",), 1), *readers]
    assert [list(g.outputs) for g in plan(cheap, {"r0", "r1"})] == [["r0"], ["r1"]]


def test_a_tree_over_one_value_is_one_kernel():
    """On the way from the root to the leaves, eight values are read at once."""
    nodes = [Node(f"l{i}", ("x",), ("n",), 1) for i in range(8)]
    level = [n.value for n in nodes]
    while len(level) > 1:
        pairs = list(zip(level[::2], level[1::2], strict=True))
        level = [f"{a}{b}" for a, b in pairs]
        nodes += [Node(f"{a}{b}", (a, b), ("n",), 1) for a, b in pairs]
    assert len(plan(nodes, {level[0]})) == 1


@pytest.mark.parametrize("reach", [2, 40])
def test_planning_grows_with_the_program(reach):
    """Each operation reads two of the values before. The work does not grow with the square."""

    def calls(length):
        nodes = [
            Node(f"v{i}", (f"v{i - 1}", f"v{i - 1 - (i * 7919) % reach}"), ("n",), 1)
            for i in range(length)
        ]
        last = {nodes[-1].value}
        limits = Limits(4, 2, 1000, 1000)
        return calls_in(lambda: check(plan(nodes, last), nodes, {}, last, limits))

    short, long = calls(500), calls(2000)
    assert long < 6 * short


def test_a_kernel_of_a_chain_is_found_by_the_length_of_the_one_before():
    """The registers allow twelve nodes. To find that takes few questions for each kernel."""
    nodes = [Node("v0", ("x",), ("n",), 1)]
    nodes += [Node(f"v{i}", (f"v{i - 1}", "x"), ("n",), 1) for i in range(1, 600)]
    asked = []

    def twelve(_, members):
        asked.append(len(members))
        return len(members) <= 12

    limits = Limits(4, 2, 10_000, 10_000)
    groups = plan_fusion(nodes, {"v599"}, {}, limits, lambda *_: True, twelve)
    assert [len(group.nodes) for group in groups] == [12] * 50
    assert len(asked) < 5 * len(groups)
