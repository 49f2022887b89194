"""The tool of `make coverage`: merging, waivers, bins, the report."""

from __future__ import annotations

from collections import Counter

import pytest

from isa.load import load
from rtl_models.coverage.__main__ import main
from rtl_models.coverage.bins import Bin, all_bins, count
from rtl_models.coverage.data import (
    CoverageError,
    add_up,
    merge_bins,
    parse_points,
    write_sum,
)
from rtl_models.coverage.lines import Share, line_counts, shares, untoggled
from rtl_models.coverage.report import Coverage, annotate, summary
from rtl_models.coverage.waivers import Waiver, apply, load_waivers

SOURCE = """\
module thing;
  always_comb begin
    if (a) b = c;
    else b = d ? e : f;
  end
  default: state_d = Idle;
endmodule
"""


def point(line: int, kind: str, what: str, lines: str = "", file: str = "core/thing.sv") -> str:
    """A point as Verilator writes it; instances differ in what follows `h`."""
    fields = [("f", f"/src/{file}"), ("l", line), ("n", 5), ("t", kind)]
    fields += [("page", f"v_{kind}/thing"), ("o", what), *([("S", lines)] if lines else [])]
    return "C '" + "".join(f"\1{key}\2{value}" for key, value in [*fields, ("h", "top.u_x")])


POINTS = {
    point(2, "line", "block", "2"): 7,
    point(3, "branch", "if", "3"): 3,
    point(3, "branch", "else", "4"): 4,
    point(4, "branch", "cond_then", "4"): 0,
    point(4, "branch", "cond_else", "4"): 4,
    point(6, "line", "case", "6"): 0,
    point(1, "toggle", "a:0->1"): 2,
    point(1, "toggle", "w[0]:0->1"): 0,
    point(1, "toggle", "w[1]:1->0"): 0,
    point(1, "line", "block", "1", file="../elsewhere.sv"): 0,
}


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "src"
    (folder / "core").mkdir(parents=True)
    (folder / "core" / "thing.sv").write_text(SOURCE)
    return folder


@pytest.fixture
def points(sources):
    moved = {text.replace("/src/", f"{sources}/"): n for text, n in POINTS.items()}
    moved = {t: n for t, n in moved.items() if "elsewhere" not in t}
    return parse_points(moved, sources)


@pytest.fixture
def waivers_file(tmp_path):
    def write(text: str):
        path = tmp_path / "waivers.yaml"
        path.write_text(text)
        return path

    return write


def test_files_are_added_up(tmp_path):
    write_sum(POINTS, tmp_path / "a.dat")
    write_sum({point(2, "line", "block", "2"): 5}, tmp_path / "b.dat")
    added = add_up([tmp_path / "a.dat", tmp_path / "b.dat"])
    assert added == Counter(POINTS) + Counter({point(2, "line", "block", "2"): 5})
    assert len(added) == len(POINTS)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "first line"),
        ("SystemC::Coverage-2\n", "first line"),
        ("# SystemC::Coverage-3\nC 'x'\n", "a.dat:2"),
        ("# SystemC::Coverage-3\nC 'x' many\n", "a.dat:2"),
    ],
)
def test_what_is_no_coverage_data(tmp_path, text, error):
    path = tmp_path / "a.dat"
    path.write_text(text)
    with pytest.raises(CoverageError, match=error):
        add_up([path])


def test_points_outside_of_the_sources_are_left_out(sources):
    outside = [point(1, "line", "block", "1", file=f) for f in ("no.sv", "../cache/core/thing.sv")]
    assert not parse_points(dict.fromkeys(outside, 1), sources)
    with pytest.raises(CoverageError, match="not a point"):
        parse_points({"C '\1f\2x": 1}, sources)


def test_a_build_of_another_checkout_counts(sources):
    (only,) = parse_points({point(1, "line", "block", "1"): 1}, sources)
    assert only.file == "core/thing.sv"


def test_instances_and_parameters_are_one_point(sources):
    one = point(2, "line", "block", "2").replace("/src/", f"{sources}/")
    other = one.replace("top.u_x", "top.u_y").replace("v_line/thing", "v_line/thing__W8")
    (merged,) = parse_points({one: 1, other: 2}, sources).values()
    assert merged == 3


