"""The shapes for which an alternative is taken agree with the calls that have them."""

from __future__ import annotations

import dataclasses

import pytest
from unit.backend.choices import EXP_ADD, LAST, one_choice, package_of, two_choices

from hwc.errors import DispatchError
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


def with_fact(fact):
    text = EXP_ADD.replace("RETURN", LAST)
    return package_of(text.replace("  kernel.size d0", f"  kernel.size {fact}\n  kernel.size d0"))


@pytest.mark.parametrize(
    "fact",
    [
        "equal(s0, 5)",
        "within(s3, 512, 4096)",
        "congruent(s3, 96, 0)",
        "among(s3, [1, 4096])",
        "differs(s3, 64)",
    ],
)
def test_shapes_are_those_that_the_facts_allow(fact):
    package = with_fact(fact)
    found = cases(package, planner(package, "accel"), 0)
    assert any(1 in case.shapes[0] for case in found), "the slow operand is narrow in one of them"
    for case in found:
        for first, _ in case.best:
            symbols(package, case, first)


def test_no_shapes_that_fit(monkeypatch):
    """A program that refuses whatever is tried."""
    package = one_choice()
    by = planner(package, "accel")

    def refuse(*_):
        raise DispatchError("no")

    monkeypatch.setattr(type(package.shape_program), "evaluate", refuse)
    assert cases(package, by, 0) == []
