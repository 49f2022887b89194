"""Every fault: code, pc, stream, dimension, cycles; and which of several wins."""

import numpy as np
import pytest
from dispatch import host, streams

from isa.asm import assemble
from isa.load import load
from isa.operands import O, S

GOOD = streams(("s0", "f32", 0, (4, 5)), ("s1", "f32", 1, (4, 1)), ("o0", "f32", 2, (4, 5)))
BODY = "loop\nadd.f32 o0, s0, s1\nend\nhalt"
LOOP = 9  # pc of loop in GOOD + BODY
ADDRESSES = [0x30000, 0x31000, 0x32000]


def fault_of(text, parameters=None, target="accel", **options):
    """Run and return (name, pc, stream, dimension); the code is checked to be the name's."""
    run = host(target).run(text, ADDRESSES if parameters is None else parameters, **options)
    assert run.status == "fault" and run.fault is not None
    fault = run.fault
    assert fault.code == load().faults[fault.name].code
    assert fault.text and fault.name in str(fault)
    return fault.name, fault.pc, fault.stream, fault.dimension


def test_the_good_program_is_good():
    assert host().run(GOOD + BODY, ADDRESSES).fault is None


@pytest.mark.parametrize(
    ("text", "name", "pc", "stream", "dimension"),
    [
        (".word 0xff\nhalt", "illegal_instruction", 0, 0, 0),
        (".word 0x100\nhalt", "illegal_instruction", 0, 0, 0),
        ("base s0, f32, rank=0, p0, +0\n.word 0x0501\nhalt", "illegal_operand", 1, 0, 0),
        ("base s6, f32, rank=0, p0, +0\nhalt", "illegal_operand", 0, 0, 0),
        ("base o2, f32, rank=0, p0, +0\nhalt", "illegal_operand", 0, 0, 0),
        ("size s0, 0, #1\nhalt", "bad_structure", 0, S(0), 0),
        (GOOD + "base s1, f32, rank=1, p0, +0\n", "bad_structure", 9, S(1), 0),
        (GOOD + "size s1, 2, #1\n", "bad_structure", 9, S(1), 2),
        (GOOD + "size s1, 1, #1\n", "bad_structure", 9, S(1), 1),
        ("base s2, f32, rank=1, p3, +0\nhalt", "bad_parameter", 0, S(2), 0),
        ("base o1, f32, rank=2, p0, +0\nsize o1, 1, p3\n", "bad_parameter", 1, O(1), 1),
        ("base o1, f32, rank=2, p0, +0\nsize o1, 1, #0x80000000\n", "bad_dimension", 1, O(1), 1),
        ("add.f32 v0, v0, v0\nhalt", "bad_structure", 0, 0, 0),
        ("end\nhalt", "bad_structure", 0, 0, 0),
        (GOOD, "bad_structure", 9, 0, 0),  # the program ends without halt
        ("loop\nend\nhalt", "bad_structure", 0, 0, 0),  # no output
        ("base s0, f32, rank=0, p0, +0\nloop\nend\nhalt", "bad_structure", 1, 0, 0),
        ("base o0, f32, rank=2, p0, +0\nsize o0, 0, #1\nloop\n", "bad_structure", 2, O(0), 1),
    ],
)
def test_configuration_words(text, name, pc, stream, dimension):
    assert fault_of(text) == (name, pc, stream, dimension)


@pytest.mark.parametrize(
    ("body", "name", "pc"),
    [
        ("", "bad_structure", 1),  # the program ends
        ("end", "bad_structure", 1),  # o0 never written
        ("mov v0, s0\nend", "bad_structure", 2),
        ("halt\nend", "bad_structure", 1),
        ("mov o0, s0\nloop\nend", "bad_structure", 2),
        ("mov o0, s0\nsize s0, 0, #1\nend", "bad_structure", 2),
        ("mov o0, v0\nend", "bad_structure", 1),  # read before written
        ("mov v1, s0\nadd.f32 o0, v1, v0\nend", "bad_structure", 2),
        ("mov o0, s3\nend", "bad_structure", 1),  # not configured
        ("mov o1, s0\nend", "bad_structure", 1),
        ("mov o0, s0\nmov o0, s0\nend", "bad_structure", 2),
        ("mov o0, s7\nend", "illegal_operand", 1),  # not of this target
        ("mov v16, s0\nend", "illegal_operand", 1),
        ("mov o0, s0\nmov o5, s0\nend", "illegal_operand", 2),
        ("mov o0, s0\n.word 0x7f\nend", "illegal_instruction", 2),
        (".word 0xa0010\nend", "illegal_operand", 1),  # mov v0, o0: outputs are not read
        (".word 0x83f10\nend", "illegal_operand", 1),  # mov to the immediate
    ],
)
def test_bodies(body, name, pc):
    assert fault_of(f"{GOOD}loop\n{body}") == (name, LOOP + pc, 0, 0)


