"""Programs that several threads call at the same time, and hardware whose process ends."""

from __future__ import annotations

import itertools
import os
import signal
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from lockstep.support import PROGRAMS

import hwc
from hwc.errors import DispatchError
from hwc.runtime.preparation import LINKED_PLANS
from hwc.runtime.program import Program
from hwc.runtime.rtl import RtlDevice
from isa.target import load_target
from rtl_models.simulation.build import build, find_build
from rtl_models.simulation.errors import HardwareError, KilledError
from rtl_models.simulation.session import Session
from rtl_models.tb.tools import need_tools

THREADS = 8
CALLS = 12
"""Calls of each thread."""
LIMIT = 120.0
"""Seconds that the calls of all threads may take: without a lock some would wait for ever."""


def add(device: str | RtlDevice = "simulator") -> Program:
    compiled = hwc.compile(PROGRAMS / "add.mlir", "tiny")
    return Program(compiled.package, device)


@pytest.fixture
def hardware():
    need_tools()
    build(load_target("tiny"))
    device = RtlDevice(load_target("tiny"))
    yield device
    device.close()


def call(program: Program, number: int) -> None:
    """Call with sizes and values of its own, and check every element."""
    rows, columns = 1 + number % 5, 1 + number % 7
    a = np.arange(rows, dtype=np.float32).reshape(rows, 1) + number
    b = np.arange(columns, dtype=np.float32).reshape(1, columns) * number
    np.testing.assert_array_equal(program(a, b).outputs[0], a + b)


def test_closing_a_program_ends_the_process():
    need_tools()
    with hwc.compile(PROGRAMS / "add.mlir", "tiny", device="rtl") as program:
        call(program, 1)
        process = program._device._session._process
        assert process.poll() is None
    assert process.poll() is not None
    with pytest.raises(DispatchError, match="is closed"):
        call(program, 1)
    program.close()


def call_at_once(program: Program) -> None:
    ready, errors = threading.Barrier(THREADS), []

    def calls(thread: int) -> None:
        try:
            ready.wait()
            for number in range(CALLS):
                call(program, thread * CALLS + number)
        except BaseException as error:  # for the thread of the test
            errors.append(error)

    threads = [threading.Thread(target=calls, args=(n,), daemon=True) for n in range(THREADS)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + LIMIT
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    if errors:
        raise errors[0]
    assert not any(thread.is_alive() for thread in threads), f"calls take more than {LIMIT} s"


def test_threads_share_the_simulator():
    call_at_once(add())


def test_threads_share_the_hardware(hardware):
    call_at_once(add(hardware))


def test_threads_share_the_linked_plans(monkeypatch):
    """Each call with a plan of its own: what is kept changes all the time."""
    monkeypatch.setattr("hwc.runtime.preparation.LINKED_PLANS", 1)
    assert LINKED_PLANS > 1
    program = add()
    plans = itertools.cycle([(), (0,)])
    monkeypatch.setattr(
        "hwc.runtime.preparation.ready_steps", lambda package, plan: [time.sleep(0)]
    )
    with ThreadPoolExecutor(THREADS) as pool:
        linked = list(pool.map(lambda _: program._prepared.linked(next(plans)), range(2000)))
    assert all(steps == [None] for steps in linked)


def test_hardware_that_has_ended_is_started_again(hardware):
    program = add(hardware)
    call(program, 1)
    process = hardware.session(1)._process
    process.kill()
    process.wait()
    call(program, 2)
    assert hardware.session(1)._process.pid != process.pid


def test_a_call_whose_process_is_killed_runs_again(hardware, monkeypatch):
    program, wait = add(hardware), Session.wait
    killed: list[int] = []

    def kill_first(self, cycles):
        if not killed:
            killed.append(self._process.pid)
            os.kill(self._process.pid, signal.SIGKILL)
        return wait(self, cycles)

    monkeypatch.setattr(Session, "wait", kill_first)
    call(program, 3)
    assert len(killed) == 1


def test_a_process_that_is_killed_again_is_reported(hardware, monkeypatch):
    program, wait = add(hardware), Session.wait

    def kill(self, cycles):
        os.kill(self._process.pid, signal.SIGKILL)
        return wait(self, cycles)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "wait", kill)
        with pytest.raises(KilledError, match="target tiny was ended by SIGKILL"):
            call(program, 4)
    call(program, 5)


@pytest.mark.parametrize("error", [KeyboardInterrupt, HardwareError])
def test_a_call_that_is_interrupted_leaves_nothing_to_the_next(hardware, monkeypatch, error):
    """The answer to the interrupted command must not be taken for the answer to another."""
    program = add(hardware)
    call(program, 6)
    process = hardware.session(1)._process
    ask = Session._ask

    def interrupted(self, command):
        if command.startswith("wait"):
            self._bench.busy = True
            self._send(command)
            raise error
        return ask(self, command)

    with monkeypatch.context() as patch, pytest.raises(error):
        patch.setattr(Session, "_ask", interrupted)
        call(program, 7)
    assert process.poll() is not None, "the process still runs"
    call(program, 8)


def test_one_build_serves_every_size_of_memory(hardware):
    need_tools()
    executable = find_build(load_target("tiny"))
    small, large = hardware.session(1), hardware.session(1 << 24)
    assert (small.memory_bytes, large.memory_bytes) == (1 << 20, 1 << 24)
    assert small._process.args[0] == large._process.args[0] == str(executable)
    program = add(hardware)
    a = np.ones((1 << 20, 1), np.float32)
    assert (program(a[:99], a[:1]).outputs[0] == 2).all()
    large.load(large.memory_base + (1 << 24) - 64, np.full(64, 7, np.uint8))
    assert (large.save(large.memory_base + (1 << 24) - 64, 64) == 7).all()


def test_a_session_keeps_no_files(hardware, tmp_path, monkeypatch):
    """A temporary folder that cannot be used does not matter."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    call(add(hardware), 9)
    open_files = Path(f"/proc/{hardware.session(1)._process.pid}/fd")
    links = [os.readlink(link) for link in open_files.iterdir()]
    on_disk = [link for link in links if link.startswith("/")]
    assert all(link.startswith(("/memfd:", "/dev/")) for link in on_disk), on_disk


def test_memory_that_the_host_does_not_have(hardware):
    with pytest.raises(HardwareError, match="error: no 4611686018427387904 bytes of memory"):
        hardware.session((1 << 61) + 1)
    call(add(hardware), 10)
