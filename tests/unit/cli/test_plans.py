"""Plans on the command line: which one ran, forcing one, showing all."""

from __future__ import annotations

import json

import pytest
from unit.backend.choices import one_choice, two_choices

from hwc import package as hwx
from hwc.cli.main import main

INPUTS = ["--input", "random:64x1", "--input", "random:64x300"]


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def one(tmp_path):
    hwx.save(one_choice(), tmp_path / "one.hwx")
    return tmp_path / "one.hwx"


@pytest.fixture
def two(tmp_path):
    hwx.save(two_choices(), tmp_path / "two.hwx")
    return tmp_path / "two.hwx"


def plan_lines(text):
    return [line.split()[1] for line in text.splitlines() if line.startswith("plan ")]


def test_run_says_which_plan_ran(capsys, two):
    code, out, _ = run(capsys, "run", two, *INPUTS)
    assert (code, plan_lines(out)) == (0, ["keep-exp,keep-tanh"])
    code, out, _ = run(capsys, "run", two, *INPUTS, "--plan", "fused")
    assert (code, plan_lines(out)) == (0, ["fused,fused"])
    code, out, _ = run(capsys, "run", two, *INPUTS, "--plan", "fused,keep-tanh", "--json")
    assert json.loads(out)["plan"] == "fused,keep-tanh"


def test_run_of_a_package_without_a_choice(capsys, tmp_path, binary_package):
    hwx.save(binary_package(), tmp_path / "add.hwx")
    code, out, _ = run(capsys, "run", tmp_path / "add.hwx", "--input", "2x3xf32", "--input", "f32")
    code, out, _ = run(capsys, "run", tmp_path / "add.hwx", *INPUTS, "--json")
    assert json.loads(out)["plan"] is None
    code, out, _ = run(capsys, "run", tmp_path / "add.hwx", *INPUTS)
    assert (code, plan_lines(out)) == (0, [])


@pytest.mark.parametrize("command", ["run", "cosim", "disasm"])
def test_a_plan_that_does_not_exist(capsys, one, command):
    options = [] if command == "disasm" else INPUTS
    code, out, err = run(capsys, command, one, *options, "--plan", "split")
    assert (code, out) == (1, "")
    assert err == ("--plan: error: no plan 'split': there are the alternatives fused, keep-exp\n")


def test_info_shows_alternatives_and_when_each_is_taken(capsys, one):
    code, out, _ = run(capsys, "info", one)
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    at = lines.index("choice 0: 2 alternatives")
    assert lines[at + 1 : at + 4] == [
        "fused 1 kernel 13 words tosa.exp, tosa.add",
        "keep-exp 2 kernels 21 words tosa.exp | tosa.add",
        "shapes of %a %b fewest cycles",
    ]
    assert "64x1 64xn fused, from n = 10 keep-exp" in lines
    assert "dispatch 0 of plan fused: 14 words, 1 kernel" in lines


def test_disasm_shows_every_kernel_or_one_plan(capsys, one):
    code, out, _ = run(capsys, "disasm", one)
    lines = out.splitlines()
    assert code == 0
    assert lines[:5] == [
        "; step 0 of 1 for target accel",
        "; runs one of",
        ";   fused: kernel 0",
        ";   keep-exp: kernels 1, 2",
        "; kernel 0: tosa.exp, tosa.add: 13 words",
    ]
    assert sum(line.endswith(": end") for line in lines) == 3
    assert "halt" not in out
    code, out, _ = run(capsys, "disasm", one, "--plan", "keep-exp")
    lines = out.splitlines()
    assert lines[0] == "; dispatch 0 of 1 of plan keep-exp for target accel: 22 words"
    assert [line for line in lines if line.startswith("; kernel")] == [
        "; kernel 0: tosa.exp",
        "; kernel 1: tosa.add",
    ]
    assert lines[-1] == "21: halt"