CHAIN = "tanh.f32 t0, s0\nadd.f32 v0, t0, s1\ntanh.f32 t1, v0\nadd.f32 v1, t1, s1\n"


@pytest.mark.parametrize(
    ("copies", "body", "pc"),
    [
        # A special instruction makes a second phase, even if nothing follows it.
        (1, "tanh.f32 o0, s0\nend", 1),
        (2, "tanh.f32 o0, s0\nend", None),
        (2, "add.f32 v0, s0, s1\ntanh.f32 t0, v0\nadd.f32 o0, t0, s0\nend", None),
        (2, CHAIN, 3),
        (4, CHAIN + "tanh.f32 o0, v1\nend", None),
        (4, CHAIN + "tanh.f32 t0, v1\nadd.f32 v2, t0, s0\ntanh.f32 o0, v2\nend", 7),
        (2, "tanh.f32 t0, s0\nexp.f32 t1, t0\npow.f32 t2, t0, t1\nmov o0, t2\nend", None),
        # A strip has its part of the registers: accel has 16 vector registers, all have 16 others.
        (1, "mov v15, s0\nmov o0, v15\nend", None),
        (2, "mov v7, s0\nmov o0, v7\nend", None),
        (2, "mov v8, s0\nmov o0, v8\nend", 1),
        (4, "mov v4, s0\nmov o0, v4\nend", 1),
        (2, "tanh.f32 t7, s0\nmov o0, t7\nend", None),
        (4, "tanh.f32 t3, s0\nmov o0, t3\nend", None),
        (4, "tanh.f32 t4, s0\nmov o0, t4\nend", 1),
        (4, "mov v0, s0\nadd.f32 o0, v0, t7\nend", 2),
        (2, "mov o0, t0\nend", 1),  # read before written
        # The lanes of a phase may still read what its group would overwrite.
        (4, "tanh.f32 t0, s0\nmov v0, t0\ntanh.f32 t0, s1\nadd.f32 o0, v0, t0\nend", 3),
        (4, "tanh.f32 t0, s0\nmov v0, s0\ntanh.f32 t0, s1\nadd.f32 o0, v0, t0\nend", None),
        (4, CHAIN + "tanh.f32 t0, v1\nmov o0, t0\nend", None),
    ],
)
def test_phases_and_copies_of_the_registers(copies, body, pc):
    fault = host("accel").run(f"{GOOD}loop copies={copies}\n{body}\nhalt", ADDRESSES).fault
    found = fault and (fault.name, fault.pc, fault.stream)
    assert found == (None if pc is None else ("bad_structure", LOOP + pc, 0))


@pytest.mark.parametrize(
    ("sizes", "name", "stream", "dimension"),
    [
        (((4, 5), (3, 5), (4, 5)), "shape_mismatch", S(1), 0),
        (((4, 5), (3,), (4, 5)), "shape_mismatch", S(1), 1),
        (((5,), (2, 4), (2, 5)), "shape_mismatch", S(1), 1),
        (((0, 5), (5, 5), (0, 5)), "shape_mismatch", S(1), 0),
        (((4, 5), (4, 5), (4, 1)), "output_shape", O(0), 1),
        (((4, 1), (4, 1), (4, 5)), "output_shape", O(0), 1),
        (((4, 5), (4, 5), (5,)), "output_shape", O(0), 0),
        (((4, 5), (4, 5), (2, 4, 5)), "output_shape", O(0), 0),
        (((0,), (1,), (1,)), "output_shape", O(0), 0),
        (((1 << 16, 1), (1, 1 << 15), (1 << 16, 1 << 15)), "too_many_points", 0, 0),
    ],
)
def test_shapes(sizes, name, stream, dimension):
    kinds = zip(("s0", "s1", "o0"), sizes, strict=True)
    text = streams(*((s, "f32", n, shape) for n, (s, shape) in enumerate(kinds)))
    pc = 3 + sum(len(s) for s in sizes)
    assert fault_of(text + BODY) == (name, pc, stream, dimension)


