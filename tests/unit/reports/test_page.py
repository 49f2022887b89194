"""The page of a report: what it says is what the counters say."""

import dataclasses
import re

import numpy as np
import pytest
from e2e.support.pages import ROOT, missing_links
from unit.reports.html_reader import body, data, number, tables, text

import hwc
from hwc.errors import UserError
from hwc.reports import page as page_module
from hwc.reports import timeline
from hwc.runtime.roofline import ideal_cycles


@pytest.fixture(scope="module")
def report(program, traced):
    return hwc.report(program, *traced)


@pytest.fixture(scope="module")
def page(report):
    return report.html()


def kernel_table(page):
    """The rows of the table of kernels, by the number of the kernel."""
    (found,) = [t for t in tables(page) if t[0][:3] == ["kernel", "cycles", "share"]]
    names = found[0]
    rows = [dict(zip(names, row, strict=True)) for row in found[1:]]
    return {int(row["kernel"].split(":")[0]): row for row in rows}


def test_one_file_without_links_to_others(page):
    assert not re.findall(r'(?:src|href)="(?!#)', body(page))
    assert not re.findall(r"<(?:link|img|iframe|script[^>]*\ssrc)", body(page))


def test_the_head_has_the_call(page, program, traced):
    result, _ = traced
    said = text(page)
    assert f"cycles{result.cycles:,}" in said
    assert f"cycles at best{ideal_cycles(result.counters, program.target):,}" in said
    assert f"bytes read{result.counters['bytes_read']:,}" in said
    assert f"@main on target accel, plan {result.plan}; " in said
    assert "%x 64x300xf32, %g 1x300xf32, %t 64x1xf32" in said


def test_the_table_of_kernels_has_their_counters(page, traced):
    result, _ = traced
    rows = kernel_table(page)
    assert set(rows) == set(range(len(result.kernels)))
    for n, kernel in enumerate(result.kernels):
        row = rows[n]
        assert number(row["cycles"]) == kernel.cycles
        assert number(row["points"]) == kernel.points
        moved = kernel.counters["bytes_read"] + kernel.counters["bytes_written"]
        assert number(row["bytes"]) == moved
        assert row["sizes"] == "x".join(map(str, kernel.sizes))
        assert row["limited by"] == kernel.limit
        assert row["roofline"] == f"{100 * kernel.roofline:.1f} %"


def test_the_table_begins_with_the_most_cycles(page):
    cycles = [number(row["cycles"]) for row in kernel_table(page).values()]
    assert cycles == sorted(cycles, reverse=True)


def test_the_points_of_the_roofline(page, traced):
    """A point is on the line if the kernel takes its ideal cycles: y / min(1, x) is its share."""
    result, _ = traced
    points = {point["n"]: point for point in data(page)["roofline"]}
    assert set(points) == set(range(len(result.kernels)))
    for n, kernel in enumerate(result.kernels):
        x, y = points[n]["x"], points[n]["y"]
        assert y / min(1, x) == pytest.approx(kernel.roofline)
        assert points[n]["limit"] == kernel.limit


def test_the_bars_of_causes_add_up(page, traced):
    """Busy cycles, waits and idle cycles of an engine are those of the call, or of the kernel."""
    result, _ = traced
    found = data(page)
    for engine in ("fetch", "lane", "special", "store"):
        assert sum(found["causes"][engine].values()) == result.cycles
        assert found["causes"][engine]["busy"] == result.counters[f"{engine}_busy"]
    assert found["causes"]["lane"]["special"] == result.counters["lane_stall_special"]
    for bar in found["kernels"]:
        kernel = result.kernels[bar["n"]]
        assert sum(bar["causes"]["lane"].values()) == kernel.occupied
        assert bar["causes"]["fetch"]["busy"] == kernel.counters["fetch_busy"]


def test_the_table_of_engines_has_the_same_figures(page, traced):
    result, _ = traced
    (found,) = [t for t in tables(page) if t[0] == ["engine", "busy", "idle", "waited for"]]
    rows = {row[0]: row for row in found[1:]}
    for engine, row in rows.items():
        assert number(row[1]) == result.counters[f"{engine}_busy"]
    assert f"special {result.counters['lane_stall_special']:,}" in rows["lane"][3]


@pytest.fixture
def quantised():
    """A program whose operators are several instructions each, and its report from shapes."""
    program = hwc.compile(ROOT / "tests" / "e2e" / "programs" / "quantised.mlir")
    timing = program.time(*[(8,) * len(tensor.shape) for tensor in program.inputs])
    return program, timing, hwc.report(program, timing).html()


@pytest.fixture
def chained(program, traced, page):
    return program, traced[0], page


