"""Choices of the stage `vector` in a package: kernels once, buffers shared, the same results."""

from __future__ import annotations

from unit.backend.choices import one_choice, two_choices

from hwc.package import Choice


def test_a_choice_names_its_kernels_and_each_is_stored_once():
    (step,) = one_choice().steps
    (choice,) = step.items
    assert isinstance(choice, Choice)
    assert [(a.name, a.kernels) for a in choice.alternatives] == [
        ("fused", (0,)),
        ("keep-exp", (1, 2)),
    ]
    assert [k.source for k in step.kernels] == ["tosa.exp, tosa.add", "tosa.exp", "tosa.add"]


def test_buffers_of_an_alternative_serve_the_next_one():
    """The results of a choice lie in one place; what one alternative alone needs is used again."""
    package = two_choices()
    assert next(package.problems(), None) is None
    (step,) = package.steps
    assert [sorted(k.buffers) for k in step.kernels] == [
        ["input0", "input1", "intermediate0"],
        ["input0", "intermediate1"],
        ["input1", "intermediate0", "intermediate1"],
        ["input0", "intermediate0", "output0"],
        ["input0", "intermediate1"],
        ["intermediate0", "intermediate1", "output0"],
    ]
    assert {b.name: b.shape for b in package.buffers if b.kind == "intermediate"} == {
        "intermediate0": ("d0", "d1"),
        "intermediate1": ("s0", "s1"),
    }


def test_the_first_plan_is_linked_by_default():
    package = two_choices()
    assert package.first_plan == (0, 0)
    assert package.dispatches[0].kernels == ("tosa.exp, tosa.add", "tosa.tanh, tosa.mul")
    assert package.link((1, 0))[0].kernels == ("tosa.exp", "tosa.add", "tosa.tanh, tosa.mul")
    assert "intermediate1" not in package.link((0, 0))[0].buffers
