"""Results of dispatches: types, ranks, broadcasting, in-place work, kernels in sequence."""

import itertools

import numpy as np
import pytest
from dispatch import DATA, Host, host, streams
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.errors import UserError
from isa.load import load
from sim import execute
from sim.memory import Memory
from sim.semantics.elements import memory_dtype, store
from sim.trace import StripRecord

DTYPES = {t.name: "u1" if t.kind == "boolean" else t.dtype for t in load().types.values()}
DTYPES = {name: dtype for name, dtype in DTYPES.items() if np.dtype(dtype).kind != "V"}
"""NumPy's type of elements in memory, where a boolean may be any byte, if NumPy has one."""


def values(kind: str, shape, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if load().types[kind].kind == "float":
        return rng.standard_normal(shape).astype(DTYPES[kind])
    info = np.iinfo(DTYPES[kind])
    return rng.integers(info.min, info.max, shape, DTYPES[kind], endpoint=True)


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
@pytest.mark.parametrize("rank", range(7))
def test_every_rank_and_all_broadcast_patterns(target, rank):
    shape = (2, 3, 1, 4, 2, 5)[:rank]
    a = values("i32", shape)
    for keep in itertools.product([True, False], repeat=rank):
        b = values("i32", tuple(n if k else 1 for n, k in zip(shape, keep, strict=True)), 1)
        h = host(target)
        addresses = [h.place(a), h.place(b), h.place(a)]
        text = streams(
            ("s0", "i32", 0, a.shape), ("s1", "i32", 1, b.shape), ("o0", "i32", 2, shape)
        )
        run = h.run(text + "loop\nsub.i32 o0, s0, s1\nend\nhalt", addresses)
        assert run.status == "done" and run.fault is None
        np.testing.assert_array_equal(h.read(addresses[2], a), a - b)
        assert run.counters["bytes_read"] == a.nbytes + b.nbytes
        assert run.counters["bytes_written"] == a.nbytes


@pytest.mark.parametrize(("source", "result"), list(itertools.product(DTYPES, DTYPES)))
def test_loads_and_stores_convert(source, result):
    h = host()
    a = values(source, (3, 111))
    out = np.zeros((3, 111), DTYPES[result])
    skew = 3 * load().types[result].bytes
    addresses = [h.place(a, load().types[source].bytes), h.place(out, skew)]
    text = streams(("s0", source, 0, a.shape), ("o0", result, 1, a.shape))
    before = h.memory.view(h.memory.base, h.memory.size).copy()
    assert h.run(text + "loop\nmov o0, s0\nend\nhalt", addresses).status == "done"
    lanes = (a != 0).astype("<i4") if source == "i1" else a
    floats = load().types[source].kind == "float"
    lanes = lanes.astype("<f4").view("<i4") if floats else lanes.astype("<i4")
    expected = np.empty(a.shape, memory_dtype(load().types[result]))
    store(expected, lanes, load().types[result])
    got = h.read(addresses[1], out)
    np.testing.assert_array_equal(got.view(expected.dtype), expected)
    # Nothing but the output and the images of the dispatch has changed.
    after = h.memory.view(h.memory.base, h.memory.size)
    changed = np.flatnonzero(before != after) + h.memory.base
    inside = (changed >= addresses[1]) & (changed < addresses[1] + out.nbytes)
    assert (inside | (changed < 0x30000)).all()


def test_smaller_ranks_are_padded_on_the_left():
    h = host()
    a, b = values("f32", (4, 5)), values("f32", (5,), 1)
    out = np.zeros((1, 4, 5), "<f4")
    addresses = [h.place(a), h.place(b), h.place(out)]
    text = streams(("s0", "f32", 0, (4, 5)), ("s3", "f32", 1, (5,)), ("o1", "f32", 2, (1, 4, 5)))
    assert h.run(text + "loop\nadd.f32 o1, s0, s3\nend\nhalt", addresses).status == "done"
    np.testing.assert_array_equal(h.read(addresses[2], out)[0], a + b)


def test_no_inputs():
    h = host()
    out = np.zeros((3, 100), "<i4")
    address = h.place(out, 4)
    run = h.run(streams(("o0", "i32", 0, (3, 100))) + "loop\nmov o0, #7\nend\nhalt", [address])
    assert (h.read(address, out) == 7).all()
    assert run.counters["bytes_read"] == run.counters["fetch_busy"] == 0
    assert run.counters["bytes_written"] == 1200


@pytest.mark.parametrize(
    "sizes", [((0,), (1,)), ((0, 5), (1, 5)), ((0, 5), (1,)), ((3, 0), (3, 1))]
)
def test_size_zero_does_nothing(sizes):
    h = host()
    first, second = sizes
    addresses = [h.place(values("f32", (16,))) for _ in range(3)]
    before = h.memory.view(addresses[0], 4096 * 3).copy()
    text = streams(("s0", "f32", 0, first), ("s1", "f32", 1, second), ("o0", "f32", 2, first))
    run = h.run(text + "loop\nadd.f32 o0, s0, s1\nend\nhalt", addresses)
    assert run.status == "done"
    assert run.counters["strips"] == 0 and run.counters["cycles"] > 0
    np.testing.assert_array_equal(h.memory.view(addresses[0], 4096 * 3), before)


def test_in_place_over_many_pieces():
    h = host()
    a, b = values("i32", (9, 50_000)), values("i32", (9, 1), 1)
    addresses = [h.place(a), h.place(b)]
    text = streams(("s0", "i32", 0, a.shape), ("s1", "i32", 1, b.shape), ("o0", "i32", 0, a.shape))
    assert h.run(text + "loop\nadd.i32 o0, s0, s1\nend\nhalt", addresses).status == "done"
    np.testing.assert_array_equal(h.read(addresses[0], a), a + b)


@pytest.mark.parametrize(
    "body", ["add.i32 o0, s0, s1\nmov o1, s0", "mov o1, s0\nadd.i32 o0, s0, s1"]
)
def test_in_place_output_does_not_change_what_the_other_output_sees(body):
    h = host()
    a, b = values("i32", (300,)), values("i32", (300,), 1)
    addresses = [h.place(a), h.place(b), h.place(a)]
    text = streams(
        ("s0", "i32", 0, (300,)),
        ("s1", "i32", 1, (300,)),
        ("o0", "i32", 0, (300,)),
        ("o1", "i32", 2, (300,)),
    )
    assert h.run(f"{text}loop\n{body}\nend\nhalt", addresses).status == "done"
    np.testing.assert_array_equal(h.read(addresses[0], a), a + b)
    np.testing.assert_array_equal(h.read(addresses[2], a), a)


def test_two_kernels_where_the_second_reads_what_the_first_wrote():
    h = host()
    a = values("f32", (70, 30))
    addresses = [h.place(a), h.place(a), h.place(a)]
    shape = (70, 30)
    first = streams(("s0", "f32", 0, shape), ("o0", "f32", 1, shape))
    second = streams(("s0", "f32", 1, shape), ("s1", "f32", 0, shape), ("o0", "f32", 2, shape))
    loops = (
        "loop\nadd.f32 v0, s0, #1.0f\nmul.f32 o0, v0, s0\nend\n",
        "loop\nsub.f32 o0, s0, s1\nend\n",
    )
    run = h.run(first + loops[0] + second + loops[1] + "halt", addresses)
    one = np.float32(1)
    np.testing.assert_array_equal(h.read(addresses[2], a), (a + one) * a - a)
    assert run.counters["strips"] == 2 * -(-a.size // 256)


def test_a_stream_read_twice_is_fetched_once_and_one_never_read_is_fetched():
    h = host()
    a = values("i32", (1000,))
    addresses = [h.place(a), h.place(a), h.place(a)]
    text = streams(("s0", "i32", 0, (1000,)), ("s1", "i32", 1, (1000,)), ("o0", "i32", 2, (1000,)))
    run = h.run(text + "loop\nmul.i32 o0, s0, s0\nend\nhalt", addresses)
    np.testing.assert_array_equal(h.read(addresses[2], a), a * a)
    assert run.counters["bytes_read"] == 8000


def test_sizes_from_parameters_and_offsets():
    h = host()
    a = values("i16", (40,))
    text = """base s0, i16, rank=1, p0, +20
    size s0, 0, p1
    base o0, i16, rank=1, p2, +6
    size o0, 0, p1
    loop
    not o0, s0
    end
    halt"""
    source, target = h.place(a), h.place(np.zeros(40, "<i2"))
    assert h.run(text, [source, 30, target]).status == "done"
    np.testing.assert_array_equal(h.read(target + 6, a[:30]), ~a[10:])


@settings(max_examples=200)
@given(st.lists(st.integers(1, 9), max_size=5), st.integers(1, 500))
def test_pieces_cover_a_space_once_in_order(shape, points):
    order = np.arange(int(np.prod(shape))).reshape(shape)
    parts = [order[p] for p in execute.pieces(shape, points)]
    assert all(part.size <= points or not shape for part in parts)
    np.testing.assert_array_equal(np.concatenate([p.ravel() for p in parts]), order.ravel())


def test_piece_size_changes_nothing(monkeypatch):
    a, b = values("f32", (7, 1, 30)), values("f32", (5, 1), 1)
    results = []
    for points in (1, 8, 100, 1 << 16):
        monkeypatch.setattr(execute, "PIECE_POINTS", points)
        h = host()
        addresses = [h.place(a), h.place(b), h.place(np.zeros((7, 5, 30), "<f4"))]
        text = streams(
            ("s0", "f32", 0, a.shape), ("s1", "f32", 1, b.shape), ("o0", "f32", 2, (7, 5, 30))
        )
        h.run(text + "loop\nmul.f32 v0, s0, s1\nadd.f32 o0, v0, #1.5f\nend\nhalt", addresses)
        results.append(h.read(addresses[2], np.zeros((7, 5, 30), "<f4")))
    for result in results:
        np.testing.assert_array_equal(result, a * b + np.float32(1.5))


BINARY = ("add.f32", "sub.f32", "mul.f32", "max.f32", "min.f32", "eq.f32", "copysign.f32", "xor")
OPERATIONS = {
    **dict.fromkeys(BINARY, 2),
    **dict.fromkeys(("abs.f32", "neg.f32", "mov", "not"), 1),
    **{"add.f16": 2, "sel": 3},
}
"""Operations that see which NaN an operand is, and others, with the numbers of their operands."""


@pytest.mark.parametrize("seed", range(40))
def test_nans_that_nobody_sees_are_not_made_canonical_and_no_bit_changes(monkeypatch, seed):
    """The same body gives the same bits if each operation is executed by itself."""
    rng = np.random.default_rng(seed)
    lines, readable = [], ["s0", "s1"]
    for _ in range(12):
        name = str(rng.choice(list(OPERATIONS)))
        result = f"v{rng.integers(4)}"
        operands = ", ".join(map(str, rng.choice(readable, OPERATIONS[name])))
        lines.append(f"{name} {result}, {operands}")
        readable = [*dict.fromkeys([*readable, result])]
    first, second = rng.choice(readable[2:], 2)
    lines += [f"xor o0, {first}, s0", f"add.f32 o1, {second}, s1"]
    numbers = rng.integers(-(2**31), 2**31, (2, 300), np.int32, endpoint=False)
    nans = rng.random((2, 300)) < 0.5
    numbers[nans] = (numbers[nans] & 0x007FFFFF) | rng.choice([0x7F800000, -0x00800000], nans.sum())
    quick, slow = (both_outputs(monkeypatch, each, lines, numbers) for each in (False, True))
    np.testing.assert_array_equal(quick, slow)


def both_outputs(monkeypatch, each, lines, numbers):
    """Run a body on two inputs, which executes each operation by itself or leaves NaNs."""
    if each:
        monkeypatch.setattr(execute, "with_any_nans", lambda kernel: [None] * len(kernel.body))
    h = host()
    addresses = [h.place(each) for each in (*numbers, *numbers)]
    codes = ("s0", "s1", "o0", "o1")
    text = streams(*((code, "f32", n, numbers[0].shape) for n, code in enumerate(codes)))
    body = "\n".join(lines)
    assert h.run(f"{text}loop\n{body}\nend\nhalt", addresses).status == "done"
    return [h.read(addresses[n], numbers[0]) for n in (2, 3)]


@pytest.mark.parametrize("producer", ["add.f32", "sub.f32", "mul.f32"])
@pytest.mark.parametrize(
    "observer",
    ["copysign.f32 v1, s0, v0", "mov v1, v0", "not v1, v0", "xor v1, s0, v0", "sel v1, s0, v0, s1"],
)
def test_who_sees_which_nan_a_number_is_sees_the_canonical_one(monkeypatch, producer, observer):
    bits = [0x7F800000, -0x00800000, 0x7FC12345, -0x003ABCDE, 0x3F800000, 0]
    numbers = np.array([(x, y) for x in bits for y in bits], np.int32).T
    lines = [f"{producer} v0, s0, s1", observer, "mov o0, v1", "mov o1, s0"]
    quick, slow = (both_outputs(monkeypatch, each, lines, numbers) for each in (False, True))
    np.testing.assert_array_equal(quick, slow)


def test_only_nans_that_nobody_sees_are_left(monkeypatch):
    found = []
    known = execute.with_any_nans
    monkeypatch.setattr(execute, "with_any_nans", lambda k: found.append(known(k)) or found[-1])
    h = host()
    a = values("f32", (10,))
    addresses = [h.place(a), h.place(a)]
    text = streams(("s0", "f32", 0, (10,)), ("o0", "f32", 1, (10,)))
    body = """
        add.f32 v0, s0, s0
        mul.f32 v1, v0, v0
        mov v2, v1
        sub.f32 v1, v2, v0
        add.f32 o0, v1, s0
    """
    h.run(f"{text}loop\n{body}end\nhalt", addresses)
    # v1 is copied bit by bit at first, and read by a sum later; the last sum is stored.
    assert found == [[np.add, None, None, np.subtract, None]]


def test_progress_counts_the_points_of_all_kernels(monkeypatch, told):
    monkeypatch.setattr(execute, "PIECE_POINTS", 8)
    h = host()
    a, wide = values("i32", (3, 10)), values("i32", (50,))
    addresses = [h.place(a), h.place(a), h.place(wide), h.place(wide)]
    texts = (
        streams(("s0", "i32", number, array.shape), ("o0", "i32", number + 1, array.shape))
        + "loop\nnot o0, s0\nend\n"
        for number, array in ((0, a), (2, wide))
    )
    h.run("".join(texts) + "halt", addresses)
    done = [each for tasks in told for _, each, *_ in tasks]
    assert done == [8, 16, 24, 30, 38, 46, 54, 62, 70, 78, 80]
    assert {(name, of, unit) for tasks in told for name, _, of, unit in tasks} == {
        ("simulating", 80, "points")
    }


def test_timing_off_gives_the_same_results_and_no_counters():
    h = host()
    a = values("i32", (10,))
    addresses = [h.place(a), h.place(a)]
    text = streams(("s0", "i32", 0, (10,)), ("o0", "i32", 1, (10,))) + "loop\nnot o0, s0\nend\nhalt"
    run = h.run(text, addresses, with_timing=False)
    assert run.status == "done" and run.counters == {}
    np.testing.assert_array_equal(h.read(addresses[1], a), ~a)


def test_counters_have_the_hosts_names_in_its_order():
    run = host().run("halt", [])
    assert list(run.counters) == list(load().counters)


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_halt_alone_costs_the_fetch_of_the_images_and_one_word(target):
    h = host(target)
    constants, gap = load().timing, h.target.burst_gap
    # One word each: a burst of one beat each, the second a gap after the first.
    expected = max(1, gap) + 1 + h.target.memory_latency + constants.load + constants.word
    assert h.run("halt", []).counters["cycles"] == expected


class TestHostErrors:
    """What only a wrong host or test can cause is a message, not a fault."""

    def run(self, **changes):
        h: Host = host()
        arguments = {"window": (0x30000, 0x40000)} | changes
        return h.run("halt", [], **arguments)

    @pytest.mark.parametrize("window", [(0x30001, 0x40000), (0x30000, 0x40800), (-4096, 0x40000)])
    def test_window_alignment(self, window):
        with pytest.raises(UserError, match=r"window_(base|limit).*multiple of 4096"):
            self.run(window=window)

    def test_window_outside_of_memory(self):
        with pytest.raises(UserError, match="not inside the simulated memory"):
            self.run(window=(0x30000, 0x40000000))

    def test_memory(self):
        memory = Memory(100, 0x2000)
        assert memory.view(0x2000, 100).size == 100
        for address, size in ((0x1FFF, 1), (0x2000, 101), (0x2064, 1), (0x2000, -1)):
            with pytest.raises(UserError, match="outside of the simulated memory"):
                memory.view(address, size)
        with pytest.raises(UserError, match="negative"):
            Memory(-1)
        with pytest.raises(UserError, match="multiple of 4096"):
            Memory(1, 0x800)

    def test_views_are_aligned_as_addresses_are(self):
        memory = Memory(1 << 14)
        for address in (0x1000, 0x1040, 0x2008):
            assert memory.view(address, 8).ctypes.data % 4096 == address % 4096


def test_a_dispatch_that_ran_before():
    """Only what depends on no element is kept: a change of memory, packet or program counts."""
    h = host()
    a = values("f32", (3, 100))
    x, y, out = h.place(a), h.place(2 * a), h.place(a)
    text = streams(("s0", "f32", 0, a.shape), ("o0", "f32", 1, a.shape)) + "loop\n{} o0, s0\n"
    text += "end\nhalt"
    negated, absolute = text.format("neg.f32"), text.format("abs.f32")
    first = h.run(negated, [x, out])
    np.testing.assert_array_equal(h.read(out, a), -a)
    h.memory.view(x, a.nbytes)[:] = h.memory.view(y, a.nbytes)
    assert h.run(negated, [x, out]) == first
    np.testing.assert_array_equal(h.read(out, a), -2 * a)
    h.run(absolute, [x, out])
    np.testing.assert_array_equal(h.read(out, a), np.abs(2 * a))
    assert h.run(negated, [x, y]) == first
    np.testing.assert_array_equal(h.read(y, a), -2 * a)
    faults = [
        h.run(negated, [x, 0]).fault,
        h.run(negated, [x, out], window=(DATA, out & -4096)).fault,
    ]
    assert [fault and fault.name for fault in faults] == ["out_of_window"] * 2
    records: list[StripRecord] = []
    assert h.run(negated, [x, out], trace=records) == first
    assert h.run(negated, [x, out], with_timing=False).counters == {}
    assert {record.strip for record in records} == set(range(first.counters["strips"]))
    first.counters["cycles"] = 0  # the caller's own
    assert h.run(negated, [x, out]).counters["cycles"] > 0
