"""The graph of a function of TOSA."""

from hwc import pipeline
from hwc.frontend.source import Source
from hwc.tosa.graph import read_graph

LONG = 3000


def test_long_chains_are_no_deep_recursion():
    lines = [f"  %{n + 1} = tosa.abs %{n} : (tensor<2xf32>) -> tensor<2xf32>" for n in range(LONG)]
    begin = "func.func @main(%0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {"
    end = f"  return %{LONG}, %{LONG} : tensor<2xf32>, tensor<2xf32>"
    text = "\n".join([begin, *lines, end, "}"])
    graph = read_graph(pipeline.read_model(Source("m.mlir", text)), "m.mlir")
    assert [node.operator for node in graph.nodes] == ["abs"] * LONG + ["identity"]
    assert len(set(graph.outputs)) == 2
    assert not graph.constants
