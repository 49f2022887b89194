"""`tosa.table` as whole programs: tables that are constants, arguments and results; fusion."""

from pathlib import Path

import numpy as np
import pytest
from e2e.support.reference import rescale, table

import hwc
from hwc.errors import DispatchError
from hwc.frontend.diagnostics import LocatedError

PROGRAMS = Path(__file__).parent / "programs"
SIZES = {"i8": 256, "i16": 513}
RESULTS = {"i8": "i8", "i16": "i32"}
DTYPES = {"i8": np.int8, "i16": np.int16}


def random(kind, shape, seed=0):
    info = np.iinfo(DTYPES[kind])
    rng = np.random.default_rng(seed)
    return rng.integers(info.min, info.max + 1, shape).astype(DTYPES[kind])


def reads(kind, of, entries, size=None):
    """One `table` of `of`; its table is a constant, or an argument of `size` entries."""
    result = of.replace(kind, RESULTS[kind])
    given = f"tensor<{SIZES[kind] if size is None else size}x{kind}>"
    argument, constant = f", %t: {given}", ""
    if entries is not None:
        constant = f'  %t = "tosa.const"() {{values = dense<{entries.tolist()}> : {given}}} '
        constant += f": () -> {given}\n"
        argument = ""
    return (
        f"func.func @main(%a: {of}{argument}) -> {result} {{\n{constant}"
        f"  %r = tosa.table %a, %t : ({of}, {given}) -> {result}\n  return %r : {result}\n}}\n"
    )


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
@pytest.mark.parametrize("kind", SIZES)
def test_every_value(kind, target):
    entries = random(kind, SIZES[kind], seed=1)
    info = np.iinfo(DTYPES[kind])
    x = np.arange(info.min, info.max + 1, dtype=DTYPES[kind]).reshape(-1, 32)
    of = f"tensor<?x?x{kind}>"
    constant = hwc.compile(reads(kind, of, entries), target)
    np.testing.assert_array_equal(constant(x).outputs[0], table(x, entries))
    given = hwc.compile(reads(kind, of, None), target)
    for seed in (2, 3):
        entries = random(kind, SIZES[kind], seed)
        np.testing.assert_array_equal(given(x, entries).outputs[0], table(x, entries))


@pytest.mark.parametrize("shape", ["", "?x", "1x1x", "3x?x1x", "0x"])
def test_shapes(shape):
    x = random("i8", [int(n.replace("?", "5")) for n in shape.split("x") if n])
    entries = random("i8", 256, seed=1)
    program = hwc.compile(reads("i8", f"tensor<{shape}i8>", None, "?"), "tiny")
    np.testing.assert_array_equal(program(x, entries).outputs[0], table(x, entries))
    with pytest.raises(DispatchError, match="255 .* 256"):
        program(x, entries[:-1])


@pytest.mark.parametrize("values", [[-32768, -1, 77, 32767], [77]])
def test_constants_alone(values):
    entries, of = random("i16", 513), "tensor<4xi16>"
    written = values if len(values) > 1 else values[0]
    constant = f'  %a = "tosa.const"() {{values = dense<{written}> : {of}}} : () -> {of}\n  %r ='
    text = reads("i16", of, entries).replace(f"%a: {of}", "").replace("  %r =", constant)
    x = np.resize(np.array(values, np.int16), 4)
    np.testing.assert_array_equal(hwc.compile(text, "tiny")().outputs[0], table(x, entries))


def kernels(path, target="accel"):
    """The number of kernels of a program's first plan, those that fill tables left out."""
    package = hwc.compile(path, target).package
    names = [name for dispatch in package.dispatches for name in dispatch.kernels]
    return len([name for name in names if name != "table"]), len(names)


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
def test_a_quantised_chain_is_one_kernel(target):
    path = PROGRAMS / "table_chain.mlir"
    assert kernels(path, target) == (1, 2)
    a, b, entries = random("i8", (9, 70)), random("i8", (1, 70), 1), random("i8", 256, 2)
    (got,) = hwc.compile(path, target)(a, b, entries).outputs
    up = rescale("i32", 1518500249, 20, -5)
    total = np.clip(up(a) + up(b), -150000, 190000)
    values = rescale("i8", 1518500249, 41, 0, -5)(total)
    np.testing.assert_array_equal(got, table(values, entries))


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
def test_a_table_takes_no_stream(target):
    """`tiny` has four, which are what the rest of the chain reads."""
    path = PROGRAMS / "table_channels.mlir"
    assert kernels(path, target) == (1, 2)
    a, b, entries = random("i8", (9, 70)), random("i8", (1, 70), 1), random("i8", 256, 2)
    multipliers = np.linspace(1 << 30, (1 << 31) - 1, 70).astype(np.int32)
    shifts = np.resize(np.arange(38, 44, dtype=np.int8), 70)
    (got,) = hwc.compile(path, target)(a, b, multipliers, shifts, entries).outputs
    up = rescale("i32", 1518500249, 20, -5)
    values = rescale("i8", multipliers.astype(int), shifts.astype(int), 0, -5)(up(a) + up(b))
    np.testing.assert_array_equal(got, table(values, entries))


