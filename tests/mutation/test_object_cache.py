"""What is compiled once is compiled again if anything that makes a difference to it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutation import object_cache

# A compiler that joins options, headers and the file, and says which file it was given; with -r it
# joins its results.
COMPILER = """#!/usr/bin/env python3
import sys
from pathlib import Path
out = Path(sys.argv[sys.argv.index("-o") + 1])
if "-r" in sys.argv:
    out.write_text("".join(Path(name).read_text() for name in sys.argv[1:] if name.endswith(".o")
                           and name != str(out)))
    sys.exit()
source = Path(sys.argv[-1])
with Path("calls").open("a") as calls:
    calls.write(source.name + " ")
text = source.read_text()
if "error" in text:
    sys.exit(3)
parts = [path.read_text() for path in sorted(Path().glob("*.h"))]
out.write_text("".join([*sys.argv[1:], *parts, text]))
"""
FILES = {"a.cpp": "text", "a.h": "header"}
GROUP = {
    "V_0.cpp": '// A group\n#include "V.cpp"\n#include "W.cpp"\n',
    "V.cpp": "text",
    "W.cpp": "words",
    "V.h": "header",
}


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Compile in a folder that is new every time, as builds are; returns calls and result."""
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    count = 0

    def compile_(files: dict[str, str], source: str = "a.cpp", *flags: str) -> tuple[str, str]:
        nonlocal count
        folder = tmp_path / str(count := count + 1)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        monkeypatch.chdir(folder)
        command = [str(compiler), *flags, "-c", "-o", "result.o", source]
        assert object_cache.main(tmp_path / "objects", command) == 0
        calls = Path("calls")
        return calls.read_text().strip() if calls.exists() else "", Path("result.o").read_text()

    return compile_


def test_the_same_again(build):
    compiled, first = build(FILES)
    assert compiled == "a.cpp"
    assert build(FILES) == ("", first)


@pytest.mark.parametrize(
    ("files", "source", "flags"),
    [
        ({**FILES, "a.cpp": "other"}, "a.cpp", ()),
        ({**FILES, "a.h": "other"}, "a.cpp", ()),
        ({**FILES, "b.h": "another"}, "a.cpp", ()),
        (FILES, "a.cpp", ("-O0",)),
        ({**FILES, "b.cpp": "text"}, "b.cpp", ()),
    ],
)
def test_a_difference(build, files, source, flags):
    _, first = build(FILES)
    compiled, second = build(files, source, *flags)
    assert compiled == source
    assert first != second


@pytest.mark.parametrize(("name", "other"), [("V.cpp", "W.cpp"), ("W.cpp", "V.cpp")])
def test_a_file_of_files(build, name, other):
    """Verilator joins its files in one that includes them: only those that differ are compiled."""
    compiled, first = build(GROUP, "V_0.cpp")
    assert compiled == "V.cpp W.cpp"
    assert build(GROUP, "V_0.cpp") == ("", first)
    compiled, second = build({**GROUP, name: "other"}, "V_0.cpp")
    assert compiled == name
    assert "other" in second
    assert GROUP[other] in second
    assert GROUP[name] not in second


@pytest.mark.parametrize(
    "files", [{"a.cpp": "error"}, {"a.cpp": '#include "V.cpp"', "V.cpp": "error"}]
)
def test_what_cannot_be_compiled(tmp_path, monkeypatch, files):
    monkeypatch.chdir(tmp_path)
    for name, text in {"compiler": COMPILER, **files}.items():
        Path(name).write_text(text)
    Path("compiler").chmod(0o755)
    command = ["./compiler", "-c", "-o", "a.o", "a.cpp"]
    assert object_cache.main(tmp_path / "objects", command) == 3
    assert not (tmp_path / "objects").exists()


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("c++ -O2 -I. -c -o a.o ../a.cpp", ("../a.cpp", "a.o")),
        ("c++ -include V__pch.h.fast -c V__0.cpp", ("V__0.cpp", "V__0.o")),
        ("c++ -x c++-header V__pch.h -o V__pch.h.fast.gch", ("V__pch.h", "V__pch.h.fast.gch")),
        ("c++ --version", None),
        ("c++ a.cpp b.cpp -o both", None),
        ("c++ a.cpp", None),
    ],
)
def test_commands(command, found):
    assert object_cache.files_of(command.split()) == found
