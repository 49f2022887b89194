"""Orders of evaluation: complete, valid, and sparing with registers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwc.planning.pressure import depth_first_order


@st.composite
def graphs(draw, most=9):
    """Inputs, items that read inputs or earlier items, and outputs."""
    inputs = draw(st.integers(1, 3))
    items = []
    for i in range(draw(st.integers(1, most))):
        arity = draw(st.integers(1, 3))
        items.append(tuple(draw(st.integers(0, inputs + i - 1)) for _ in range(arity)))
    outputs = draw(st.lists(st.integers(0, inputs + len(items) - 1), min_size=1, max_size=3))
    return inputs, items, outputs


def renumber(items, inputs, outputs, order):
    numbers = {n: n for n in range(inputs)} | {inputs + o: inputs + i for i, o in enumerate(order)}
    return [tuple(numbers[x] for x in items[o]) for o in order], [numbers[x] for x in outputs]


@given(graphs())
def test_order_is_complete_and_valid(graph):
    inputs, items, outputs = graph
    order = depth_first_order(items, inputs, outputs)
    needed, stack = set(), [o - inputs for o in outputs if o >= inputs]
    while stack:
        item = stack.pop()
        if item not in needed:
            needed.add(item)
            stack += [o - inputs for o in items[item] if o >= inputs]
    assert sorted(order) == sorted(needed)
    position = {item: i for i, item in enumerate(order)}
    for item in order:
        assert all(position[o - inputs] < position[item] for o in items[item] if o >= inputs)


def simulate(items, inputs, outputs):
    """Registers in use after and during each item, from the definition."""
    most = 0
    for i in range(len(items) + 1):
        alive_before = [n for n in range(i) if in_register(n, items, inputs, outputs) > i - 1]
        most = max(most, len(alive_before))
    return most


def in_register(item, items, inputs, outputs):
    """The last item before which the value has a register; -1 if it never has one."""
    number = inputs + item
    readers = [i for i, operands in enumerate(items) if number in operands]
    if outputs.count(number) > 1 or (readers and number in outputs):
        return len(items) + 1
    return max(readers, default=-1)


@pytest.mark.parametrize("depth", range(1, 6))
def test_a_balanced_tree_needs_its_depth(depth):
    """Leaves are streams and the root is stored, so a tree of depth 1 needs no register."""
    items, level = [], [0] * 2**depth
    while len(level) > 1:
        following = []
        for left, right in zip(level[::2], level[1::2], strict=True):
            following.append(1 + len(items))
            items.append((left, right))
        level = following
    order = depth_first_order(items, 1, level)
    ordered, outputs = renumber(items, 1, level, order)
    assert simulate(ordered, 1, outputs) == (depth if depth > 1 else 0)


def test_a_long_chain_is_no_recursion():
    items = [(0,), *((i,) for i in range(1, 5000))]
    assert depth_first_order(items, 1, [5000]) == list(range(5000))
