"""The shapes of a sweep, from the names of a program's sizes."""

from __future__ import annotations

import pytest

import hwc
from hwc.errors import UserError
from hwc.sweeps.grid import grid
from hwc.sweeps.ranges import read_sizes

NAMED = """
func.func @main(%x: tensor<?x?xf32> {hwc.symbols = ["n", ""]}, %0: tensor<?x4xf32>,
                %y: tensor<?xf32>) -> tensor<?x?xf32> attributes {hwc.assume = ["y.0 == x.1"]} {
  %1 = tosa.add %x, %0 : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
  %2 = tosa.add %1, %y : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
"""
KNOWN = "the sizes of the program are n (x.0), x.1 = y.0, arg1.0"


@pytest.fixture(scope="module")
def package():
    return hwc.compile(NAMED).package


def test_the_last_size_changes_first(package):
    found = grid(package, read_sizes("n=1..3, x.1=4,1, arg1.0=3", "shapes"))
    assert len(found) == 6
    points = [found.point(number) for number in range(len(found))]
    assert points == [(1, 4, 3), (1, 1, 3), (2, 4, 3), (2, 1, 3), (3, 4, 3), (3, 1, 3)]
    assert found.shapes(points[3]) == [(2, 1), (3, 4), (1,)]


@pytest.mark.parametrize(
    "names", [("n", "s0", "s1"), ("x.n", "y.0", "arg1.0"), ("x.0", "x.1", "s1")]
)
def test_every_name_of_a_size(package, names):
    a, b, c = names
    found = grid(package, read_sizes(f"{a}=2,{b}=3,{c}=5", "shapes"))
    assert list(found.sizes) == list(names)
    assert found.shapes(found.point(0)) == [(2, 3), (5, 4), (3,)]


def test_several_names_have_one_value(package):
    found = grid(package, read_sizes("n=arg1.0=1..2,s0=4", "shapes"))
    assert dict(found.sizes) == {"n": (1, 2), "s0": (4,)}
    assert found.shapes(found.point(1)) == [(2, 4), (2, 4), (4,)]


def test_no_dynamic_size():
    program = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    program += "  %0 = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>\n"
    program += "  return %0 : tensor<4xf32>\n}\n"
    package = hwc.compile(program).package
    found = grid(package, {})
    assert (len(found), found.shapes(found.point(0))) == (1, [(4,)])
    with pytest.raises(UserError, match=r"no size is called 'n'; it has no dynamic size$"):
        grid(package, {("n",): (1,)})


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("n=1,s0=1,s1=1,m=2", f"shapes: error: no size is called 'm'; {KNOWN}"),
        ("n=1,s0=1", f"shapes: error: the size arg1.0 is not given; {KNOWN}"),
        ("n=1,s0=1,s1=1,y.0=2", "shapes: error: y.0 always equals s0; give one of the two"),
    ],
)
def test_what_is_refused(package, sizes, message):
    with pytest.raises(UserError) as refused:
        grid(package, read_sizes(sizes, "shapes"))
    assert str(refused.value) == message