def test_three_inputs_compare_with_what_is_inferred_so_far():
    text = streams(
        ("s0", "f32", 0, (1, 5)), ("s1", "f32", 0, (4, 1)), ("s2", "f32", 0, (3, 1)),
        ("o0", "f32", 2, (4, 5)),
    )  # fmt: skip
    assert fault_of(text + "loop\nmov o0, s0\nend\nhalt")[0::2] == ("shape_mismatch", S(2))


def test_too_many_points_counts_exactly():
    text = streams(("o0", "i8", 0, ((1 << 31) - 1,))) + "loop\nmov o0, #0\nend\nhalt"
    assert fault_of(text, [0x30000])[0] == "out_of_window"
    # A size of 0 makes it no points at all, however large the others are.
    text = streams(("o0", "i8", 0, (1 << 30, 1 << 30, 0))) + "loop\nmov o0, #0\nend\nhalt"
    assert host().run(text, [0x30000]).fault is None


@pytest.mark.parametrize(
    ("parameters", "name", "stream"),
    [
        ([0x30002, 0x31000, 0x32000], "misaligned", S(0)),
        ([0x30000, 0x31001, 0x32000], "misaligned", S(1)),
        ([0x30000, 0x31000, 0x32003], "misaligned", O(0)),
        ([0x2FFFC, 0x31000, 0x32000], "out_of_window", S(0)),
        ([0x30000, 0x34000 - 12, 0x32000], "out_of_window", S(1)),
        ([0x30000, 0x31000, 0x34000 - 76], "out_of_window", O(0)),
        ([0x30000, 2**64 - 4, 0x32000], "out_of_window", S(1)),
        ([0x2FFFC, 0x31002, 0x32000], "out_of_window", S(0)),  # first stream first
        ([0x2FFFE, 0x31000, 0x32000], "misaligned", S(0)),  # alignment before window
        ([0x30000, 0x31000, 0x30000 + 76], "overlap", O(0)),
        ([0x30000, 0x31000, 0x30000 - 0], None, 0),  # in place
        ([0x30000, 0x31000, 0x31000], "overlap", O(0)),  # same base, other sizes
        ([0x30000, 0x31000, 0x31000 + 12], "overlap", O(0)),
        ([0x30000, 0x31000, 0x31000 + 16], None, 0),  # directly after it
        ([0x30000, 0x33000, 0x34000 - 80], None, 0),  # up to the limit
    ],
)
def test_addresses(parameters, name, stream):
    window = (0x30000, 0x34000)
    if name is None:
        assert host().run(GOOD + BODY, parameters, window=window).fault is None
    else:
        assert fault_of(GOOD + BODY, parameters, window=window) == (name, LOOP, stream, 0)


def test_an_address_is_not_wrapped():
    text = streams(("o0", "i8", 0, (4,))).replace("+0", "+0x40000")
    fault = fault_of(text + "loop\nmov o0, #1\nend\nhalt", [2**64 - 0x10000])
    assert fault == ("out_of_window", 2, O(0), 0)


def test_empty_streams_need_alignment_but_no_bytes():
    text = streams(("s0", "i32", 0, (0,)), ("o0", "i32", 1, (0,))) + "loop\nmov o0, s0\nend\nhalt"
    assert host().run(text, [0, 2**64 - 4]).fault is None
    assert fault_of(text, [0, 2]) == ("misaligned", 4, O(0), 0)


def test_an_input_with_elements_is_checked_even_without_points():
    sizes = (("s0", "i32", 0, (0, 1)), ("s1", "i32", 1, (1, 4)), ("o0", "i32", 2, (0, 4)))
    text = streams(*sizes) + "loop\nadd.i32 o0, s0, s1\nend\nhalt"
    assert fault_of(text, [0, 0, 0]) == ("out_of_window", 9, S(1), 0)


@pytest.mark.parametrize(("kind", "fits"), [("i32", True), ("f32", False)])
def test_in_place_needs_the_same_type(kind, fits):
    text = streams(("s0", "i32", 0, (4,)), ("o0", kind, 0, (4,))) + "loop\nmov o0, s0\nend\nhalt"
    run = host().run(text, [0x30000])
    assert (run.fault is None) == fits