@pytest.mark.parametrize("called", ["chained", "quantised"])
def test_every_vector_instruction_is_beside_its_line(called, request):
    program, result, page = request.getfixturevalue(called)
    lines = program.source.text.split("\n")
    found = [t for t in tables(page) if t[0] == ["word", "instruction", "source"]]
    assert len(found) == len(result.kernels)
    for rows, kernel in zip(found, result.kernels, strict=True):
        stored = program.package.steps[kernel.step].kernels[kernel.kernel]
        shown = {}
        source = None
        for row in rows[1:]:  # a cell may be for several rows
            source = row[2] if len(row) == 3 else source
            shown[int(row[0])] = source
        for word, line, _ in stored.lines:
            begin = shown[word].removesuffix("…")  # a long line is cut
            assert len(begin) > 30
            assert f"line {line} {lines[line - 1].strip()}".startswith(begin)
        assert [int(row[0]) for row in rows[1:]] == list(shown)
        assert list(shown)[-1] == len(stored.words) - 1
        assert rows[-1][1:] == ["end", ""], "the last line is not that of the last word"


def test_the_words_before_the_loop_name_arguments_and_sizes(page):
    found = [t for t in tables(page) if t[0] == ["word", "instruction", "parameter"]]
    remarks = {row[2] for rows in found for row in rows[1:]}
    assert {"%x (input0)", "%g (input1)", "result 0 (output0)"} <= remarks
    assert any(remark.startswith("size s") for remark in remarks)


def test_the_graph_says_what_each_kernel_reads(page, traced):
    result, _ = traced
    (graph,) = re.findall(r'<div class="graph".*?</ol>', page, re.S)
    rows = re.findall(r"<li>(.*?)</li>", graph, re.S)
    assert len(rows) == len(result.kernels)
    last = re.sub(r"<[^>]*>", "", rows[-1])
    assert "reads %x, " in last and "writes result 0" in last
    kept = [n for n in range(len(rows) - 1) if "writes result" not in rows[n]]
    assert re.search(rf"kernels? (?:\d+, )*{kept[-1]}\b", last)


def test_links_lead_to_what_is_there(page):
    inside = body(page)
    for at in re.findall(r'href="#([^"]*)"', inside):
        assert f'id="{at}"' in inside, at


def test_what_is_left_out_is_said(report, monkeypatch):
    for name in ("MOST_ROWS", "MOST_CODE", "MOST_POINTS", "MOST_BARS"):
        monkeypatch.setattr(page_module, name, 2)
    page = report.html()
    said = text(page)
    rest = len(report.kernels) - 2
    assert f"These are the first 2 of {rest + 2} rows." in said
    assert f"These are the 2 points with the most cycles, of {rest + 2} in all." in said
    assert said.count(f"These are the 2 kernels with the most cycles, of {rest + 2} in all.") == 3
    assert len(kernel_table(page)) == 2
    assert len(data(page)["roofline"]) == len(data(page)["kernels"]) == 2
    for at in re.findall(r'href="#([^"]*)"', body(page)):
        assert f'id="{at}"' in body(page), at


def test_without_a_trace(program, traced):
    page = hwc.report(program, traced[0]).html()
    assert "The report was made without a trace." in text(page)
    assert "timeline" not in data(page)


def test_names_cannot_break_the_page(report):
    package = dataclasses.replace(report.package, source_name='</script><i>"x".mlir')
    page = dataclasses.replace(report, package=package).html()
    assert "<i>" not in page
    assert "&lt;/script&gt;&lt;i&gt;" in page


def test_a_source_that_is_not_at_hand(program, traced, tmp_path):
    program.save(tmp_path / "m.hwx")
    page = hwc.report(hwc.load(tmp_path / "m.hwx"), *traced).html()
    assert (
        "The lines of the source are left out: the program had no file when it was compiled."
        in text(page)
    )
    assert re.search(r"line 5\b", text(page)), "the numbers of the lines are known"


EXP = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


def test_a_call_without_points():
    """It says why nothing is drawn, and nothing about strips or kernels that are too many."""
    program = hwc.compile(EXP)
    page = hwc.report(program, program.time((0,)), program.trace((0,))).html()
    said = text(page)
    assert "No kernel has points, because a size is 0." in said
    assert said.count("No kernel has points, so there is nothing to draw.") == 2
    assert "Without points, only its set-up takes cycles." in said
    assert kernel_table(page)[0]["limited by"] == "has no points"
    assert "too many" not in said and "limited by no points" not in said
    assert not {"roofline", "timeline"} & set(data(page))


