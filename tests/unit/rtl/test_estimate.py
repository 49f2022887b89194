"""The estimate of the slowest paths: cells by hand, whose delays are sums of the module's."""

from types import SimpleNamespace

import pytest

import rtl_models.synthesis.__main__ as command
from rtl_models.synthesis.estimate import DOUBLING, WIRE, Crossing, slowest

FROM_FLIP_FLOP, FROM_MEMORY, LUT = 0.52, 5.83, 0.24


def cell(type_, **ports):
    """Return a cell; the ports in capitals that drive are Q, Z, S0, S1, COUT, DO and DOB0."""
    out = {"Q", "Z", "S0", "S1", "COUT", "DO", "DOB0", "P0"}
    return {
        "type": type_,
        "port_directions": {p: "output" if p in out else "input" for p in ports},
        "connections": {p: n if isinstance(n, list) else [n] for p, n in ports.items()},
    }


def flip_flop(d, q):
    return cell("TRELLIS_FF", CLK=1, DI=d, Q=q)


def lut(z, *inputs):
    return cell("LUT4", Z=z, **dict(zip("ABCD", inputs, strict=False)))


def only(cells):
    (crossing,) = slowest(cells, 0)
    return crossing


def test_a_wire():
    cells = {"a": flip_flop("0", 2), "b": flip_flop(2, 3)}
    assert only(cells) == Crossing(pytest.approx(FROM_FLIP_FLOP + WIRE), "a", "b", 1)


def test_the_longest_way_counts():
    cells = {
        "a": flip_flop("0", 2),
        "near": lut(3, 2),
        "far": lut(4, 3),
        "last": lut(5, 2, 4),
        "b": flip_flop(5, 6),
    }
    two_readers = WIRE + DOUBLING
    ns = FROM_FLIP_FLOP + two_readers + LUT + WIRE + LUT + WIRE + LUT + WIRE
    assert only(cells) == Crossing(pytest.approx(ns), "a", "b", 1)


def test_each_doubling_of_the_readers_takes_as_long():
    cells = {"a": flip_flop("0", 2)} | {f"b.{i}": flip_flop(2, 10 + i) for i in range(8)}
    ns = FROM_FLIP_FLOP + WIRE + 3 * DOUBLING
    assert only(cells) == Crossing(pytest.approx(ns), "a", "b", 8)


def test_a_net_of_a_thousand_readers_is_as_one_of_256():
    cells = {"a": flip_flop("0", 2)} | {f"b.{i}": flip_flop(2, 10 + i) for i in range(1000)}
    assert only(cells).ns == pytest.approx(FROM_FLIP_FLOP + WIRE + 8 * DOUBLING)


def test_a_carry_has_no_wire():
    cells = {
        "a": flip_flop("0", 2),
        "low": cell("CCU2C", A0=2, CIN="0", COUT=3),
        "middle": cell("CCU2C", A0="1", CIN=3, COUT=4),
        "high": cell("CCU2C", A0="1", CIN=4, S1=5),
        "b": flip_flop(5, 6),
    }
    ns = FROM_FLIP_FLOP + WIRE + 0.45 + 0.07 + 0.44 + WIRE
    assert only(cells).ns == pytest.approx(ns)


def test_a_block_ram_is_slow_and_ends_paths():
    cells = {
        "rows.0.1": cell("DP16KD", CLKB=1, ADB0=3, DOB0=2),
        "lut": lut(3, 2),
    }
    ns = FROM_MEMORY + WIRE + LUT + WIRE
    assert only(cells) == Crossing(pytest.approx(ns), "rows", "rows", 1)


def test_a_small_memory_is_read_in_passing_and_written_with_the_clock():
    cells = {
        "a": flip_flop("0", 2),
        "words.0": cell("TRELLIS_DPR16X4", WCK=1, RAD=[2], WAD=[7], DI=[8], DO=[3]),
        "b": flip_flop(3, 7),
        "c": flip_flop("0", 8),
    }
    found = {(c.start, c.end): c.ns for c in slowest(cells, 0)}
    wire = FROM_FLIP_FLOP + WIRE
    assert found == {
        ("a", "b"): pytest.approx(wire + LUT + WIRE),
        ("b", "words"): pytest.approx(wire),
        ("c", "words"): pytest.approx(wire),
    }


def test_a_product():
    cells = {
        "a": flip_flop("0", 2),
        "product": cell("MULT18X18D", A0=2, P0=3),
        "b": flip_flop(3, 4),
    }
    assert only(cells).ns == pytest.approx(FROM_FLIP_FLOP + WIRE + 3.93 + WIRE)


def test_places_have_no_indices():
    cells = {
        r"lanes[1].a_q[3]\TRELLIS_FF_2": flip_flop("0", 2),
        r"lanes[0].a_q[1]\TRELLIS_FF": flip_flop("0", 3),
        r"lanes[0].b_q[0]\TRELLIS_FF": flip_flop(2, 4),
        r"lanes[1].b_q[0]\TRELLIS_FF": flip_flop(3, 5),
    }
    assert only(cells) == Crossing(
        pytest.approx(FROM_FLIP_FLOP + WIRE), "lanes.a_q", "lanes.b_q", 2
    )


def test_inputs_clocks_and_fast_paths_do_not_count():
    cells = {"a": flip_flop(9, 2), "b": cell("TRELLIS_FF", CLK=2, LSR=2, DI="0", Q=3)}
    assert slowest(cells, 0) == []
    cells["c"] = flip_flop(2, 4)
    assert len(slowest(cells, 1)) == 1
    assert slowest(cells, 10) == []


def test_a_path_longer_than_pythons_stack():
    cells = {"a": flip_flop("0", 2), "b": flip_flop(5002, 6000)}
    cells |= {f"lut{i}": lut(3 + i, 2 + i) for i in range(5000)}
    assert only(cells).ns == pytest.approx(FROM_FLIP_FLOP + 5000 * (WIRE + LUT) + WIRE)


def test_the_command_prints_slow_paths_and_writes_no_report(tmp_path, monkeypatch, capsys):
    cells = {"a_q": flip_flop("0", 2), "b_q": flip_flop(2, 3)}
    synthesis = SimpleNamespace(target="tiny", netlists={})
    monkeypatch.setattr(command, "_synthesis", lambda *_: synthesis)
    monkeypatch.setattr(command, "mapped", lambda *_: cells)
    report = tmp_path / "report.md"
    options = ["--folder", str(tmp_path), "--output", str(report), "tiny", "--estimate"]
    assert command.main(options) == 0
    assert capsys.readouterr().out == "    ns  ends  from -> to\n"
    assert command.main([*options, "--least-ns", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["   1.3     1  a_q -> b_q"]
    assert not report.exists()
