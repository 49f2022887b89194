"""Long chains compile for every target and give NumPy's bits; `tests/bench` measures how fast."""

import numpy as np
import pytest

import hwc


def long_chain(count):
    kind = "tensor<?x?xf32>"
    operators = ("add", "maximum", "sub", "minimum")
    text = f"func.func @main(%a: {kind}, %b: {kind}) -> {kind} {{\n"
    last = "%a"
    for i in range(count):
        operator = operators[i % len(operators)]
        text += f"  %{i} = tosa.{operator} {last}, %b : ({kind}, {kind}) -> {kind}\n"
        last = f"%{i}"
    return text + f"  return {last} : {kind}\n}}\n"


@pytest.mark.parametrize(
    ("count", "target"), [(50, "accel"), (50, "tiny"), (50, "wide"), (2000, "accel")]
)
def test_a_long_chain_gives_the_bits_of_its_operators(count, target):
    program = hwc.compile(long_chain(count), target)
    a, b = np.float32([[1.5, -2]]), np.float32([[0.25], [4]])
    expected = a
    functions = (np.add, np.maximum, np.subtract, np.minimum)
    for i in range(count):
        expected = functions[i % len(functions)](expected, b)
    np.testing.assert_array_equal(program(a, b).outputs[0], expected)
