"""Lanes of a graph: every value reaches its readers, and no two lines share a lane."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hwc.reports import graph
from hwc.reports.graph import Edge, Node, lay_out, writers
from hwc.reports.graph_svg import ROW, drawing


def test_a_chain_needs_no_lane():
    nodes = [Node(["in"], ["a"]), Node(["a"], ["b"]), Node(["b"], ["out"])]
    layout = lay_out(nodes)
    assert layout.edges == [Edge("a", 0, [1], None), Edge("b", 1, [2], None)]
    assert (layout.lanes, layout.hidden) == (0, 0)


def test_a_value_that_skips_a_row_has_a_lane_down_to_its_last_reader():
    nodes = [Node([], ["a"]), Node(["a"], ["b"]), Node(["b"], ["c"]), Node(["a", "c"], [])]
    layout = lay_out(nodes)
    assert Edge("a", 0, [1, 3], 0) in layout.edges
    assert layout.lanes == 1


def test_a_lane_is_free_again_below_its_last_reader():
    nodes = [Node([], ["a"]), Node([], []), Node(["a"], ["b"]), Node([], []), Node(["b"], [])]
    assert [edge.lane for edge in lay_out(nodes).edges] == [0, 0]


def test_a_value_that_is_written_again_comes_from_the_last_writer():
    nodes = [Node([], ["a"]), Node(["a"], ["a"]), Node(["a"], [])]
    assert writers(nodes) == [{}, {"a": 0}, {"a": 1}]


def test_lines_for_which_there_is_no_room_are_counted(monkeypatch):
    monkeypatch.setattr(graph, "MOST_LANES", 2)
    nodes = [Node([], ["a", "b", "c"]), Node([], []), Node(["a", "b", "c"], [])]
    layout = lay_out(nodes)
    assert (len(layout.edges), layout.lanes, layout.hidden) == (2, 2, 1)


NODES = st.lists(
    st.builds(Node, *[st.lists(st.sampled_from("abcdefgh"), max_size=4, unique=True)] * 2),
    max_size=30,
)


@given(NODES)
def test_every_read_is_an_edge_and_lanes_are_shared_in_turn(nodes):
    layout = lay_out(nodes)
    drawn = {(e.value, e.writer, reader) for e in layout.edges for reader in e.readers}
    wanted = {(v, w, row) for row, known in enumerate(writers(nodes)) for v, w in known.items()}
    assert drawn == wanted and layout.hidden == 0
    taken = {}
    for edge in layout.edges:
        if edge.lane is None:
            assert edge.readers == [edge.writer + 1]
            continue
        for row in range(edge.writer, edge.readers[-1]):
            assert taken.setdefault((edge.lane, row), edge) == edge
    assert layout.lanes == len({lane for lane, _ in taken})


def test_the_drawing_has_a_dot_for_each_row_and_ends_at_each_reader():
    nodes = [Node([], ["a"]), Node([], []), Node(["a"], []), Node(["a"], [])]
    text = drawing(lay_out(nodes), [(f"<b>{n}</b>", "", 0.25) for n in range(4)])
    assert re.findall(r'<circle cx="\d+" cy="(\d+)"', text) == [
        str(ROW * n + ROW // 2) for n in range(4)
    ]
    (path,) = re.findall(r'<path class="lane-0" d="([^"]*)"', text)
    ends = re.findall(r"C[^CMV]* (\d+)(?=M|$)", path)
    assert ends == [str(ROW * n + ROW // 2) for n in (2, 3)]
    assert text.count("width:25.0%") == 4
