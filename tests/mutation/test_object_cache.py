"""What is compiled once is compiled again if anything that makes a difference to it changes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mutation import object_cache

# A compiler that joins the headers and the file, and counts how often it was called.
COMPILER = """
import sys
from pathlib import Path
out, source = Path(sys.argv[sys.argv.index("-o") + 1]), Path(sys.argv[-1])
calls = Path("calls")
calls.write_text(calls.read_text() + "x" if calls.exists() else "x")
text = source.read_text()
if "error" in text:
    sys.exit(3)
parts = [path.read_text() for path in sorted(Path().glob("*.h"))]
parts += [Path(line[9:]).read_text() for line in text.splitlines() if line.startswith("#include ")]
out.write_text("".join([*sys.argv[1:], *parts, text]))
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Compile in a folder that is new every time, as builds are; returns calls and result."""
    compiler = tmp_path / "compiler.py"
    compiler.write_text(COMPILER)
    count = 0

    def compile_(files: dict[str, str], source: str = "a.cpp", *flags: str) -> tuple[int, str]:
        nonlocal count
        folder = tmp_path / str(count := count + 1)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        monkeypatch.chdir(folder)
        command = [sys.executable, str(compiler), *flags, "-c", "-o", "a.o", source]
        assert object_cache.main(tmp_path / "objects", command) == 0
        return Path("calls").exists(), Path("a.o").read_text()

    return compile_


FILES = {"a.cpp": "text", "a.h": "header"}


def test_the_same_again(build):
    compiled, first = build(FILES)
    assert compiled
    assert build(FILES) == (False, first)


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
    assert compiled
    assert first != second


def test_a_file_of_files(build):
    """Verilator joins the files of a small design in one that includes them."""
    files = {"V__ALL.cpp": "#include V.cpp", "V.cpp": "text"}
    _, first = build(files, "V__ALL.cpp")
    assert build(files, "V__ALL.cpp") == (False, first)
    compiled, second = build({**files, "V.cpp": "other"}, "V__ALL.cpp")
    assert compiled
    assert "other" in second


def test_less_optimising(build):
    _, result = build(FILES, "a.cpp", "-O2")
    assert result.startswith("-O1")


def test_what_cannot_be_compiled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.cpp").write_text("error")
    Path("compiler.py").write_text(COMPILER)
    command = [sys.executable, "compiler.py", "-c", "-o", "a.o", "a.cpp"]
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
    assert object_cache.result_of(command.split()) == (found and tuple(map(Path, found)))
