"""Every command of the README, and of the page on Python, is run; the output is as shown."""

import re

from e2e.support.pages import ROOT, check_page, missing_links

README = ROOT / "README.md"
PYTHON = ROOT / "docs" / "python.md"


def test_the_tour(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds = check_page(README.read_text(encoding="utf-8"), tmp_path)
    assert {"mlir", "sh", "python"} <= kinds


def test_every_file_it_links_to_is_there():
    assert not missing_links(README)
    assert not missing_links(PYTHON)


def test_the_page_on_python(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_page(PYTHON.read_text(encoding="utf-8"), tmp_path) == {"mlir", "python"}


def test_the_commands_it_names_are_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([\w-]+)", README.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.M), target
