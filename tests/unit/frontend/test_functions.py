"""Names of arguments: each argument has its own, also if two differ in a number at the end."""

from __future__ import annotations

import numpy as np
import pytest
from unit.frontend.flatbuffers import graph, operator, tensor, write

import hwc
from hwc.compiler import specialize
from hwc.errors import UserError
from hwc.frontend.functions import hint_of
from hwc.frontend.source import Source

TEXT = """
func.func @main(%x_0: tensor<?xi8>, %x_1: tensor<?xi8>) -> tensor<?xi8> {
  %0 = tosa.bitwise_and %x_0, %x_1 : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
"""
FLATBUFFER = write(
    graph(
        [operator("bitwise_and", ["x_0", "x_1"], ["y"])],
        [tensor(name, "INT8", [-1]) for name in ("x_0", "x_1", "y")],
        ["x_0", "x_1"],
        ["y"],
    )
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("x_1", "x1"), ("x_1_2", "x12"), ("x1", "x1"), ("x_", "x_"), ("x_1a", "x_1a"), ("_1", "_1")],
)
def test_a_number_at_the_end(name, expected):
    assert hint_of(name) == expected


@pytest.mark.parametrize("source", [TEXT, FLATBUFFER], ids=["text", "flatbuffer"])
def test_each_argument_has_its_own_name(source):
    assert [one.name for one in hwc.compile(source).package.inputs] == ["x0", "x1"]


@pytest.mark.parametrize("name", ["x_1", "x1", "arg1"])
def test_a_fact_is_about_the_argument_that_it_names(name):
    program = hwc.compile(TEXT, assume=[f"{name}.0 == 1"])
    program(np.zeros(4, np.int8), np.zeros(1, np.int8))
    with pytest.raises(UserError, match=r"sizes 4 \(dimension 0 of argument 1 \(%x1\)\) and 1"):
        program(np.zeros(4, np.int8), np.zeros(4, np.int8))


@pytest.mark.parametrize("source", [TEXT, FLATBUFFER], ids=["text", "flatbuffer"])
@pytest.mark.parametrize("name", ["x_1", "x1"])
def test_sizes_are_given_to_the_argument_that_they_name(source, name):
    text = specialize(Source("m", source), f"{name}=1")
    assert "(%x0: tensor<?xi8>, %x1: tensor<1xi8>)" in text
