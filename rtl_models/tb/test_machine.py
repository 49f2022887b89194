"""Bench of the whole machine on cocotbext-axi's memory and host: any timing of the bus, same bits.

Random dispatches, legal ones and spoiled ones, run while memory hesitates on all five channels and
answers late. Memory, status, fault, and the counters that no timing changes are as the simulator
says; the bus carries the operands' words, each output byte once, and nothing else. What the machine
puts on the bus is checked in every cycle by `axi_checker`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from random import Random

import pytest

from isa.asm import assemble
from isa.load import load
from isa.target import Target
from rtl_models.tb.bench import Bench, build, targets
from rtl_models.tb.machine_cases import Played, Setting
from rtl_models.tb.random_dispatches import (
    IMAGES,
    MEMORY_BASE,
    MEMORY_BYTES,
    Dispatch,
    Generator,
    Limits,
)

SEED = 1
SEEDS = 12
LONG_CHUNKS = 10
SLOW = 1000
"""Cycles of a memory that is so slow that the machine asks for as much as it may."""


@pytest.fixture(scope="module", params=targets("tiny", others=["accel", "wide"]))
def bench(request: pytest.FixtureRequest) -> Bench:
    """The machine of a target."""
    return build("machine_cocotb", request.param)


def play(bench: Bench, folder: Path, settings: Iterable[Setting]) -> None:
    """Hand cases to the testbench and run them."""
    save(folder, settings)
    run(bench, folder, "dispatches")


def save(folder: Path, settings: Iterable[Setting]) -> None:
    """Write cases where the testbench finds them."""
    cases: list[dict[str, object]] = []
    for number, setting in enumerate(settings):
        cases.append(asdict(setting.case))
        (folder / f"{number}.before").write_bytes(setting.before)
        (folder / f"{number}.after").write_bytes(setting.after)
    assert cases
    memory = {"base": MEMORY_BASE, "size": MEMORY_BYTES}
    text = json.dumps({**memory, "cases": cases})
    (folder / "cases.json").write_text(text, encoding="utf-8")


def run(bench: Bench, folder: Path, test: str, testbench: str = "machine_testbench") -> None:
    """Run one of a testbench's tests."""
    environment = {"HWC_CASES": str(folder), "COCOTB_TEST_FILTER": f"{test}$"}
    bench.run(testbench, SEED, folder, environment=environment)


def drawn(target: Target, seed: int, *, spoiled: bool = True, points: int = 500) -> Played:
    """A random dispatch; the others of this kind have other seeds."""
    limits = Limits(kernels=2, points=points, body=6, spoiled=spoiled)
    return Played(target, str(seed), Generator(target, seed, limits).draw())


def test_dispatches(bench: Bench, tmp_path: Path) -> None:
    """Whatever memory does, and whatever the dispatch: the same bits."""
    play(bench, tmp_path, (drawn(bench.target, n).whole(seed=n) for n in range(SEEDS)))


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(1, LONG_CHUNKS))
def test_many_dispatches(bench: Bench, tmp_path: Path, chunk: int) -> None:
    """More of them, some larger."""
    seeds = range(SEEDS * chunk, SEEDS * (chunk + 1))
    points = 3000 if chunk % 3 == 0 else 500
    play(bench, tmp_path, (drawn(bench.target, n, points=points).whole(seed=n) for n in seeds))


def crowd(target: Target) -> Played:
    """Bytes on every stream: the rings have room for many short bursts."""
    points, window = 20 * target.vlen, (MEMORY_BASE + IMAGES, MEMORY_BASE + MEMORY_BYTES)
    text, packet = [], [load().version]
    for number, stream in enumerate([f"s{n}" for n in range(target.input_streams)] + ["o0"]):
        text += [f"base {stream}, i8, rank=1, p{number}, +0", f"size {stream}, 0, #{points}"]
        packet.append(window[0] + points * number)  # whole bus words, as strips of bytes are
    words = assemble("\n".join([*text, "loop", "mov o0, s0", "end", "halt", ""]))
    data = Generator(target, 0, Limits()).draw().memory
    addresses = MEMORY_BASE, MEMORY_BASE + IMAGES // 2
    return Played(target, "crowd", Dispatch(words, packet, *addresses, window, data))


