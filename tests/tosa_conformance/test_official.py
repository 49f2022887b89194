"""Official tests: a few are generated and played, with a seed that is not the official one."""

from __future__ import annotations

import numpy as np
import pytest
from tosa_conformance.official import missing

if missing():
    pytest.skip(missing(), allow_module_level=True)

from tosa_conformance import __main__ as command
from tosa_conformance.__main__ import main
from tosa_conformance.examples import example
from tosa_conformance.judge import bounds, largest_error, library
from tosa_conformance.official import (
    HOST_PROFILES,
    VERSION,
    Case,
    ConformanceError,
    Suite,
    dynamic,
    generate,
    read,
    spread,
    without_names,
)
from tosa_conformance.play import Outcome, Played, Way, play
from tosa_conformance.report import count

import hwc

SEED = 7


@pytest.mark.parametrize(("operator", "profile"), [("clamp", "pro-int"), ("erf", "pro-fp")])
def test_a_few_official_tests(tmp_path, operator, profile):
    suite = Suite(VERSION, SEED, (profile,))
    folder = suite.folder(tmp_path)
    assert folder.parent.name == "seed-7"
    folders = generate(suite, operator, folder)
    names = [path.name for path in folders]
    assert any("ERRORIF_WrongInputList" in name for name in names)
    played = [play(path, Way("accel")) for path in folders if "f16" not in path.name]
    positive = [p for p in played if not p.case.rule]
    negative = [p for p in played if p.case.rule]
    assert len(positive) > 5
    assert negative
    for found, verdict in ((positive, "passed"), (negative, "right reason")):
        assert count(found) == {form: {verdict: len(found)} for form in ("static", "dynamic")}
    for case in (p.case for p in positive):
        source, others = dynamic(case.program)
        inputs = hwc.compile(source, "tiny").package.inputs
        assert len(inputs) == len(others) + len(case.description["ifm_file"])
        assert not [n for one in inputs for n in one.shape if isinstance(n, int)]
    kept = folders[0] / "desc.json"
    before = kept.stat().st_mtime_ns
    assert generate(suite, operator, folder) == folders
    assert kept.stat().st_mtime_ns == before


@pytest.mark.long
@pytest.mark.parametrize("operator", ["gather", "slice", "max_pool2d", "cond_if"])
def test_negative_tests_of_operators_on_the_host(tmp_path, operator):
    suite = Suite(VERSION, SEED, HOST_PROFILES)
    folders = generate(suite, operator, suite.folder(tmp_path), "negative")
    played = [play(path, Way("accel")) for path in folders]
    assert len(played) > 5
    assert all(p.case.rule for p in played)
    verdict = "other reason" if operator == "cond_if" else "right reason"
    found = count(played)
    assert found["static"] == {verdict: len(played)}
    assert set(found["dynamic"]) <= {"right reason"}


def test_what_a_stopped_run_left_is_generated_again(tmp_path):
    (tmp_path / "clz.part").mkdir()
    (tmp_path / "clz.part" / "desc.json").touch()
    assert (
        generate(Suite(VERSION, 42, ("pro-fp",)), "clz", tmp_path) == []
    )  # an operator of the other profile
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clz"]


def test_tests_of_every_operator_and_type_are_chosen(tmp_path):
    kinds = [("abs", "i32"), ("abs", "i32"), ("abs", "f32"), ("exp", "f32"), ("exp", "f32")]
    cases = [Case(tmp_path / str(n), *kind, "", "") for n, kind in enumerate(kinds)]
    negative = Case(tmp_path, "tanh", "", "", "RankMismatch")
    chosen = spread([negative, *cases], 4)
    assert [case.folder.name for case in chosen] == ["0", "2", "3", "1"]
    assert len(spread([negative, *cases], 9)) == 5


def test_the_names_of_negative_tests_are_removed():
    selection = {"default": {}, "tosa-pro-fp": {"errorifs": {"Rule": ["name"]}, "maximum": 2}}
    config = {"$comment": "text", "abs": {"group": "g", "selection": selection}}
    assert without_names(config) == {
        "$comment": "text",
        "abs": {"group": "g", "selection": {"default": {}, "tosa-pro-fp": {"maximum": 2}}},
    }


def test_a_generator_that_fails(tmp_path):
    with pytest.raises(ConformanceError, match="the generator fails for abs, seed -1"):
        generate(Suite(VERSION, -1, ("pro-int",)), "abs", tmp_path)
    with pytest.raises(ConformanceError, match="have to include pro-int or pro-fp"):
        generate(Suite(VERSION, 1, ("ext-int16",)), "abs", tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--filter", "conv.*"], "error: no operator is called 'conv.*'\n"),
        (["--filter", "abs", "--targets", "none"], "error: "),
    ],
)
def test_errors_of_the_command(capsys, options, message):
    assert main(options) == 1
    got = capsys.readouterr()
    assert got.err.startswith(message)
    assert not got.out


