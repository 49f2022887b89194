"""docs/extending.md names only files, names in files, and commands that exist."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
ENDINGS = ("py", "yaml", "sv", "md", "mlir")
CODE = re.compile(r"`([^`]+)`")


def blocks() -> list[str]:
    """The commands of the page, one per line of its blocks of shell."""
    found = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    return [line.split("#")[0].strip() for block in found for line in block.splitlines()]


def prose() -> str:
    """The page without its blocks."""
    return re.sub(r"```sh\n.*?```", "", TEXT, flags=re.DOTALL)


def is_file(span: str) -> bool:
    """Whether a piece of code in the text is the name of a file."""
    return " " not in span and span.endswith(tuple(f".{ending}" for ending in ENDINGS))


def files(text: str) -> list[str]:
    """The files that a text names, and its folders."""
    spans = [span for span in CODE.findall(text) if " " not in span]
    return [span for span in spans if is_file(span) or "/" in span]


def found(name: str) -> list[Path]:
    """The files of a name; NAME stands for any, and a bare name is a module of the hardware."""
    if "/" not in name and not (ROOT / name).exists():
        return [*ROOT.glob(f"rtl_models/core/{name}"), *ROOT.glob(f"rtl_models/stream/{name}")]
    return list(ROOT.glob(name.replace("NAME", "*")))


def items() -> list[str]:
    """The numbered items of the page's lists, with the lines that belong to them."""
    return re.findall(r"^\d+\. .*?(?=^\d+\. |^\n|\Z)", prose(), re.DOTALL | re.MULTILINE)


def test_there_is_something_to_check() -> None:
    assert len(set(files(prose()))) > 60
    assert len(items()) > 30
    assert len(blocks()) > 5


@pytest.mark.parametrize("name", sorted(set(files(prose()))))
def test_every_file_exists(name: str) -> None:
    assert found(name), f"docs/extending.md names {name}, which does not exist"


@pytest.mark.parametrize("item", items())
def test_every_name_is_in_a_file_of_its_item(item: str) -> None:
    names = files(item)
    text = "\n".join(path.read_text() for name in names for path in found(name) if path.is_file())
    for span in CODE.findall(item):
        if re.fullmatch(r"_?[A-Z]\w*|_\w+|[a-z]+_[a-z_]+", span) and span != "NAME":
            assert span in text, f"{span} is in none of {', '.join(names)}"


@pytest.mark.parametrize("command", blocks())
def test_every_command_exists(command: str) -> None:
    for module in re.findall(r"python -m (\S+)", command):
        assert importlib.util.find_spec(f"{module}.__main__"), f"there is no module {module}"
    for path in re.findall(r"\S+/\S+", command):
        assert (ROOT / path).exists(), path
