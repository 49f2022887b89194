"""Comparing two calls: what matches, what is refused, and what the page says."""

import json
import re

import pytest
from unit.reports.html_reader import data, number, tables, text

from hwc.errors import UserError
from hwc.reports import compare_page
from hwc.reports.compare import Kernel, Match, matches, read_call
from hwc.reports.compare_page import Comparison
from isa.load import load


def printed(kernels, shape=(64, 300), type_="f32", target="accel", **counters):
    """What a command prints of kernels, each its operators and cycles."""
    cycles = sum(cycles for _, cycles in kernels)
    return {
        "target": target,
        "plan": None,
        "inputs": [{"name": "x", "type": type_, "shape": list(shape)}],
        "counters": {**dict.fromkeys(load().counters, 0), "cycles": cycles, **counters},
        "kernels": [
            {"operators": operators, "sizes": list(shape), "cycles": cycles, "limit": "lanes"}
            for operators, cycles in kernels
        ],
    }


def call(kernels, name="a.json", **more):
    return read_call(json.dumps(printed(kernels, **more)), name)


def compared(a, b):
    return Comparison.of(call(a), call(b, "b.json"))


def pairs(a, b):
    """The numbers of the kernels of each match."""
    made = [
        [Kernel(n, operators, (), 1, "lanes") for n, operators in enumerate(side)]
        for side in (a, b)
    ]
    return [
        tuple([k.number for k in side] for side in (match.a, match.b)) for match in matches(*made)
    ]


def test_the_same_kernels_match_in_turn():
    assert pairs(["add", "mul", "add"], ["add", "mul", "add"]) == [
        ([0], [0]),
        ([1], [1]),
        ([2], [2]),
    ]


def test_two_kernels_that_become_one():
    assert pairs(["abs", "add", "mul", "exp"], ["abs", "add, mul", "exp"]) == [
        ([0], [0]),
        ([1, 2], [1]),
        ([3], [2]),
    ]


def test_a_kernel_that_only_one_call_has():
    assert pairs(["abs", "exp"], ["abs", "add", "exp"]) == [([0], [0]), ([], [1]), ([1], [2])]


def test_kernels_in_another_order_match():
    assert sorted(pairs(["abs", "exp"], ["exp", "abs"])) == [([0], [1]), ([1], [0])]


def test_every_kernel_is_in_one_match():
    a = ["add", "mul", "add, mul", "exp", "add", "tanh"]
    b = ["mul", "add", "exp", "add", "add, mul, tanh"]
    found = pairs(a, b)
    assert sorted(n for one, _ in found for n in one) == list(range(len(a)))
    assert sorted(n for _, other in found for n in other) == list(range(len(b)))


def test_sizes_tell_kernels_of_one_operator_apart():
    a = [Kernel(0, "add", (64,), 5, ""), Kernel(1, "add", (8,), 3, "")]
    b = [Kernel(0, "add", (8,), 3, ""), Kernel(1, "exp", (8,), 3, "")]
    assert matches(a, b) == [Match((a[0],), ()), Match((a[1],), (b[0],)), Match((), (b[1],))]


def test_10000_kernels_alike_match():
    kernels = ["tosa.add"] * 10_000
    assert len(pairs([*kernels, "abs"], ["exp", *kernels])) == 10_002


def test_the_largest_difference_comes_first():
    page = compared(
        [("tosa.add", 100), ("tosa.exp", 500), ("tosa.mul", 70)],
        [("tosa.add", 110), ("tosa.exp", 300), ("tosa.mul", 70)],
    ).html()
    (found,) = [t for t in tables(page) if t[0][0] == "kernels"]
    assert [row[:6] for row in found[1:]] == [
        ["1", "tosa.exp", "500", "300", "▼ -200", "-40.0 %"],
        ["0", "tosa.add", "100", "110", "▲ +10", "+10.0 %"],
        ["2", "tosa.mul", "70", "70", "0", ""],
    ]
    assert "670 cycles become 480: ▼ -190, -28.4 % (1.40 times as fast)." in text(page)
    assert [(bar["a"], bar["b"]) for bar in data(page)["bars"]] == [(500, 300), (100, 110)]


def test_colours_say_what_is_better():
    page = compared([("a", 100), ("b", 50)], [("a", 90), ("b", 60)]).html()
    assert '<td class="number better">▼ -10</td>' in page
    assert '<td class="number worse">▲ +10</td>' in page
    same = compared([("a", 100)], [("a", 100)]).html()
    assert not re.search(r'<td class="number (better|worse)', same)
    assert "No kernel has another number of cycles." in text(same)
    assert "All counters are the same." in text(same)


def test_calls_that_are_the_same():
    """The page says so, instead of a ratio of 1.00."""
    said = text(compared([("a", 100)], [("a", 100)]).html())
    assert "Both calls take 100 cycles. All counters and all kernels are the same." in said
    assert "times as fast" not in said and "0.0 %" not in said and "come first" not in said
    assert "target accel, 1 kernel " in said
    other = Comparison.of(call([("a", 100)]), call([("a", 100)], "b", lane_busy=5))
    said = text(other.html())
    assert "Both calls take 100 cycles." in said and "All counters" not in said
    assert "The counters that differ most come first." in said
    said = text(compared([("a", 100)], [("a", 90)]).html())
    assert "The cycles come first, then the counters that differ most." in said


