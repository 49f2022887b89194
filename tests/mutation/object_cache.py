"""Compiles a file, or links what was compiled from the same before: for Verilator's OBJCACHE.

python object_cache.py FOLDER COMPILER ARGUMENT...

A deliberate bug changes a few of the C++ files that Verilator writes; the others are not compiled
again. Verilator gives the compiler files that do nothing but include those: they are compiled one
by one and put together. The command, the file and all headers beside it name a result, so an older
result is never used instead. Headers elsewhere belong to the tools, which stay the same in a run.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

_INCLUDE = re.compile(r'^#include "([^"]+\.cpp)"$', re.M)


def files_of(command: list[str]) -> tuple[str, str] | None:
    """Return the file that a command compiles and what it writes; None for any other command."""
    sources = [word for word in command if word.endswith((".cpp", ".h"))]
    if len(sources) != 1:
        return None
    if "-o" in command:
        return sources[0], command[command.index("-o") + 1]
    return (sources[0], Path(sources[0]).stem + ".o") if "-c" in command else None


def key(command: list[str], source: Path) -> str:
    """Name a result after all that makes a difference to it."""
    digest = hashlib.sha256("\0".join(command).encode())
    for path in [source, *sorted(Path().glob("*.h"))]:
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compile_one(folder: Path, command: list[str], source: str, result: str) -> int:
    """Compile a file that includes no other but headers, or link its result."""
    kept = folder / key(command, Path(source))
    if kept.is_file():
        Path(result).unlink(missing_ok=True)
        os.link(kept, result)
        return 0
    returncode = subprocess.run(command, check=False).returncode
    if not returncode:
        folder.mkdir(parents=True, exist_ok=True)
        mine = folder / uuid.uuid4().hex  # another compiler may be at the same file
        os.link(result, mine)
        mine.replace(kept)
    return returncode


def main(folder: Path, command: list[str]) -> int:
    """Do it in the current folder; returns what the compiler does."""
    files = files_of(command)
    if files is None:
        return subprocess.run(command, check=False).returncode
    source, result = files
    included = _INCLUDE.findall(Path(source).read_text(encoding="utf-8"))
    if not included:
        return compile_one(folder, command, source, result)
    objects: list[str] = []
    plain = [word for word in command if word not in ("-o", source, result)]
    for name in included:
        objects.append(f"{Path(name).stem}.o")
        part = [*plain, "-o", objects[-1], name]
        returncode = compile_one(folder, part, name, objects[-1])
        if returncode:
            return returncode
    joined = [command[0], "-r", "-nostdlib", "-o", result, *objects]
    return subprocess.run(joined, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
