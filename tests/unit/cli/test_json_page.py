"""docs/json.md names every key that `--json` prints."""

import json
import re
from pathlib import Path

import pytest

import hwc
from hwc import package as hwx
from hwc.cli.main import main
from hwc.package import Counted
from hwc.runtime.accounts import Accounts, Copies
from hwc.runtime.phases import PHASES

PAGE = (Path(hwc.__file__).parents[1] / "docs" / "json.md").read_text(encoding="utf-8")


def section(command):
    """The part of the page about a command."""
    found = PAGE.partition(f"## `hwc {command} --json`\n")[2]
    assert found
    return found.partition("\n## ")[0]


@pytest.fixture
def printed(tmp_path, binary_package, capsys):
    """Runs a command with `--json` on a package and returns what it prints."""
    path = tmp_path / "add.hwx"
    hwx.save(binary_package(), path)

    def run(command, *options):
        main([command, str(path), *options, "--json"])
        return json.loads(capsys.readouterr().out)

    return run


INPUTS = ("--input", "2x3xf32=1", "--input", "1x3xf32=2")


def check(command, *objects):
    """The section of a command names every key of these objects, and every name of it is a key."""
    keys = {key for found in objects for key in found}
    named = set(re.findall(r"`(\w+)`", section(command)))
    assert not keys - named
    return named - keys


def test_run(printed):
    found = printed("run", *INPUTS, "--expected-output", "2x3xf32=1")
    (difference,) = found["differences"]
    (step,) = found["steps"]
    (kernel,) = found["kernels"]
    accounts = Accounts(Counted(1), Counted(2), Copies(), 1).to_json()
    copies = accounts["copies"]
    objects = (found["inputs"][0], found["outputs"][0], step, kernel, accounts, copies)
    objects = (*objects, accounts["operations"], copies["to_machine"])
    left = check("run", found, *objects, difference, difference["first"])
    assert left == {"rtl"}  # a device


def test_time(printed):
    found = printed("time", "--shape", "2x3", "--shape", "1x3")
    ran = printed("run", *INPUTS)
    assert not check("time", found)
    assert {key: ran[key] for key in found} == found


def test_benchmark(printed):
    found = printed("benchmark", *INPUTS, "--calls", "1")
    phases = found["phases"]
    objects = (found, found["inputs"][0], found["seconds_per_call"], phases, phases["link"])
    assert not check("benchmark", *objects)
    listed = section("benchmark").partition("in order, are ")[2].partition("(")[0]
    assert re.findall(r"`(\w+)`", listed) == list(PHASES)


def test_a_key_that_is_not_named_is_noticed():
    with pytest.raises(AssertionError):
        check("run", {"no_such_key": 1})
