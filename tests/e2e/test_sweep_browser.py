"""The page of a sweep in a browser: it draws its plots, and its lists of choices change them."""

import re

import pytest
from e2e.support.browser import Opened, needs_browser
from e2e.support.pages import ROOT

import hwc

PROGRAM = ROOT / "docs" / "examples" / "residual.mlir"

pytestmark = needs_browser

CHOOSE = """<iframe id=f src="{page}" style="width:{width}px;height:900px;border:0"></iframe>
<p id=said></p><script>
f.onload = () => setTimeout(async () => {{
  const page = f.contentDocument, root = page.scrollingElement;
  const lists = () => [...page.querySelectorAll("#map-controls select")];
  const seen = [];
  const text = (v) => (v === null ? "-" : v.toFixed(2));
  const see = () => seen.push(page.getElementById("map").data[0].z.flat().map(text).join(" "));
  see();
  for (const shown of ["roofline", "limit", "bound"]) {{
    lists()[0].value = shown;
    lists()[0].dispatchEvent(new Event("change"));
    see();
  }}
  lists()[1].value = "0";
  lists()[1].dispatchEvent(new Event("change"));
  see();
  const across = page.getElementById("map").layout.xaxis.title.text;
  const sizes = page.querySelector("#cost-controls select");
  sizes.value = "0";
  sizes.dispatchEvent(new Event("change"));
  const count = page.getElementById("cost-count").textContent;
  const below = [...page.querySelectorAll(".plot")].filter((p) =>
    p.querySelector(".xtitle").getBoundingClientRect().bottom > p.getBoundingClientRect().bottom);
  const choice = page.querySelectorAll("#cost-controls select")[1];
  choice.value = "1";
  choice.dispatchEvent(new Event("change"));
  const none = page.getElementById("cost-count").textContent;
  const hidden = page.getElementById("cost-plot").hidden;
  const fits = root.scrollWidth <= root.clientWidth;
  said.textContent = [...seen, across, count, below.length, none, hidden, fits].join("|");
}}, 3000);</script>"""


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    table = hwc.sweep(
        PROGRAM,
        "n=1,300, d=8,9,1024",
        targets=["tiny"],
        vary={"lanes": [2, 4]},
        workers=1,
        folder=folder,
    )
    return folder / "index.html", table


def test_what_it_draws(sweep, tmp_path):
    page, _ = sweep
    opened = Opened(page, tmp_path)
    assert opened.console == []
    assert opened.urls == set()
    plots = opened.plots()
    assert set(plots) == {"map", "cost-plot", "shares"}
    assert plots["cost-plot"] == 2  # a point for each target
    assert plots["shares"] >= 4  # a bar for each target and limit
    assert opened.dom.count("main-svg") >= 3
    assert "divided by 8 leaves 1" in opened.dom


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_chosen_is_shown(sweep, tmp_path, width):
    page, table = sweep
    wrapper = tmp_path / "w.html"
    wrapper.write_text(CHOOSE.format(page=page.as_uri(), width=width))
    opened = Opened(wrapper, tmp_path)
    said = re.search(r'<p id="said">(.*?)</p>', opened.dom)[1].split("|")
    assert opened.console == []
    cycles, roofline, limit, bound, turned, across, count, below, none, hidden, fits = said
    first = table[table.lanes == 2]
    shown = [float(v) for v in roofline.split() if v != "-"]
    assert shown == pytest.approx(first.roofline.dropna().to_list(), abs=0.006)
    logs = [10 ** float(v) for v in cycles.split() if v != "-"]
    assert logs == pytest.approx(first.cycles.dropna().to_list(), rel=0.02)
    assert [v == "-" for v in cycles.split()] == first.cycles.isna().to_list()
    for texts, column in ((limit, "limit"), (bound, "bound")):
        names = sorted(table[column].dropna().unique())
        got = [None if v == "-" else names[int(float(v))] for v in texts.split()]
        assert got == [v if isinstance(v, str) else None for v in first[column]]
    assert turned != bound
    assert across == "target"
    assert count == "The geometric mean of the 2 shapes that all these targets can run."
    assert below == "0", "the title of an axis is cut"
    assert (
        none
        == "None of the chosen shapes can run on all these targets, so there is nothing to draw."
    )
    assert hidden == "true"
    assert fits == "true"


def test_a_sweep_in_which_nothing_ran(tmp_path):
    """It says so, and has no empty plots."""
    hwc.sweep(PROGRAM, "n=1,300, d=9", targets=["tiny"], workers=1, folder=tmp_path / "s")
    opened = Opened(tmp_path / "s" / "index.html", tmp_path)
    assert opened.console == []
    assert opened.plots() == {}
    assert "No shape ran on any target, so there is nothing to draw." in opened.dom
    assert (
        "divided by 8 leaves 1" in opened.dom
        and "geometric mean of" not in opened.dom.split("<script")[0]
    )
