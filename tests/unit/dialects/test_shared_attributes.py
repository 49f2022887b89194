"""Attributes that operations share never change."""

import pytest
from xdsl.dialects.builtin import StringAttr, UnitAttr, f32
from xdsl.dialects.math import AbsFOp
from xdsl.ir import Block

from hwc.dialects.kernel import YieldOp
from hwc.dialects.shared_attributes import NONE, SharedAttributes, create, one_attribute, shared

held = SharedAttributes({"one": UnitAttr()})


@pytest.mark.parametrize(
    "change",
    [
        lambda found: found.__setitem__("two", UnitAttr()),
        lambda found: found.__delitem__("one"),
        lambda found: found.update(two=UnitAttr()),
        lambda found: found.setdefault("two", UnitAttr()),
        lambda found: found.pop("one"),
        lambda found: found.popitem(),
        lambda found: found.clear(),
        lambda found: found.__ior__({"two": UnitAttr()}),
    ],
)
def test_shared_attributes_refuse_a_change(change):
    with pytest.raises(TypeError, match="other operations share these attributes"):
        change(held)
    assert held == {"one": UnitAttr()}


def test_a_copy_can_change():
    own = held.copy()
    own["two"] = UnitAttr()
    assert own == {"one": UnitAttr(), "two": UnitAttr()}
    assert held == {"one": UnitAttr()}


def test_equal_attributes_are_one_object():
    assert one_attribute("source", StringAttr("a")) is one_attribute("source", StringAttr("a"))
    assert shared(held) is held
    assert shared({}) is NONE


def test_operations_share_what_they_are_given():
    first, second = (create(YieldOp, (), attributes=held) for _ in range(2))
    assert first.attributes is second.attributes is held
    assert first.properties is NONE


def test_a_clone_has_attributes_of_its_own():
    clone = create(YieldOp, (), attributes=held).clone()
    clone.attributes["two"] = UnitAttr()
    assert held == {"one": UnitAttr()}


def test_properties_with_default_values_are_not_left_out():
    block = Block(arg_types=(f32,))
    with pytest.raises(AssertionError, match=r"'math.absf' has 'fastmath' by default"):
        create(AbsFOp, block.args, (f32,))


def test_yields_share_everything_that_is_empty():
    block = Block(arg_types=(f32,))
    first, second = YieldOp(block.args), YieldOp(block.args)
    assert first.results is second.results
    assert first.attributes is second.properties is NONE