def test_a_line_has_run_if_everything_on_it_has(points):
    assert line_counts(points) == {"core/thing.sv": {2: 7, 3: 3, 4: 0, 6: 0}}
    assert shares(points, "branch") == {"core/thing.sv": Share(3, 4)}
    assert shares(points, "toggle") == {"core/thing.sv": Share(1, 3)}
    assert untoggled(points) == {("core/thing.sv", "w"): 2}


def test_counts_of_names_are_added_up(tmp_path):
    (tmp_path / "a.bins").write_text("3 burst    one\n1 wait ar\n")
    (tmp_path / "b.bins").write_text("4 burst one\n")
    files = [tmp_path / "a.bins", tmp_path / "b.bins"]
    assert merge_bins(files) == {"burst one": 7, "wait ar": 1}
    (tmp_path / "b.bins").write_text("burst one\n")
    with pytest.raises(CoverageError, match="b.bins:1"):
        merge_bins(files)


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("default: x;", "  default: x;  ", True),
        ("default: x;", "default: xy;", False),
        ("x;", "default: x;", False),
        ("a...b...c", "a c", False),
        ("default: ...", "default: state_d = Idle;", True),
        ("...Idle;", "default: state_d = Idle;", True),
        ("default: ... = Idle;", "default: state_d = Idle;", True),
        ("default: ... = Idle;", "default: state_d = Busy;", False),
        ("a...a", "a", False),
        ("a...b...c", "a c b", False),
        ("x[1] ? *", "x[1] ? *", True),
    ],
)
def test_patterns(pattern, text, fits):
    assert Waiver("f", pattern, "why").matches(text) == fits


def test_waived_lines_and_bins(points, sources):
    waivers = [Waiver("core/*.sv", "default: ...", "no other"), Waiver("", "g: b...", "cannot")]
    waivers += [Waiver("core/*.sv", "", "wide counters")]
    bins, toggles = {"g: bin": 0, "g: other": 0}, shares(points, "toggle")
    waived = apply(waivers, line_counts(points), sources, bins, toggles)
    assert waived.lines == {("core/thing.sv", 6): "no other"}
    assert waived.bins == {"g: bin": "cannot"}
    assert waived.toggles == {"core/thing.sv": "wide counters"}
    assert not waived.stale


@pytest.mark.parametrize(
    "waiver",
    [
        Waiver("core/*.sv", "default: gone;", "why"),
        Waiver("axi/*.sv", "default: ...", "why"),
        Waiver("core/*.sv", "endmodule", "not a line that runs"),
        Waiver("", "g: gone", "why"),
        Waiver("axi/*.sv", "", "why"),
    ],
)
def test_a_waiver_that_matches_nothing(points, sources, waiver):
    with pytest.raises(CoverageError, match="matches nothing"):
        apply([waiver], line_counts(points), sources, {"g: bin": 0}, shares(points, "toggle"))


def test_waivers_of_what_has_run_are_stale(points, sources):
    waivers = [Waiver("core/thing.sv", "if (a) b = c;", "why"), Waiver("", "g: bin", "why")]
    waivers += [Waiver("core/*.sv", "", "why")]
    toggles = {"core/thing.sv": Share(6, 10)}
    waived = apply(waivers, line_counts(points), sources, {"g: bin": 2}, toggles)
    assert waived.stale == (
        "bin g: bin",
        "core/thing.sv:3: if (a) b = c;",
        "toggles of core/thing.sv: 60.0 % (6 of 10)",
    )


NONE = "bins: []\ntoggles: []\n"


def test_a_file_of_waivers(waivers_file):
    text = (
        "lines:\n  - {file: a.sv, text: x;, reason: because}\n"
        "  - {file: c.sv, text: [u;, v;], reason: both}\nbins:\n  - {text: y, reason: so}\n"
        "toggles:\n  - {file: b.sv, reason: wide}\n"
    )
    assert load_waivers(waivers_file(text)) == (
        Waiver("a.sv", "x;", "because"),
        Waiver("c.sv", "u;", "both"),
        Waiver("c.sv", "v;", "both"),
        Waiver("", "y", "so"),
        Waiver("b.sv", "", "wide"),
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("lines: []\n", "`lines`, `bins`, `toggles`"),
        ("lines: []\nbins: []\ntoggles: []\nmore: 1\n", "`lines`, `bins`, `toggles`"),
        ("lines:\n  - {file: a.sv, text: x}\n" + NONE, "yaml:2: .*file, text, reason"),
        ("lines:\n  - {file: a, text: x, reason: ''}\n" + NONE, "yaml:2: .*`reason` is empty"),
        ("lines:\n  - {file: a, text: [x, ''], reason: r}\n" + NONE, "yaml:2: .*`text` is empty"),
        ("lines:\n  - {file: a, text: [], reason: r}\n" + NONE, "yaml:2: .*`text` is empty"),
        (
            "lines: []\nbins:\n  - {file: a, text: x, reason: r}\ntoggles: []\n",
            "yaml:3: .*text, reason",
        ),
        ("lines: []\nbins: []\ntoggles:\n  - {file: a}\n", "yaml:4: .*file, reason"),
    ],
)
def test_files_that_are_none(waivers_file, text, error):
    with pytest.raises(CoverageError, match=error):
        load_waivers(waivers_file(text))


