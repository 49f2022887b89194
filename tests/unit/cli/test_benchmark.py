"""`hwc benchmark`: what it measures, prints and refuses."""

import json
import re

import numpy as np
import pytest

from hwc import package as hwx
from hwc.cli import benchmark
from hwc.cli.main import main
from hwc.runtime.phases import PHASES
from hwc.runtime.program import Program

INPUTS = ("--input", "random:4x5", "--input", "1x5xf32=2")


@pytest.fixture
def hwxfile(tmp_path, binary_package):
    path = tmp_path / "add.hwx"
    hwx.save(binary_package(), path)
    return str(path)


def test_the_report(hwxfile, capsys):
    assert main(["benchmark", hwxfile, *INPUTS, "--calls", "3"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert re.fullmatch(
        r"3 calls in \S+ s on simulator, target accel, after 3 to warm up", lines[0]
    )
    assert [line.split()[0] for line in lines[-len(PHASES) :]] == list(PHASES)
    shares = [float(re.search(r"([\d.]+) %", line)[1]) for line in lines[-len(PHASES) :]]
    assert sum(shares) == pytest.approx(100, abs=1)
    for start in ("cycles   ", "calls per second  ", "cycles simulated  ", "us per call"):
        assert any(line.replace("ms per", "us per").startswith(start) for line in lines)


def test_progress(hwxfile, told):
    assert main(["benchmark", hwxfile, *INPUTS, "--calls", "3", "--warm-up", "2"]) == 0
    outer = [tasks[0] for tasks in told if tasks]
    assert ("warming up", 2, 2, "calls") in outer
    assert ("measuring", 3, 3, "calls") in outer
    assert main(["benchmark", hwxfile, *INPUTS, "--time", "0.1"]) == 0
    assert ("measuring", 0, 1, "seconds") in [tasks[0] for tasks in told if tasks]


def test_json(hwxfile, capsys):
    options = ["--calls", "7", "--warm-up", "2", "--json"]
    assert main(["benchmark", hwxfile, *INPUTS, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["calls"], found["warm_up"], found["interrupted"]) == (7, 2, False)
    assert found["inputs"] == [
        {"name": "a", "type": "f32", "shape": [4, 5]},
        {"name": "b", "type": "f32", "shape": [1, 5]},
    ]
    x, y = np.zeros((4, 5), np.float32), np.zeros((1, 5), np.float32)
    assert found["cycles"] == Program(hwx.load(hwxfile))(x, y).cycles
    spread = found["seconds_per_call"]
    order = [spread[key] for key in benchmark.QUANTILES]
    assert order == sorted(order)
    assert found["seconds"] == pytest.approx(7 * spread["mean"])
    assert found["calls_per_second"] == pytest.approx(1 / spread["mean"])
    assert list(found["phases"]) == list(PHASES)
    assert sum(phase["share"] for phase in found["phases"].values()) == pytest.approx(1)
    means = sum(phase["mean"] for phase in found["phases"].values())
    assert means == pytest.approx(spread["mean"])


def test_calls_end_after_the_time(hwxfile, capsys):
    assert main(["benchmark", hwxfile, *INPUTS, "--time", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["calls"] == 1
    assert main(["benchmark", hwxfile, *INPUTS, "--time", "0.2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["calls"] > 1
    assert 0.1 < found["seconds"] < 5


def test_the_first_call_links_the_plan(hwxfile, capsys, monkeypatch):
    linked = []

    def count(package, plan, steps=None):
        linked.append(plan)
        return original(package, plan, steps)

    original = hwx.Package.link
    monkeypatch.setattr(hwx.Package, "link", count)
    assert main(["benchmark", hwxfile, *INPUTS, "--calls", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(linked) == 2  # the check of the arguments and the first call
    assert found["phases"]["link"]["first"] > found["phases"]["link"]["median"]


def phases(seconds):
    return dict.fromkeys(PHASES, seconds / len(PHASES))


def test_quantiles_of_known_times():
    """Calls of 1, 2, ... 100 seconds, after one of 500 and one of 50."""
    times = iter([500, 50, *range(1, 101)])
    measured = benchmark.measure(lambda: ("result", phases(next(times))), 2, 100, None)
    found = measured.summary()
    assert found["seconds"] == pytest.approx(5050)
    assert found["seconds_per_call"].pop("cpu") < 1
    assert found["seconds_per_call"] == pytest.approx(
        {
            "first": 500,
            "min": 1,
            "p25": 25.75,
            "median": 50.5,
            "p75": 75.25,
            "p99": 99.01,
            "max": 100,
            "mean": 50.5,
        }
    )
    share = 1 / len(PHASES)
    assert found["phases"]["link"] == pytest.approx(
        {"first": 500 * share, "median": 50.5 * share, "mean": 50.5 * share, "share": share}
    )


def interrupted(after):
    """A call of which one is interrupted by Ctrl-C."""
    left = iter(range(after))

    def timed(self, *arguments, plan=None):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return original(self, *arguments, plan=plan)

    original = Program.timed
    return timed


def test_an_interrupt_reports_what_was_measured(hwxfile, capsys, monkeypatch):
    monkeypatch.setattr(Program, "timed", interrupted(5))
    assert main(["benchmark", hwxfile, *INPUTS]) == 130
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("2 calls in ")
    assert first.endswith(", after 3 to warm up, interrupted")
    monkeypatch.setattr(Program, "timed", interrupted(1))
    assert main(["benchmark", hwxfile, *INPUTS, "--json"]) == 130
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--input", "4x5xf32"], 1, "got 1 argument, expected 2"),
        (["--input", "4x5xf32", "--input", "3x5xf32"], 1, "do not broadcast"),
        ([*INPUTS, "--device", "toaster"], 1, "--device: error: no device 'toaster'"),
        ([*INPUTS, "--plan", "best"], 1, "--plan: error: "),
        ([*INPUTS, "--calls", "0"], 2, "expected a whole number, 1 or more, got '0'"),
        ([*INPUTS, "--calls", "1000001"], 2, "expected 1000000 calls at most, got '1000001'"),
        ([*INPUTS, "--warm-up", "0"], 2, "expected a whole number, 1 or more, got '0'"),
        ([*INPUTS, "--time", "-1"], 2, "expected a finite number, 0 or more, got '-1'"),
        ([*INPUTS, "--time", "1", "--calls", "2"], 2, "not allowed with argument"),
    ],
)
def test_what_is_refused(hwxfile, capsys, options, code, message):
    try:
        assert main(["benchmark", hwxfile, *options]) == code
    except SystemExit as stop:
        assert stop.code == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