@pytest.mark.parametrize("target", ["tiny", "accel", "wide"])
def test_two_tables_are_two_kernels_and_one_table_is_filled_once(target):
    path = PROGRAMS / "table_two.mlir"
    x, t, u = random("i16", 500), random("i16", 513, 1), random("i16", 513, 2)
    first, second = hwc.compile(path, target)(x, t, u).outputs
    np.testing.assert_array_equal(first, table(x, t) - table(x, np.maximum(t, u)))
    np.testing.assert_array_equal(second, table(~x, t))
    assert kernels(path) == (3, 5)


def test_a_table_is_filled_in_the_dispatch_that_reads_it():
    """The instruction memory of `tiny` holds some of these kernels only."""
    given = ", ".join(f"%t{i}: tensor<256xi8>" for i in range(40))
    lines = "\n".join(
        f"  %r{i + 1} = tosa.table %r{i}, %t{i} : (tensor<?xi8>, tensor<256xi8>) -> tensor<?xi8>"
        for i in range(40)
    )
    text = f"func.func @main(%r0: tensor<?xi8>, {given}) -> tensor<?xi8> {{\n{lines}\n"
    program = hwc.compile(f"{text}  return %r40 : tensor<?xi8>\n}}\n", "tiny")
    assert len(program.package.dispatches) > 1
    x, tables = random("i8", 300), [random("i8", 256, seed) for seed in range(40)]
    (got,) = program(x, *tables).outputs
    for entries in tables:
        x = table(x, entries)
    np.testing.assert_array_equal(got, x)


def test_a_reshape_moves_past_a_table():
    text = """func.func @main(%a: tensor<?x6xi8>, %t: tensor<256xi8>) -> tensor<?xi8> {
  %r = tosa.table %a, %t : (tensor<?x6xi8>, tensor<256xi8>) -> tensor<?x6xi8>
  %n = tosa.const_shape {values = dense<-1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %v = tosa.reshape %r, %n : (tensor<?x6xi8>, !tosa.shape<1>) -> tensor<?xi8>
  %s = tosa.add %v, %v : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
  return %s : tensor<?xi8>
}
"""
    a, entries = random("i8", (7, 6)), random("i8", 256, 1)
    (got,) = hwc.compile(text, "tiny")(a, entries).outputs
    np.testing.assert_array_equal(got, 2 * table(a, entries).reshape(-1))


@pytest.mark.parametrize(
    ("of", "entries", "result", "message"),
    [
        ("4xi8", "255xi8", "4xi8", "operand 1 .* tensor<255xi8>, expected tensor<256xi8>"),
        ("4xi8", "256xi16", "4xi8", "operand 1 .* expected tensor<256xi8>"),
        ("4xi8", "1x256xi8", "4xi8", "operand 1 .* expected tensor<256xi8>"),
        ("4xi16", "512xi16", "4xi32", "operand 1 .* expected tensor<513xi16>"),
        ("4xi16", "513xi16", "4xi16", "of i16 gives element type i16"),
        ("4xi8", "256xi8", "4xi32", "of i8 gives element type i32"),
        ("4xi32", "513xi32", "4xi32", "not supported for element type i32"),
        ("4xi8", "256xi8", "5xi8", "dimension 0 of the result"),
    ],
)
def test_refused(of, entries, result, message):
    text = (
        f"func.func @main(%a: tensor<{of}>, %t: tensor<{entries}>) -> tensor<{result}> {{\n"
        f"  %r = tosa.table %a, %t : (tensor<{of}>, tensor<{entries}>) -> tensor<{result}>\n"
        f"  return %r : tensor<{result}>\n}}\n"
    )
    with pytest.raises(LocatedError, match=message):
        hwc.compile(text, "tiny")
