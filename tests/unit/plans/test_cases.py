"""The shapes for which an alternative is taken agree with the calls that have them."""

from __future__ import annotations

import dataclasses

import pytest
from unit.backend.choices import EXP_ADD, LAST, one_choice, package_of, two_choices

from hwc.plans.cases import FREE, cases
from hwc.plans.choose import Planner
from isa.target import load_target


def planner(package, target):
    return Planner(package, load_target(target))


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_each_threshold_is_where_the_choice_changes(target):
    package = one_choice(target)
    by = planner(package, target)
    found = cases(package, by, 0)
    assert len(found) > 2
    assert {alternative for case in found for _, alternative in case.best} == {0, 1}
    for case in found:
        for first, alternative in case.best:
            assert by.best(0, symbols(package, case, first)) == alternative
            before = first - max(1, first // 31)
            if before:
                at = symbols(package, case, before)
                fused, kept = (n or 0 for n in by.decisions[0].cycles(at, load_target(target)))
                nearly_equal = abs(fused - kept) < 0.02 * kept
                assert by.best(0, at) != alternative or nearly_equal


def symbols(package, case, free):
    """The symbols of a call with the shapes of a case."""
    shapes = [[free if n == FREE else n for n in shape] for shape in case.shapes]
    return package.shape_program.evaluate(package.inputs, shapes)


def test_no_two_cases_say_the_same():
    package = two_choices()
    for number in range(2):
        found = [case.best for case in cases(package, planner(package, "accel"), number)]
        assert len(found) == len(set(found))


def test_static_sizes_and_equal_symbols_are_kept():
    package = one_choice()
    a, b = package.inputs
    static = dataclasses.replace(package, inputs=(dataclasses.replace(a, shape=("s0", 7)), b))
    found = cases(static, planner(package, "accel"), 0)
    assert found
    for case in found:
        assert case.shapes[0][1] == 7
        assert case.shapes[1][1] in (1, 7, FREE)


def test_no_shapes_that_fit():
    """Two sizes that differ whatever is tried."""
    text = EXP_ADD.replace("RETURN", LAST)
    package = package_of(
        text.replace("  kernel.size d0", "  kernel.size equal(s0, 5)\n  kernel.size d0")
    )
    assert cases(package, planner(package, "accel"), 0) == []
