"""The chosen plan is near the best one, found by forcing each; names; decisions at build time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from unit.backend.choices import EXP_ADD, LAST, one_choice, package_of, two_choices

import hwc
from hwc.errors import DispatchError, UserError
from hwc.package import Choice
from hwc.plans.choose import Decision
from hwc.plans.decide import decide
from hwc.plans.names import all_plans, plan_name, plan_of
from hwc.runtime import Program
from isa.target import load_target

TARGETS = ("accel", "tiny", "wide")
SHAPES = [
    ((64, 1), (64, 1024)),
    ((64, 1), (64, 2)),
    ((1, 100), (7, 100)),
    ((1, 100), (300, 100)),
    ((33, 40), (33, 40)),
    ((1, 1), (1, 1)),
    ((1, 1), (90, 90)),
    ((64, 1), (64, 0)),
]


def arrays(shapes):
    rng = np.random.default_rng(5)
    return [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("package", "regret"), [(one_choice, 1.02), (two_choices, 1.05)])
def test_the_chosen_plan_is_near_the_best(package, regret, target):
    """Within 2 %; 5 % where kernels of two choices overlap, which no choice sees."""
    program = Program(package(target))
    ran: set[str] = set()
    for shapes in SHAPES:
        given = arrays(shapes)
        result = program(*given)
        forced = {name: program(*given, plan=name) for name in program.plans}
        for name, other in forced.items():
            assert other.plan == name
            np.testing.assert_array_equal(other.outputs[0], result.outputs[0])
        best = min(other.cycles for other in forced.values())
        assert result.cycles == forced[result.plan].cycles
        assert result.cycles <= regret * best, (shapes, result.plan)
        ran.add(result.plan)
    assert len(ran) > 1


def test_only_the_buffers_of_the_chosen_kernels_are_placed():
    program = Program(one_choice())
    a, b = arrays([(64, 1), (64, 1024)])
    assert program(a, b).plan == "keep-exp"
    assert len(program.package.buffers) == 4
    assert {p.name for p in program.package.link((0,))[0].parameters} == {
        *("input0", "input1", "output0", "s0", "s1", "s2", "s3", "d0", "d1")
    }


def test_linked_programs_are_kept():
    program = Program(one_choice())
    first = program._prepared.linked((0,))
    assert program._prepared.linked((1,)) is not first
    assert program._prepared.linked((0,)) is first


def test_names_of_plans():
    package = two_choices()
    assert Program(package).plans == [
        *("fused,fused", "fused,keep-tanh", "keep-exp,fused", "keep-exp,keep-tanh")
    ]
    for plan in all_plans(package):
        assert plan_of(package, plan_name(package, plan)) == plan
    assert plan_of(package, "fused") == (0, 0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("keep-exp", "no plan 'keep-exp': choice 1 has the alternatives fused, keep-tanh"),
        ("fused,x", "no plan 'fused,x': choice 1 has the alternatives fused, keep-tanh"),
        ("a,b,c", "got 3 names, expected one for each of the 2 choices, separated by commas"),
    ],
)
def test_a_name_that_no_plan_has(name, message):
    program = Program(two_choices())
    with pytest.raises(UserError) as caught:
        program(*arrays(SHAPES[0]), plan=name)
    assert message in str(caught.value)


def test_a_name_without_a_choice(binary_package):
    program = Program(binary_package())
    assert program.plans == [""]
    with pytest.raises(UserError, match="no plan 'fused': the package has no choice"):
        program(*arrays([(2, 3), (2, 3)]), plan="fused")
    with pytest.raises(UserError, match="no plan 'x': there are the alternatives fused, keep-exp"):
        Program(one_choice())(*arrays(SHAPES[0]), plan="x")


def test_an_alternative_for_some_sizes_only():
    """The second alternative reads exp(a) as if it had the sizes of the result."""
    text = EXP_ADD.replace("RETURN", LAST)
    head, tail = text.split('or "keep-exp"')
    tail = tail.replace("[s0, s1]", "[d0, d1]").replace("keep-exp", "keep-wide")
    program = Program(package_of(f'{head}or "keep-wide"{tail}'))
    assert program(*arrays([(1, 1), (9, 9)])).plan == "fused"
    assert program(*arrays([(9, 9), (9, 9)]), plan="keep-wide").plan == "keep-wide"
    with pytest.raises(DispatchError, match="alternative 'keep-wide' is for other sizes only"):
        program(*arrays([(1, 1), (9, 9)]), plan="keep-wide")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("columns", "kernels"), [(1024, 2), (2, 1)])
def test_a_choice_without_symbols_is_decided_when_the_package_is_built(target, columns, kernels):
    known = {"s0": 64, "s1": 1, "s2": 64, "s3": columns}
    steps = "".join(f"  kernel.size equal({name}, {size})\n" for name, size in known.items())
    text = EXP_ADD.replace("RETURN", LAST).replace("  kernel.size d0", f"{steps}  kernel.size d0")
    package = package_of(text, target)
    decided = decide(package)
    (step,) = decided.steps
    assert step.items == tuple(range(kernels))
    assert len(step.kernels) == kernels
    assert sum(b.kind == "intermediate" for b in decided.buffers) == kernels - 1
    assert next(decided.problems(), None) is None
    given = arrays([(64, 1), (64, columns)])
    every = Program(package)
    best = min(every(*given, plan=name).cycles for name in every.plans)
    result = Program(decided)(*given)
    assert (result.cycles, result.plan) == (best, "")


def with_facts(*facts: str) -> str:
    """exp(a) + b, with further steps of the shape program."""
    steps = "".join(f"  kernel.size {fact}\n" for fact in facts)
    return EXP_ADD.replace("RETURN", LAST).replace("  kernel.size d0", f"{steps}  kernel.size d0")


COLUMN = ("equal(s0, s2)", "among(s0, [64, 128])", "equal(s1, 1)")


@pytest.mark.parametrize(("columns", "kernels"), [("[512, 1024]", 2), ("[1, 2]", 1), ("[1024]", 2)])
def test_few_possible_sizes_decide_a_choice(columns, kernels):
    facts = (*COLUMN, f"among(s3, {columns})")
    decided = decide(package_of(with_facts(*facts)))
    assert decided.choices == ()
    assert len(decided.steps[0].kernels) == kernels


def test_a_choice_stays_where_possible_sizes_differ():
    package = package_of(with_facts(*COLUMN, "among(s3, [2, 1024])"))
    assert decide(package) is package


def test_an_alternative_that_no_possible_sizes_take_is_removed():
    """Two of three alternatives are taken; the third is never better than the second."""
    text = with_facts(*COLUMN, "among(s3, [2, 1024])")
    region = text[text.index('"keep-exp"') + len('"keep-exp"') : text.index("  return")].rstrip()
    package = package_of(text.replace(region, f'{region} or "again"{region}'))
    assert [a.name for a in package.choices[0].alternatives] == ["fused", "keep-exp", "again"]
    (choice,) = decide(package).choices
    assert [a.name for a in choice.alternatives] == ["fused", "keep-exp"]


def test_the_first_alternative_stays_where_a_choice_remains():
    """It fits every call, also if none of the possible sizes takes it."""
    text = with_facts(*COLUMN, "among(s3, [2, 1024])")
    region = text[text.index('"keep-exp"') + len('"keep-exp"') : text.index("  return")].rstrip()
    kernel = region[region.index("%1 =") : region.index("%2 =")]
    slow = region.replace("%2 =", f"{kernel.replace('%1 =', '%9 =')}%2 =", 1)
    package = package_of(text.replace('"fused"', f'"slow"{slow} or "fused"', 1))
    (choice,) = decide(package).choices
    assert [a.name for a in choice.alternatives] == ["slow", "fused", "keep-exp"]
    target = load_target("accel")
    decision = Decision.of(package.steps[0], package.choices[0])
    sizes = {"s0": 64, "s1": 1, "s2": 64, "d0": 64}
    assert [decision.best({**sizes, "s3": n, "d1": n}, target) for n in (2, 1024)] == [1, 2]


def test_a_choice_with_symbols_stays():
    package = two_choices()
    assert decide(package) is package
    (step,) = package.steps
    assert all(isinstance(item, Choice) for item in step.items)


ROWS = """
func.func @main(%a: tensor<?x1xf32>, %b: tensor<?x384xf32>) -> tensor<?x384xf32>
    attributes {hwc.assume = [FACTS]} {
  %0 = tosa.exp %a : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %1 = tosa.add %0, %b : (tensor<?x1xf32>, tensor<?x384xf32>) -> tensor<?x384xf32>
  return %1 : tensor<?x384xf32>
}
"""


@pytest.mark.parametrize(
    ("facts", "target", "plans"),
    [
        # In a row the exponentials of a strip take 128 cycles beside an addition's 32: on accel 1.5
        # strips, on wide 0.75. A kernel of its own takes some 200, on wide some 250.
        ('"a.0 == b.0"', "accel", ["fused", "keep-exp"]),  # fused for one row
        ('"a.0 == b.0", "2 <= b.0"', "accel", [""]),
        ('"a.0 == b.0"', "wide", ["fused", "keep-exp"]),  # fused for up to three rows
        ('"a.0 == b.0", "4 <= b.0"', "wide", [""]),
        ('"a.0 == b.0", "b.0 % 64 == 0"', "wide", [""]),
        ('"2 <= b.0"', "wide", ["fused", "keep-exp"]),  # two sizes
    ],
)
def test_a_choice_that_one_size_decides(facts, target, plans):
    """Rows times 384 against rows: a series of numbers of rows is tried."""
    program = hwc.compile(ROWS.replace("FACTS", facts), target)
    assert program.plans == plans
    assert len(program.package.steps[0].kernels) == (2 if plans == [""] else 3)


@dataclass(frozen=True)
class Known:
    """An alternative of which cycles and bytes are known."""

    known: int | None
    moved: int = 0
    kernels: tuple[()] = ()

    def nbytes(self, kernels, target):
        return self.moved


class Estimated(Decision):
    """A decision between such alternatives."""

    alternatives: Any

    def _cycles(self, kernels, target):
        return [alternative.known for alternative in self.alternatives]


@pytest.mark.parametrize(
    ("alternatives", "best"),
    [
        ([Known(1000, 8), Known(989, 4)], 1),
        ([Known(1000, 8), Known(999, 9)], 0),
        ([Known(1000, 8), Known(1005, 4), Known(1011, 2)], 1),
        ([Known(1000, 8), Known(1000, 8)], 0),
        ([Known(1000, 8), Known(None, 4)], 0),
        ([Known(None, 8), Known(None, 4)], None),
    ],
)
def test_alternatives_that_take_about_as_long_are_told_apart_by_bytes(alternatives, best):
    assert Estimated(tuple(alternatives), ()).best({}, load_target("accel")) == best
