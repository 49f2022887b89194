"""Makes the wheel, in which everything is below the one name `hwc`.

In a checkout the rooms `isa`, `sim` and `rtl_models` and the folder `configs` stand beside `hwc`.
The wheel has them in `hwc/_rooms`, where they find each other as they do in the checkout, and its
modules import them from there. docs/decisions.md says why; all else is in pyproject.toml.
"""

import ast
import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

ROOMS = ("isa", "rtl_models", "sim")
HOME = "hwc._rooms"


def moved(text: str, path: Path) -> str:
    """Return the text of a module, with imports of the rooms from `HOME`."""
    names = "|".join(ROOMS)
    text = re.sub(rf"^(\s*)from ({names})\b", rf"\1from {HOME}.\2", text, flags=re.M)
    text = re.sub(rf"^(\s*)import ({names})$", rf"\1from {HOME} import \2", text, flags=re.M)
    for node in ast.walk(ast.parse(text)):
        imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in imported:
            if name.partition(".")[0] in ROOMS:
                raise ValueError(
                    f"{path}:{node.lineno}: cannot move the import of {name} into a wheel; "
                    "write `import ROOM` or `from ROOM.MODULE import NAME`"
                )
    return text


class BuildPy(build_py):
    """Collects the files of the wheel."""

    def run(self) -> None:
        """Collect them anew, because setuptools keeps what an earlier build has left."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if not self.editable_mode:
            self.move_rooms(Path(self.build_lib))

    def move_rooms(self, library: Path) -> None:
        """Move the rooms into `HOME`, and the targets with them."""
        home = library.joinpath(*HOME.split("."))
        home.mkdir()
        (home / "__init__.py").write_text('"""What stands beside `hwc` in a checkout."""\n')
        for room in ROOMS:
            (library / room).rename(home / room)
        shutil.copytree("configs", home / "configs")
        for path in library.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            path.write_text(moved(text, path.relative_to(library)), encoding="utf-8")


class EggInfo(egg_info):
    """Writes what the wheel says about itself."""

    def run(self) -> None:
        """Name the one package that the wheel has at the top."""
        super().run()
        Path(self.egg_info, "top_level.txt").write_text("hwc\n")


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildPy, "egg_info": EggInfo})
