"""The attributes of hwc in the compiler's table are the ones that docs/shapes.md defines."""

import re
from pathlib import Path

import pytest

import hwc
from hwc.dialects.attributes import KNOWN

PAGE = Path(__file__).parents[3] / "docs" / "shapes.md"


def test_the_page_and_the_table_have_the_same_attributes_in_the_same_places():
    section = PAGE.read_text().split("## Attributes")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(hwc\.\w+)` \| (.*?) \|", section, re.MULTILINE))
    words = {
        "module": "a module",
        "function": "a function",
        "argument": "an argument",
        "result": "a result",
        "operation": "an element-wise operator",
    }
    assert rows == {name: words[known.place] for name, known in KNOWN.items()}


def test_a_typing_error_is_answered_with_the_attribute_that_was_meant():
    text = "func.func @f(%a: tensor<?xf32> {hwc.symbol = ['n']}) { return }".replace("'", '"')
    with pytest.raises(hwc.SourceError, match=r"help: did you mean hwc\.symbols\?"):
        hwc.compile(text)


def test_a_name_unlike_any_attribute_gets_no_guess():
    with pytest.raises(hwc.SourceError) as raised:
        hwc.compile("func.func @f(%a: tensor<?xf32>) attributes {hwc.xyz} { return }")
    assert "did you mean" not in str(raised.value)
    assert "a function takes hwc.broadcast, hwc.ranks, hwc.conform, hwc.assume" in str(raised.value)
