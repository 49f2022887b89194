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
    text = table('"A" & b', ["a<b", "n"], [["<i>", "3"]], right=(1,))
    assert "<th scope=col>a&lt;b</th><th scope=col class=number>n</th>" in text
    assert "<td>&lt;i&gt;</td><td class=number>3</td>" in text


def test_a_table_is_a_region_with_a_name():
    """Its box scrolls with the keyboard, so a screen reader has to say what it is."""
    text = table('"A" & b', ["n"], [], kind="wraps")
    (box,) = re.findall(r'<div class="table tall wraps" ([^>]*)>', text)
    assert box == 'tabindex="0" role="region" aria-label="&quot;A&quot; &amp; b"'


def test_links_to_sections_come_first_and_may_be_skipped():
    text = Page("t", "<h2 id=a>A</h2>", {}, "", (("a", "A & B"),), "p { color: red; }\n").html()
    skip, section = re.findall(r'<a [^>]*href="#([^"]*)"', text)
    assert (skip, section) == ("content", "a")
    assert '<main id="content" tabindex="-1">' in text
    assert "A &amp; B" in text
    assert "p { color: red; }" in text
    assert text.index('class="skip"') < text.index("<nav") < text.index("<main")


def test_a_page_without_sections_has_no_links():
    assert "<nav" not in Page("t", "", {}, "").html()
