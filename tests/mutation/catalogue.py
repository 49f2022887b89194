"""The deliberate bugs: reads `mutations.yaml` and plants one of them in a copy of the sources."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import yaml

LIST = Path(__file__).with_name("mutations.yaml")


class CatalogueError(Exception):
    """The list and the sources do not fit; the text names the mutation."""


@dataclass(frozen=True)
class Mutation:
    """A deliberate bug.

    `find` occurs exactly once in `file`, a path below rtl_models, and becomes `replace`.
    `bug` describes the change, `test` is the id of the test that must notice it.
    """

    name: str
    bug: str
    file: str
    find: str
    replace: str
    test: str

    def plant(self, root: Path) -> None:
        """Put the bug into the sources of the checkout at `root`.

        Raises:
            CatalogueError: the text to find is not there exactly once.
        """
        path = root / "rtl_models" / self.file
        path.write_text(self.changed(path), encoding="utf-8")

    def changed(self, path: Path) -> str:
        """Return the text of the file with the bug in it.

        Raises:
            CatalogueError: the text to find is not there exactly once.
        """
        if not path.is_file():
            raise CatalogueError(f"{LIST.name}: error: {self.name}: there is no {self.file}")
        text = path.read_text(encoding="utf-8")
        count = text.count(self.find)
        if count != 1:
            raise CatalogueError(
                f"{LIST.name}: error: {self.name}: {self.file} has the text {count} times, "
                f"expected once: {self.find!r}; adapt the mutation to the source"
            )
        return text.replace(self.find, self.replace)


def load(path: Path = LIST) -> list[Mutation]:
    """Read the list.

    Raises:
        CatalogueError: an entry lacks a key, has one too many, changes nothing or shares its name.
    """
    keys = {field.name for field in fields(Mutation)}
    mutations: list[Mutation] = []
    for number, entry in enumerate(yaml.safe_load(path.read_text(encoding="utf-8"))):
        name = entry.get("name", f"entry {number}")
        wrong = keys ^ entry.keys()
        if wrong:
            raise CatalogueError(
                f"{path.name}: error: {name}: missing or unknown: {', '.join(sorted(wrong))}"
            )
        if entry["find"] == entry["replace"]:
            raise CatalogueError(f"{path.name}: error: {name}: find and replace are the same")
        if any(name == other.name for other in mutations):
            raise CatalogueError(f"{path.name}: error: {name}: there are two of that name")
        mutations.append(Mutation(**entry))
    return mutations