def test_a_table_is_as_tall_as_its_rows():
    """A box that scrolls hides rows without a hint, so only a long table has one."""
    page = compared([("a", 100)], [("a", 90)]).html()
    assert page.count('<div class="table tall"') == 2
    many = [("a", n) for n in range(100, 200)]
    assert compared(many, many[::-1]).html().count('<div class="table" ') == 1


def test_the_totals_have_the_counters_that_differ():
    one, other = call([("a", 9)], lane_busy=100, strips=4), call([("a", 9)], "b", lane_busy=80)
    page = Comparison.of(one, other).html()
    (found,) = [t for t in tables(page) if t[0][0] == "counter"]
    assert [[row[0], number(row[1]), number(row[2])] for row in found[1:]] == [
        ["lane busy", 100, 80],
        ["strips", 4, 0],
    ]
    assert re.search(r"<td>strips</td>(<td class=number>\d+</td>)+<td class=\"number\">▼ -4", page)


def test_fused_kernels_are_one_row():
    page = compared([("a", 10), ("b", 30)], [("a, b", 25)]).html()
    (found,) = [t for t in tables(page) if t[0][0] == "kernels"]
    assert found[1][:4] == ["0 + 1 → 0", "a | b → a, b", "40", "25"]


def test_what_is_left_out_is_said(monkeypatch):
    monkeypatch.setattr(compare_page, "MOST_ROWS", 1)
    page = compared([("a", 10), ("b", 30)], [("a", 10), ("b", 20)]).html()
    assert "These are the 1 rows that differ most, of 2 in all." in text(page)


def test_a_match_without_one_side():
    match = Match((), (Kernel(0, "a", (), 5, "lanes"),))
    assert match.difference == 5


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (
            {"type_": "i32"},
            r"a, b: error: these are calls of different programs: their arguments have the types "
            r"\(f32\) and \(i32\)",
        ),
        (
            {"shape": (64, 301)},
            r"a, b: error: the calls have different sizes: argument 0 \(%x\) is 64x300 and 64x301;",
        ),
        (
            {"kernels": [("tosa.exp", 1)]},
            r"a, b: error: .* no operator in common \(tosa.abs, tosa.add and tosa.exp\)",
        ),
    ],
)
def test_calls_that_cannot_be_compared(b, message):
    kernels = [("tosa.add, tosa.abs", 1)]
    with pytest.raises(UserError, match=f"^{message}"):
        Comparison.of(call(kernels, "a"), call(**{"kernels": kernels, **b}, name="b"))


def test_versions_of_a_program_may_differ_in_an_operator():
    assert compared([("tosa.add, tosa.cast", 9)], [("tosa.add", 8)]).html()


def changed(change):
    value = printed([("tosa.add", 1)])
    change(value)
    return json.dumps(value)


NOT = r"x: error: not what `hwc run --json` or `hwc time --json` prints"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"x: error: not JSON: .*; expected what `hwc run --json`"),
        ("[1]", NOT),
        ("{}", NOT + r" \(lacks 'kernels'\)"),
        (changed(lambda v: v.update(kernels=None)), "x: error: the kernels are not told apart"),
        (changed(lambda v: v.update(kernels=3)), NOT + r" \('kernels' is not a list\)"),
        (changed(lambda v: v.update(kernels=[3])), NOT + r" \(kernels\[0\] is not an object\)"),
        (changed(lambda v: v["kernels"][0].pop("cycles")), NOT + r" \(kernels\[0\] lacks 'cycles'"),
        (
            changed(lambda v: v["kernels"][0].update(cycles=-1)),
            NOT + r" \(kernels\[0\] 'cycles' is not a whole number from 0\)",
        ),
        (
            changed(lambda v: v["counters"].update(cycles=10**400)),
            NOT + r" \(counters 'cycles' is larger than 2\*\*64 - 1\)",
        ),
        (
            changed(lambda v: v["kernels"][0].update(sizes=[4, 2**64])),
            NOT + r" \(kernels\[0\] 'sizes' has a size larger than 2\*\*64 - 1\)",
        ),
        (
            changed(lambda v: v["kernels"][0].update(sizes=["4"])),
            NOT + r" \(kernels\[0\] 'sizes' is not a list of sizes\)",
        ),
        (
            changed(lambda v: v["kernels"][0].update(operators=None)),
            NOT + r" \(kernels\[0\] 'operators' is not a text\)",
        ),
        (changed(lambda v: v["counters"].pop("cuts")), NOT + r" \(counters lacks 'cuts'\)"),
        (changed(lambda v: v.pop("inputs")), NOT + r" \(lacks 'inputs'\)"),
    ],
)
def test_a_file_that_is_something_else(content, message):
    with pytest.raises(UserError, match=f"^{message}"):
        read_call(content, "x")


def test_a_model_with_parts_on_the_host():
    """The sentence speaks for the machine alone, and says for what share of the arithmetic."""

    def of_model(cycles, share, name):
        value = printed([("Add", cycles)]) | {"accounts": {"machine_share": share}}
        return read_call(json.dumps(value), name)

    said = text(Comparison.of(of_model(200, 0.018, "a"), of_model(100, 0.25, "b")).html())
    assert "200 cycles of the machine become 100" in said
    assert "1 kernel for 1.8 % of the arithmetic" in said
    assert "1 kernel for 25 % of the arithmetic" in said
    same = text(Comparison.of(of_model(9, 0.5, "a"), of_model(9, 0.5, "b")).html())
    assert "Both calls take 9 cycles of the machine" in same
    with pytest.raises(UserError, match="'machine_share' is not a number from 0 to 1"):
        of_model(9, 2, "a")
