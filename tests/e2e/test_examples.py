"""docs/examples: every command of its page is run, in a copy of the folder."""

import re
import shutil

import pytest
from e2e.support.pages import ROOT, check_page, check_shell, missing_links

from isa.target import load_target
from rtl_models.simulation.build import build
from rtl_models.tb.tools import need_tools

EXAMPLES = ROOT / "docs" / "examples"
PAGE = EXAMPLES / "README.md"


def test_the_first_hour(tmp_path, monkeypatch):
    need_tools()
    build(load_target("tiny"))  # what it says while it builds is not on the page
    folder = tmp_path / "examples"
    shutil.copytree(EXAMPLES, folder)
    monkeypatch.chdir(folder)
    assert "sh" in check_page(PAGE.read_text(encoding="utf-8"), folder)


def test_every_file_is_on_the_page_and_used():
    page = PAGE.read_text(encoding="utf-8")
    assert not missing_links(PAGE)
    commands = " ".join(re.findall(r"^\$ .*", page, re.M))
    files = {path.name for path in EXAMPLES.iterdir()} - {PAGE.name}
    assert files
    assert not [name for name in files if f"]({name})" not in page or name not in commands]


def test_an_output_that_is_not_shown_is_noticed(tmp_path):
    with pytest.raises(AssertionError, match="hwc 0"):
        check_shell("$ hwc --version\nhwc 9.9\n", tmp_path)
