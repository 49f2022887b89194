"""Compiles a file, or links what was compiled from the same before: for Verilator's OBJCACHE.

python object_cache.py FOLDER COMPILER ARGUMENT...

A deliberate bug changes a few of the C++ files that Verilator writes; the others are not compiled
again. The command, the file and all headers beside it name a result, so an older one is never
taken for it. Headers elsewhere are those of the tools, which stay the same during a run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import uuid
from pathlib import Path

QUICKER = {"-O2": "-O1"}
"""Options to compile with instead: most runs are shorter than what more optimising takes."""


def result_of(command: list[str]) -> tuple[Path, Path] | None:
    """Return the file that a command compiles and what it writes; None for any other command."""
    sources = [Path(word) for word in command if word.endswith((".cpp", ".h"))]
    if len(sources) != 1:
        return None
    if "-o" in command:
        return sources[0], Path(command[command.index("-o") + 1])
    return (sources[0], Path(sources[0].stem + ".o")) if "-c" in command else None


def key(command: list[str], source: Path) -> str:
    """Name a result after all that makes a difference to it."""
    digest = hashlib.sha256("\0".join(command).encode())
    # Of a small design all files are included in one.
    beside = ("*.h", "*.cpp") if source.stem.endswith("__ALL") else ("*.h",)
    for path in [source, *sorted(path for pattern in beside for path in Path().glob(pattern))]:
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def main(folder: Path, command: list[str]) -> int:
    """Do it in the current folder; returns what the compiler does."""
    command = [QUICKER.get(word, word) for word in command]
    found = result_of(command)
    if found is None:
        return subprocess.run(command, check=False).returncode
    source, result = found
    kept = folder / key(command, source)
    if not kept.is_file():
        returncode = subprocess.run(command, check=False).returncode
        if returncode:
            return returncode
        folder.mkdir(parents=True, exist_ok=True)
        mine = folder / uuid.uuid4().hex  # another compiler may be at the same file
        os.link(result, mine)
        mine.replace(kept)
        return 0
    result.unlink(missing_ok=True)
    os.link(kept, result)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