def test_kernels_that_are_too_many_for_the_timeline(report, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_KERNELS", 2)
    said = text(report.html())
    spans = len(report.kernels)
    assert f"left out of the timeline, because there are {spans}." in said


def test_kernels_with_the_same_cycles(report):
    """It does not say that one of them takes the most."""
    first, *others = sorted(report.kernels, key=lambda row: -row.result.cycles)
    both = [first, dataclasses.replace(first, number=99)]
    part = f"{100 * first.result.cycles / report.result.cycles:.1f} %"
    said = text(dataclasses.replace(report, ran=[*both, *others]).html())
    assert (
        f"2 kernels take the most cycles, {part} each. The first of them, {first.number}: " in said
    )
    said = text(dataclasses.replace(report, ran=both).html())
    assert f"All 2 kernels take the same number of cycles, {part} each." in said


def test_the_table_of_the_roofline_has_the_figures_of_its_points(page):
    points = {point["n"]: point for point in data(page)["roofline"]}
    (found,) = [
        t for t in tables(page) if t[0][1:3] == ["pipe cycles per bus cycle", "share with work"]
    ]
    assert len(found) == 1 + len(points)
    for n, x, y, roofline, cycles, limit in found[1:]:
        point = points[int(n)]
        assert float(x) == pytest.approx(point["x"], rel=0.01)
        assert y == f"{100 * point['y']:.1f} %"
        assert roofline == f"{100 * point['roofline']:.1f} %"
        assert number(cycles) == point["cycles"]
        assert limit == point["limit"]


def test_instructions_without_lines_have_no_empty_column(program, traced):
    """A model has no lines of source."""
    steps = tuple(
        dataclasses.replace(
            step, kernels=tuple(dataclasses.replace(k, lines=()) for k in step.kernels)
        )
        for step in program.package.steps
    )
    report = hwc.report(program, traced[0])
    ran = [
        dataclasses.replace(row, kernel=steps[row.place].kernels[row.result.kernel])
        for row in report.ran
    ]
    found = tables(dataclasses.replace(report, ran=ran).html())
    instructions = [t for t in found if t[0][:2] == ["word", "instruction"]]
    assert ["word", "instruction"] in [t[0] for t in instructions]
    assert not [t for t in instructions if t[0][2:] == ["source"]]
    assert all(len(row) == len(t[0]) for t in instructions for row in t)


def test_boxes_that_scroll_have_a_role_and_a_name(page):
    boxes = re.findall(r'<div [^>]*tabindex="0"[^>]*>', body(page))
    assert len(boxes) > 6
    for box in boxes:
        assert 'role="region"' in box and re.search(r'aria-label="[^"]+"', box), box


def test_a_call_without_kernels():
    identity = """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    }"""
    program = hwc.compile(identity)
    page = hwc.report(program, *program.traced(np.zeros(0, np.float32))).html()
    assert "cycles" in text(page)


def test_a_folder_that_does_not_exist(report, tmp_path):
    with pytest.raises(UserError, match=r"no/page.html: error: cannot write: No such file"):
        report.save(tmp_path / "no" / "page.html")
    assert not (tmp_path / "no").exists()


def test_without_the_extra(report, monkeypatch):
    monkeypatch.setattr("hwc.reports.extra.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"^a report needs plotly: pip install 'hwc\[report"):
        report.html()


def test_steps_on_the_host_are_rows_of_the_graph():
    pytest.importorskip("iree.compiler", reason="parts on the host need the extra iree")
    program = hwc.compile("""func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
      %0 = tosa.abs %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
        pad = array<i64: 0, 0, 0, 0>}
        : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
      %2 = tosa.tanh %1 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
      return %2 : tensor<1x2x2x2xf32>
    }""")
    page = hwc.report(program, *program.traced(np.ones((1, 4, 4, 2), np.float32))).html()
    (graph,) = re.findall(r'<div class="graph".*?</ol>', page, re.S)
    first, host, last = (
        re.sub("<[^>]*>", " ", r) for r in re.findall("<li>(.*?)</li>", graph, re.S)
    )
    assert "0: tosa.abs" in first and "reads %x" in first
    assert (
        "step 1 on the host: max_pool2d" in host
        and "ms on this computer" in host
        and "kernel 0" in host
    )
    assert "1: tosa.tanh" in last and "reads step 1 on the host" in last
    assert graph.count('class="next"') == 2
    assert "has no lines: only a program in MLIR text or bytecode has" in text(page)


def test_a_program_without_a_file_is_called_by_its_function(page):
    assert "<title>Report of @main</title>" in page


def test_the_page_says_the_limits_of_the_document():
    """docs/report.md has the numbers of this module and of the timeline."""
    said = " ".join((ROOT / "docs" / "report.md").read_text(encoding="utf-8").split())
    assert f"at most {page_module.MOST_ROWS:,} rows" in said
    assert f"{page_module.MOST_POINTS:,} points" in said
    assert f"{page_module.MOST_CODE} kernels with their instructions" in said
    assert f"{page_module.MOST_BARS} bars" in said
    assert f"more than {timeline.MOST_SLICES:,} pieces of work and waits" in said
    assert f"each of {timeline.INTERVALS} intervals" in said
    assert not missing_links(ROOT / "docs" / "report.md")