def test_in_place_may_differ_in_leading_ones():
    text = streams(("s0", "i32", 0, (4,)), ("o0", "i32", 0, (1, 4))) + "loop\nnot o0, s0\nend\nhalt"
    assert host().run(text, [0x30000]).fault is None


def test_outputs_may_not_share():
    text = streams(("o0", "i32", 0, (4,)), ("o1", "i32", 0, (4,)))
    text += "loop\nmov o0, #1\nmov o1, #1\nend\nhalt"
    assert fault_of(text, [0x30000]) == ("overlap", 4, O(1), 0)


def test_the_loop_beats_its_body_and_an_earlier_word_beats_both():
    wrong_body = "loop\nmov o0, v3\nend\nhalt"
    wrong_shape = streams(("s0", "f32", 0, (4,)), ("s1", "f32", 1, (3,)), ("o0", "f32", 2, (4,)))
    assert fault_of(wrong_shape + wrong_body) == ("shape_mismatch", 6, S(1), 0)
    assert fault_of("size s5, 0, #1\n" + wrong_shape + wrong_body)[:2] == ("bad_structure", 0)


def test_earlier_kernels_outputs_stay():
    h = host()
    good = streams(("o0", "i32", 0, (100,))) + "loop\nmov o0, #5\nend\n"
    bad = streams(("o0", "i32", 1, (100,))) + "loop\nmov o0, v1\nend\nhalt"
    run = h.run(good + bad, [0x30000, 0x31000])
    assert run.fault is not None and run.fault.pc == 8
    assert (h.read(0x30000, np.zeros(100, "<i4")) == 5).all()
    assert (h.read(0x31000, np.zeros(100, "<i4")) == 0).all()
    assert run.counters["strips"] == 1 and run.counters["bytes_written"] == 400


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_images(target):
    h = host(target)
    words, packet = h.target.instruction_words, h.target.parameter_words
    assert h.run([0] * words, [], packet=[load().version] * packet).fault is None
    assert fault_of([0] * (words + 1), target=target)[:2] == ("program_too_large", 0)
    assert fault_of([0] * words, [0] * packet, target)[:2] == ("packet_too_large", 0)
    assert fault_of([0] * (words + 1), [0] * packet, target)[0] == "program_too_large"
    assert fault_of("halt", target=target, packet=[load().version + 1])[:2] == ("bad_version", 0)
    assert fault_of("halt", target=target, packet=[])[:2] == ("bad_version", 0)
    assert fault_of([], target=target) == ("bad_structure", 0, 0, 0)


def cycles(text, parameters=None, **options):
    return host().run(text, parameters or ADDRESSES, **options).counters["cycles"]


def test_cycles_of_faults():
    constants = load().timing
    loaded = cycles("halt", packet=[load().version + 1])
    assert loaded == host().target.burst_gap + 1 + host().target.memory_latency + constants.load
    assert cycles([0] * 2000) == 1

    def words(text, count):
        """Cycles beyond the fetch of an image of the text's length."""
        size = len(assemble(text)) * 8
        images = -(-size // 32) if size > 32 else host().target.burst_gap
        packet = 1
        return count + images + packet + host().target.memory_latency + constants.load

    assert cycles("end\nhalt") == words("end\nhalt", 1)
    text = "base s0, f32, rank=1, p0, +0\nloop\nend\nhalt"  # found at loop itself
    assert cycles(text) == words(text, 2)
    # Rank 2, two inputs and an output, which takes longer than the body.
    steps = 2 + host().target.vlen.bit_length() - 1
    setup = constants.setup_start + constants.setup_shapes + 2 * constants.setup_dimension + steps
    # A body is decoded up to its first fault, and the streams are set up, whichever is wrong.
    text = GOOD + "loop\nmov v0, s0\nmov o0, v1\nmov v3, v4\nend\nhalt"
    assert cycles(text) == words(text, LOOP + setup)
    text = GOOD + "loop\nmov v0, s0\nmov o0, v0\nend\nhalt"
    assert cycles(text, [0, 0, 0]) == words(text, LOOP + setup)
    text = GOOD.replace("#5", "#0") + BODY
    assert cycles(text) == words(text, LOOP + setup + 1)  # no strips, and halt