def test_the_memory_of_the_contract(bench: Bench, tmp_path: Path) -> None:
    """Another memory with the contract's latency and no stalls: the same cycles as well."""
    target = bench.target
    dispatches = [crowd(target), *(drawn(target, seed, points=1000) for seed in range(100, 108))]
    play(bench, tmp_path, [d.whole(latency=target.memory_latency) for d in dispatches])


def test_a_crowd_of_bursts(bench: Bench, tmp_path: Path) -> None:
    """Every stream reads as far ahead as it may: as many bursts wait as there may be."""
    setting = crowd(bench.target).whole(latency=SLOW)
    assert setting.case.status == "done"
    setting.case.crowd = True
    play(bench, tmp_path, [setting])


@pytest.mark.parametrize("kind", ["read", "write"])
def test_errors_on_the_bus(bench: Bench, tmp_path: Path, kind: str) -> None:
    """The kernel, or the load, goes on to its end; then the program stops. The next is as ever."""
    random = Random(f"{bench.target.name} {kind}")
    settings: list[Setting] = []
    seed = 200
    while len(settings) < 12:
        seed += 1
        if drawn(bench.target, seed, spoiled=False).beats(kind):
            settings.append(drawn(bench.target, seed, spoiled=False).failing(seed, kind, random))
            settings.append(drawn(bench.target, seed, spoiled=False).whole(seed=seed))
    play(bench, tmp_path, settings)


@pytest.mark.parametrize("kind", ["read", "write"])
def test_reset_with_bursts_on_the_way(bench: Bench, tmp_path: Path, kind: str) -> None:
    """Reset of everything in mid-run leaves no trace: the next run is like the first."""
    random = Random(f"{bench.target.name} {kind}")
    settings: list[Setting] = []
    seed = 300
    while len(settings) < 6:
        seed += 1
        beats = sum(drawn(bench.target, seed, spoiled=False).beats(kind))
        if beats > 20:
            setting = drawn(bench.target, seed, spoiled=False).whole(latency=SLOW // 10)
            setting.case.reset = kind, random.randrange(beats // 2)
            settings.append(setting)
    play(bench, tmp_path, settings)


@pytest.mark.parametrize("latency", [None, SLOW // 10])
def test_aborts(bench: Bench, tmp_path: Path, latency: int | None) -> None:
    """Aborted at any time, whatever memory does: the bus comes to rest, the next run is the first.

    With a latency, most aborts find more bursts on their way.
    """
    random = Random(f"{bench.target.name} {latency}")
    settings: list[Setting] = []
    for seed in range(400, 412):
        setting = drawn(bench.target, seed, spoiled=False).whole(seed=seed, latency=latency)
        setting.case.abort = random.randrange(setting.case.cycles)
        settings.append(setting)
    crowded = crowd(bench.target).whole(latency=latency)
    crowded.case.abort = crowded.case.cycles // 2
    play(bench, tmp_path, [*settings, crowded])


LAUNCHES = (
    *("launches", "tags", "overrun", "kept_counters"),
    *("fault_and_resume", "fault_and_flush", "abort_and_resume"),
)
"""Tests of `launches_testbench.py`."""


@pytest.mark.parametrize("test", LAUNCHES)
def test_launches(bench: Bench, tmp_path: Path, test: str) -> None:
    """Launches wait in the queue, fault and are aborted, while memory and host hesitate."""
    played = crowd(bench.target)
    endless = replace(played.dispatch, words=played.dispatch.words[:-1])
    wrong = Played(bench.target, "crowd without halt", endless).whole(seed=SEED)
    assert wrong.case.status == "fault"
    save(tmp_path, [played.whole(seed=SEED), wrong])
    run(bench, tmp_path, test, "launches_testbench")


def test_host_registers(bench: Bench, tmp_path: Path) -> None:
    """The host's side under back-pressure on all its channels."""
    run(bench, tmp_path, "host_registers")


def test_bus_attributes(bench: Bench, tmp_path: Path) -> None:
    """What bursts say of themselves is what the host asked for, on both channels."""
    save(tmp_path, [crowd(bench.target).whole(seed=SEED)])
    run(bench, tmp_path, "bus_attributes")
