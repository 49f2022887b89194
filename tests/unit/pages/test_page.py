"""A page is one file: nothing in it is loaded from elsewhere, and no text ends its data early."""

from __future__ import annotations

import json
import re

from hwc.pages.page import Page, embedded, table


def test_one_file():
    text = Page("a < b", "<p>body</p>", {"x": [1, None]}, "hwc.plot('p', make);\n").html()
    assert "<title>a &lt; b</title>" in text
    assert "<p>body</p>" in text
    assert "hwc.plot('p', make);" in text
    assert text.count("plotly.js v") == 1
    assert not re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=", text)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(data) == {"x": [1, None]}


def test_data_cannot_end_its_element():
    text = embedded(["</script><b>", "<!--", "é"])
    assert "<" not in text
    assert json.loads(text) == ["</script><b>", "<!--", "é"]


def test_a_table_escapes_its_cells():
    text = table(["a<b", "n"], [["<i>", "3"]], right=(1,))
    assert "<th>a&lt;b</th><th class=number>n</th>" in text
    assert "<td>&lt;i&gt;</td><td class=number>3</td>" in text
