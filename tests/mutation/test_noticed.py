"""What is said of a bug that was noticed, from outputs of the tests that notice them."""

from __future__ import annotations

import pytest
from mutation.noticed import noticed

LOCKSTEP = """\
________________________ test_random_dispatches[0-tiny] ________________________
dispatch 6: the first strip that differs: kernel 0, strip 1, fetch: begin and end in the \
simulator (446, 446), in hardware (438, 438)
dispatch 6: fault (name, pc, stream, dimension): simulator ('overlap', 4, 40, 0), hardware None
dispatch 6: status: simulator fault, hardware done
dispatch 6: counter cycles: simulator 819, hardware 811
dispatch 6: counter lane_stall_input: simulator 119, hardware 111
dispatch 6: 10 bytes of memory (simulator and hardware): 0x2384e: 0xfe and 0x00
"""
DIED = """\
dispatch 3: error: the hardware for target tiny stopped by itself:
[7420] %Error: latency_pad.sv:63: Assertion failed in TOP.machine_bench.u_machine.u_pipe.u_lanes: \
two results at once (the simulator takes 985 cycles)
%Error: copy0/rtl_models/vector/latency_pad.sv:63: Verilog $stop
"""
HANGS = """\
dispatch 3: error: the hardware for target tiny does not come to an end within 20400 cycles; this \
is a defect worth reporting (the simulator takes 200 cycles)
"""
COCOTB = """\
E       AssertionError: unit_bench for tiny: 2 of 2 tests failed, see the output
          Traceback (most recent call last):
            File "copy0/rtl_models/tb/unit_testbench.py", line 48, in reset
          AssertionError: 2 of 183 wrong, first: sub.f32 a=c0490fdb b=b4000000 c=00000000: expected
          assert 2 == 0
"""
PLAIN = """\
>       assert same(session.run(*images(dispatch)), run)
E       AssertionError: assert False
E        +  where False = same(Report(status='fault'
"""


ARRAYS = """\
>           np.testing.assert_array_equal(session.save(MEMORY_BASE), after)
E           AssertionError:\x20
E           Arrays are not equal
"""


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (LOCKSTEP, "differs: the fault, memory, counter cycles, counter lane_stall_input, …"),
        (LOCKSTEP.splitlines(keepends=True)[1], "differs: the time of a strip in fetch"),
        (DIED, "assertion in latency_pad: two results at once"),
        (HANGS, "differs: no end"),
        (COCOTB, "2 of 183 wrong, first: sub.f32 a=c0490fdb b=b4000000 c=00000000: expected"),
        (f"E  AssertionError: {'w' * 100}\n", "w" * 100),
        (f"E  AssertionError: of {'w' * 90}: fault 1, not 2\n", "of … fault 1, not 2"),
        (PLAIN, "assert same(session.run(*images(dispatch)), run)"),
        (ARRAYS, "np.testing.assert_array_equal(session.save(MEMORY_BASE), after)"),
        (repr([DIED]), "assertion in latency_pad: two results at once"),
        ("E       AssertionError: a|b\n", "a/b"),
        (
            "E       AssertionError: points are wrong: Case(streams={1: 2}): s0\n",
            "points are wrong",
        ),
        ("E       AssertionError: got 1, expected 2 Dispatch(words=(1,))\n", "got 1, expected 2"),
        ("nothing that is known\n", ""),
    ],
)
def test_noticed(output, words):
    assert noticed(output) == words