def test_bins_come_from_the_instruction_set():
    bins = all_bins()
    names = {(b.group, b.name) for b in bins}
    assert len(names) == len(bins)
    for i in load().instructions.values():
        if not i.is_control:
            assert ("instruction × destination", f"{i.name} output") in names
            for operand in i.operands:
                assert ("instruction × operand × kind", f"{i.name} {operand} immediate") in names
    for fault in load().faults:
        assert any(g == "faults × where raised" and n.startswith(fault) for g, n in names), fault
    for counter in load().counters:
        assert ("counters and stall causes", counter) in names
    assert ("pattern × rank", "RDRDRD rank 6") in names
    assert ("pattern × rank", "RD rank 1") not in names
    assert ("pattern × what is held", "DR streamed") in names
    assert ("pattern × what is held", "RD partly") not in names


def test_hits_are_counted_and_unknown_ones_refused():
    bins = (Bin("g", "either", ("one", "two")), Bin("g", "none", ("three",)))
    assert list(count(bins, {"one": 1, "two": 2}).values()) == [3, 0]
    with pytest.raises(CoverageError, match="not in any bin: four"):
        count(bins, {"four": 1})


def test_the_report(points, sources, tmp_path):
    bins = {Bin("g", "hit", ("x",)): 2, Bin("g", "hole", ("y",)): 0, Bin("g", "no", ("z",)): 0}
    waivers = [Waiver("core/*.sv", "default: ...", "no other"), Waiver("", "g: no", "cannot")]
    counts = {"g: hit": 2, "g: hole": 0, "g: no": 0}
    toggles = shares(points, "toggle")
    waived = apply(waivers, line_counts(points), sources, counts, toggles)
    coverage = Coverage(points, bins, waived)
    text = summary(coverage, sources, "How it was made.")
    assert "- `core/thing.sv` needs tests or a reason: 33.3 % (1 of 3) of its toggles\n" in text
    assert "| lines | 66.7 % (2 of 3), 1 waived |" in text
    assert "| functional bins | 50.0 % (1 of 2), 1 waived |" in text
    assert "- `core/thing.sv`: `else b = d ? e : f;`" in text
    assert "| `core/thing.sv` | `w` | 2 |" in text
    assert "- g: hole\n" in text
    assert "- no other: `core/thing.sv`" in text
    annotate(coverage, sources, tmp_path / "annotated")
    lines = (tmp_path / "annotated/core/thing.sv").read_text().splitlines()
    assert [line[:14].split() for line in lines] == [
        [],
        ["7"],
        ["3"],
        ["%", "0"],
        [],
        ["w", "0"],
        [],
    ]
    assert lines[3].endswith("else b = d ? e : f;")


def test_no_data_is_one_error(tmp_path, capsys):
    arguments = ["--report-only", "--folder", str(tmp_path), "--output", str(tmp_path / "x.md")]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert "no coverage data" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "x.md").exists()


@pytest.mark.parametrize("path", ["absent/x.md", "."])
def test_a_report_that_cannot_be_written_is_one_error_before_the_run(tmp_path, capsys, path):
    data = tmp_path / "data"
    data.mkdir()
    kept = data / "tiny.dat"
    kept.write_text("an earlier run's")
    arguments = ["--folder", str(tmp_path), "--output", str(tmp_path / path), "no_such_test"]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{tmp_path / path}: error: cannot write: ")
    assert error.count("\n") == 1
    assert kept.read_text() == "an earlier run's"


def test_missing_tools_are_one_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--folder", str(tmp_path), "--output", str(tmp_path / "x.md")]) == 1
    assert "apt install g++" in capsys.readouterr().err
