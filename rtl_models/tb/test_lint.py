"""Every module elaborates alone, for every target, and neither Verilator nor slang warn of it."""

import re
import shutil
import subprocess
from pathlib import Path

import pyslang.driver
import pytest

from isa.gen.sv_target import sv_target
from isa.target import load_target
from rtl_models.sources import ROOMS, SOURCES, TARGET_PACKAGE, modules, packages
from rtl_models.tb import verilator
from rtl_models.tb.bench import TARGETS, targets

SLANG_OPTIONS = SOURCES / "lint" / "slang.f"
PRAGMA = re.compile(r"// *verilator lint_(off|on)\b")

each_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)


def all_packages(target: str, directory: Path) -> list[Path]:
    """The packages, with that of the target written to a directory."""
    path = directory / TARGET_PACKAGE
    path.write_text(sv_target(load_target(target)), encoding="utf-8")
    return packages(path)


def verilator_says(files: list[Path], module: str) -> str:
    verilator.provide()
    if shutil.which("verilator") is None:
        pytest.skip("Verilator is not installed")
    command = ["verilator", "--lint-only", "-Wall", "--assert", "--top-module", module]
    command += [f"-I{SOURCES / room}" for room in ROOMS]
    command += map(str, files)
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (result.returncode == 0) == ("%" not in result.stderr), result.stderr
    return result.stderr if result.returncode else ""


def slang_is_content(files: list[Path], tops: list[str]) -> bool:
    """Whether slang takes the files, with every one of `tops` elaborated as a design of its own."""
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    options = ["slang", f'-F "{SLANG_OPTIONS}"', *(f"--top={top}" for top in tops)]
    assert driver.parseCommandLine(" ".join([*options, *(f'"{file}"' for file in files)]))
    return driver.processOptions() and driver.parseAllSources() and driver.runFullCompilation(True)


@pytest.mark.parametrize("target", targets("tiny"))
def test_verilator(target, tmp_path):
    files = all_packages(target, tmp_path)
    found = modules()
    assert {"machine", "fifo", "special", "store_engine", "axi_read_master"} <= found.keys()
    complaints = [verilator_says([*files, path], module) for module, path in found.items()]
    assert not any(complaints), "\n".join(filter(None, complaints))


@each_target
def test_verilator_on_the_machine(target, tmp_path):
    """Modules with the parameters that they have in it."""
    complaint = verilator_says([*all_packages(target, tmp_path), modules()["machine"]], "machine")
    assert not complaint, complaint


@each_target
def test_slang(target, tmp_path, capfd):
    found = modules()
    content = slang_is_content([*all_packages(target, tmp_path), *found.values()], list(found))
    said = capfd.readouterr()
    assert content, said.out + said.err


@pytest.mark.parametrize(
    "body",
    [
        "assign data_o = data_i;",  # two bits to one
        "logic source; assign data_o = source & ^data_i;",  # nobody drives it
        "always_comb if (data_i[0]) data_o = data_i[1];",  # a latch
        "assign data_o = &data_i; absent u_absent ();",
    ],
)
def test_lint_can_fail(body, tmp_path, capfd):
    path = tmp_path / "wrong.sv"
    header = "module wrong (\n    input  logic [1:0] data_i,\n    output logic       data_o\n);\n"
    path.write_text(f"{header}  assign data_o = ^data_i;\nendmodule\n")
    assert not verilator_says([path], "wrong")
    assert slang_is_content([path], ["wrong"])
    path.write_text(f"{header}  {body}\nendmodule\n")
    assert "wrong.sv:5" in verilator_says([path], "wrong")
    assert not slang_is_content([path], ["wrong"])
    assert "wrong.sv:5" in capfd.readouterr().err


def reasonless(path: Path) -> list[str]:
    """The pragmas of a file that come without a comment: above them, or on what they are for."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found: list[str] = []
    above = False  # whether the line above, pragmas aside, is a comment
    opened = ""  # a pragma that still has no reason
    for number, line in enumerate(lines, 1):
        pragma = PRAGMA.search(line)
        if pragma is None:
            above = line.lstrip().startswith("//")
            opened = "" if "//" in line else opened
        elif pragma[1] == "on":
            found += [opened] if opened else []
            opened, above = "", False
        elif not above:
            opened = opened or f"{path.name}:{number}: {line.strip()}"
    return found + ([opened] if opened else [])


def test_pragmas_have_reasons(tmp_path):
    found = [line for path in SOURCES.glob("*/*.sv") for line in reasonless(path)]
    assert not found, "\n".join(found)
    pair = "// verilator lint_off UNUSEDSIGNAL", "// verilator lint_on UNUSEDSIGNAL"
    path = tmp_path / "some.sv"
    path.write_text(f"// A comment.\nlogic a;\n{pair[0]}\nlogic b;\n{pair[1]}\nlogic c;  // c\n")
    assert reasonless(path) == [f"some.sv:3: {pair[0]}"]
    for reason in (f"// Why.\n{pair[0]}\nlogic b;", f"{pair[0]}\nlogic b;  // why"):
        path.write_text(f"logic a;\n{reason}\n{pair[1]}\n")
        assert reasonless(path) == []