def test_without_the_tools(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert main(["--filter", "abs"]) == 1
    said = "error: the official tests need tosa-tools: pip install -e '.[test]'\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--filter", "("], "argument --filter: '(' is no regular expression: "),
        (["--workers", "0"], "argument --workers: got '0', expected a number from 1"),
        (["--profiles", "pro"], "argument --profiles: invalid choice: 'pro'"),
    ],
)
def test_options(capsys, options, message):
    with pytest.raises(SystemExit):
        main(options)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("verdict", "code"), [("passed", 0), ("refused", 0), ("wrong", 1)])
def test_the_command(monkeypatch, capsys, tmp_path, tasks_at_once, verdict, code):
    """A page, progress on a terminal, and exit code 1 if a result is wrong."""
    folder = example(tmp_path / "abs", "abs", np.array([-1], np.int32), {"mode": "EXACT"})
    played = Played(read(folder), Outcome(verdict), Outcome("passed"))

    def play_all(folders, way, workers, show, kept):
        assert kept.find("anything") is None
        show(3)
        return [played]

    monkeypatch.setattr(command, "play_all", play_all)
    monkeypatch.setattr(command, "generate", lambda *_: [folder] * 4)
    monkeypatch.setattr(command, "REPORTS", tmp_path)
    monkeypatch.setattr(command, "BUILD", tmp_path)
    for terminal in (False, True):
        monkeypatch.setattr("sys.stderr.isatty", lambda terminal=terminal: terminal)
        assert main(["--filter", "abs", "--targets", "tiny", "--workers", "1"]) == code
        got = capsys.readouterr()
        assert got.out.startswith("# Conformance\n")
        assert ("seed 42, tiny:  75%|" in got.err) == terminal
        assert ("error: 1 result wrong or missing" in got.err) == bool(code)
    assert main(["--write"]) == code
    assert f"see {tmp_path / 'conformance.md'}" in capsys.readouterr().out
    assert (tmp_path / "conformance.md").read_text().startswith("# Conformance\n")


@pytest.mark.parametrize(("value", "error"), [(-8, 3), (-7, 1), (-6, 1), (-5, 3)])
def test_an_inexact_rescale_may_round_either_way(capfd, value, error):
    info = {"mode": "RESCALE_INEXACT", "data_type": "INT16", "shape": [2]}
    info["rescale_inexact_info"] = {"unsigned_data": False}
    low, above, output = (np.array([5, n], np.int16) for n in (-7, -6, value))
    config = {"version": "1.2", "tensors": {"y": info}}
    assert library().verify_data("y", config, output, low, above) == (error <= 1)
    assert largest_error(output, low, above, info) == error
    capfd.readouterr()  # what the library says


MODES = [
    ({"mode": "ULP", "ulp_info": {"ulp": 100}}, 1e-40, None),
    ({"mode": "ULP", "ulp_info": {"ulp": 100}}, 1.3, None),
    ({"mode": "PRECOMPUTED"}, 9.0, 1e-3),
    ({"mode": "ABS_ERROR", "abs_error_info": {"base_bound": 3}}, 20.0, 90.0),
    ({"mode": "ABS_ERROR", "abs_error_info": {"base_bound": 3}}, 1e-39, 170.0),
    ({"mode": "ABS_ERROR", "abs_error_info": {"base_bound": 90, "lower_bound": 0.5}}, 1e-5, 1.0),
    (
        {
            "mode": "ABS_ERROR",
            "abs_error_info": {
                "bound_as_magnitude": True,
                "normal_divisor": 2,
                "base_bound": 2.0,
                "max_compare": 3.7e-38,
            },
        },
        0.3,
        -5.0,
    ),
]


@pytest.mark.parametrize(("mode", "reference", "limit"), MODES)
def test_the_bounds_are_the_official_ones(capfd, mode, reference, limit):
    """A little less than the bound is allowed, a little more is not."""
    info = {**mode, "data_type": "FP32", "shape": [1]}
    expected = np.array([reference])
    limits = None if limit is None else np.array([limit])
    (allowed,) = bounds(expected, limits, info)
    config = {"version": "1.2", "tensors": {"y": info}}
    for factor, right in ((0.95, True), (1.05, False), (-0.95, True), (-1.05, False)):
        output = (expected + factor * allowed).astype(np.float32)
        assert library().verify_data("y", config, output, expected, limits) == right
    assert "deviance" in capfd.readouterr().err  # it says so; the test is not to
