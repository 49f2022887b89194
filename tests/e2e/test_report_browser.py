"""The pages in a browser: nothing fails, nothing is fetched, and what they should draw is there.

Needs Chromium (Debian: `apt-get install chromium`), whose name may be in `HWC_CHROMIUM`.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from e2e.support.browser import Opened, needs_browser

import hwc
from hwc.reports.compare import read_call
from hwc.reports.compare_page import Comparison

PROGRAMS = Path(__file__).parent / "programs"
PHONE = 390
DESKTOP = 1200

pytestmark = needs_browser


@pytest.fixture(scope="module")
def report():
    """A report of a call with several strips and all engines."""
    program = hwc.compile(PROGRAMS / "chain.mlir")
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((4, 16, 64), dtype=np.float32) for _ in program.inputs]
    result, trace = program.traced(*arrays)
    return hwc.report(program, result, trace)


@pytest.fixture(scope="module")
def page(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    report.save(path)
    return path


def test_a_report(page, tmp_path):
    opened = Opened(page, tmp_path)
    assert opened.console == []
    assert opened.urls == set()
    plots = opened.plots()
    assert set(plots) == {"roofline-plot", "engines-plot", "kernels-plot", "timeline-plot"}
    assert all(plots.values()), plots
    assert '<option value="lane"' in opened.dom
    assert re.search(r'<details class="kernel" id="kernel-0" open', opened.dom)


@pytest.mark.long
def test_a_link_opens_the_code_of_its_kernel(report, tmp_path):
    """The kernel with the most cycles is open anyway, so this page begins with it closed."""
    text = report.html()
    closed = text.replace('id="kernel-0" open', 'id="kernel-0"')
    assert closed != text
    (tmp_path / "r.html").write_text(closed)
    for fragment, opens in (("#code", False), ("#kernel-0", True)):
        dom = Opened(tmp_path / "r.html", tmp_path, fragment=fragment).dom
        assert ('id="kernel-0" open' in dom) == opens


@pytest.mark.long
def test_a_page_that_asks_for_something_is_noticed(tmp_path):
    """What the tests above rely on."""
    path = tmp_path / "p.html"
    path.write_text('<img src="http://127.0.0.1:9/x.png"><script>console.error("no")</script>')
    opened = Opened(path, tmp_path)
    assert opened.urls == {"http://127.0.0.1:9/x.png"}
    assert len(opened.console) >= 1


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_the_page_does_not_scroll_sideways(page, tmp_path, width):
    """Tab stops come in the order of the page, and the first of them is the link that skips."""
    wrapper = tmp_path / "w.html"
    wrapper.write_text(
        f"""<iframe id=f src="{page.as_uri()}" style="width:{width}px;height:800px;border:0">
        </iframe><p id=said></p><script>
        f.onload = () => setTimeout(() => {{
          const page = f.contentDocument, root = page.scrollingElement;
          const stops = [...page.querySelectorAll("a[href], select, summary, [tabindex='0']")];
          const box = page.getElementById("kernel-table").parentElement;
          const all = stops.map((s) => s.className || s.tagName);
          said.textContent = `${{root.scrollWidth}} of ${{root.clientWidth}}, ` +
            `${{all[0]}}, ${{all.includes("SELECT")}}, ` +
            `${{page.querySelectorAll("[tabindex]:not([tabindex='0']):not(main)").length}}, ` +
            `${{box.scrollWidth - box.clientWidth}}`;
        }}, 3000);</script>"""
    )
    said = re.search(r'<p id="said">(.*?)</p>', Opened(wrapper, tmp_path).dom)[1]
    got, of, *rest, hidden = re.findall(r"\w+", said.replace(" of ", " "))
    assert int(got) <= int(of)
    assert rest == ["skip", "true", "0"]
    assert width == PHONE or hidden == "0", "the table of kernels does not fit on a desktop"


@pytest.mark.long
@pytest.mark.parametrize("scheme", [0, 1], ids=["dark", "light"])
def test_light_and_dark(page, tmp_path, scheme):
    """The plots take the colours of the scheme."""
    opened = Opened(page, tmp_path, f"--blink-settings=preferredColorScheme={scheme}")
    assert opened.console == []
    text_colors = set(re.findall(r"fill: rgb\((\d+), \d+, \d+\)", opened.dom))
    assert ("228" in text_colors) == (scheme == 0)  # --text in hwc/pages/page.css
    assert ("28" in text_colors) == (scheme == 1)


def test_a_comparison(tmp_path):
    calls = []
    for target in ("accel", "wide"):
        program = hwc.compile(PROGRAMS / "chain.mlir", target)
        timing = program.time(*[(4, 16, 64)] * 4)
        printed = {
            "target": target,
            "plan": None,
            "inputs": [
                {"name": t.name, "type": t.type, "shape": [4, 16, 64]} for t in program.inputs
            ],
            "counters": dict(timing.counters),
            "kernels": [
                {"operators": k.operators, "sizes": k.sizes, "cycles": k.cycles, "limit": k.limit}
                for k in timing.kernels
            ],
        }
        calls.append(read_call(json.dumps(printed), f"{target}.json"))
    Comparison.of(*calls).save(tmp_path / "c.html")
    opened = Opened(tmp_path / "c.html", tmp_path)
    assert (opened.console, opened.urls) == ([], set())
    assert opened.plots() == {"bars": 1}
