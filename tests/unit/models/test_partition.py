"""The parts of any graph are convex, in order, and as large as the levels allow."""

from hypothesis import given
from hypothesis import strategies as st

from hwc.models.partition import levels, partition


@st.composite
def graphs(draw):
    """Producers of each node, and whether the machine computes it."""
    count = draw(st.integers(0, 14))
    producers = [
        sorted(draw(st.sets(st.integers(0, node - 1), max_size=3))) if node else []
        for node in range(count)
    ]
    return producers, draw(st.lists(st.booleans(), min_size=count, max_size=count))


def reached(producers):
    """For each node, all nodes that it depends on."""
    found = []
    for before in producers:
        found.append(set(before).union(*(found[p] for p in before)))
    return found


@given(graphs(), st.integers(1, 4))
def test_every_node_is_in_one_part_and_parts_run_in_order(graph, least):
    producers, on_machine = graph
    parts = partition(producers, on_machine, least)
    assert sorted(n for part in parts for n in part.nodes) == list(range(len(producers)))
    done = set()
    for part in parts:
        assert list(part.nodes) == sorted(part.nodes)
        assert {p for n in part.nodes for p in producers[n]} <= done | set(part.nodes)
        done |= set(part.nodes)
        if part.on_machine:
            assert all(on_machine[n] for n in part.nodes)
            assert len(part.nodes) >= least


@given(graphs())
def test_no_path_leaves_a_part_and_comes_back(graph):
    producers, on_machine = graph
    before = reached(producers)
    for part in partition(producers, on_machine):
        own = set(part.nodes)
        outside = {n for n in range(len(producers)) if n not in own and before[n] & own}
        assert not any(before[n] & outside for n in own)


@given(graphs())
def test_what_could_be_joined_is_joined(graph):
    """Neighbours in two parts for the machine have a node of the host on a path between them."""
    producers, on_machine = graph
    part_of = {n: i for i, p in enumerate(partition(producers, on_machine)) for n in p.nodes}
    level = levels(producers, on_machine)
    for node, before in enumerate(producers):
        for other in before:
            if on_machine[node] and on_machine[other] and part_of[node] != part_of[other]:
                assert level[node] > level[other]


def test_a_chain():
    """x -> machine, host, machine and machine, of which the third reads the first, too."""
    producers = [[], [0], [0, 1], [2]]
    on_machine = [True, False, True, True]
    assert levels(producers, on_machine) == [0, 1, 2, 2]
    assert [part.nodes for part in partition(producers, on_machine)] == [(0,), (1,), (2, 3)]


def test_small_regions_join_the_host():
    producers = [[], [0], [1], [2]]
    on_machine = [False, True, False, True]
    (part,) = partition(producers, on_machine, 2)
    assert (part.on_machine, part.nodes) == (False, (0, 1, 2, 3))


def test_only_nodes_that_count_make_a_region():
    producers = [[], [0], [1], [2], [3]]
    on_machine = [True, False, True, True, False]
    counted = [False, True, False, True, True]
    parts = partition(producers, on_machine, counted=counted)
    assert [(p.on_machine, p.nodes) for p in parts] == [
        (False, (0, 1)),
        (True, (2, 3)),
        (False, (4,)),
    ]


def test_parts_of_the_host_at_one_level_are_one():
    producers = [[], [], [0], [1]]
    parts = partition(producers, [False, False, True, True])
    assert [(p.on_machine, p.nodes) for p in parts] == [
        (False, (0, 1)),
        (True, (2,)),
        (True, (3,)),
    ]
