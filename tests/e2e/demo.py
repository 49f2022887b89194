"""`make demo`: one package, many shapes, each result compared with NumPy; and one refused call.

Then a program in f16 and a quantised one, whose results have to have all bits of NumPy's.

The reference is NumPy: additions, the product and the difference in float32, tanh in float64
rounded to float32. The machine's tanh may be 1 ulp off that, so a result agrees if it lies between
the differences that the two float32 neighbours of the reference's tanh give; the rest is exact.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hwc
from hwc.cli.table import aligned
from hwc.runtime.roofline import roofline_share

SOURCE = Path(__file__).parent / "programs" / "chain.mlir"
Shape = tuple[int, int, int]
CASES: tuple[tuple[str, Shape, Shape, Shape, Shape], ...] = (
    ("same sizes", (16, 64, 64), (16, 64, 64), (16, 64, 64), (16, 64, 64)),
    ("a row", (16, 64, 64), (1, 1, 64), (16, 64, 64), (1, 1, 64)),
    ("a column", (16, 64, 64), (16, 64, 1), (16, 64, 64), (16, 64, 1)),
    ("scalars", (16, 64, 64), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
    ("a mixture", (16, 1, 64), (1, 64, 1), (16, 64, 64), (1, 1, 64)),
    ("odd sizes", (3, 100, 7), (3, 1, 7), (1, 100, 1), (3, 100, 7)),
    ("odd, outer", (3, 1, 1), (1, 100, 1), (1, 1, 100), (1, 1, 1)),
    ("one element", (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
)
NARROW_CASES = (
    ((64, 256), (64, 256)),
    ((64, 256), (1, 256)),
    ((64, 1), (1, 256)),
    ((3, 7), (1, 1)),
)
HALF = """func.func @main(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %0 = tosa.add %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>
  %1 = tosa.sigmoid %0 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  return %1 : tensor<?x?xf16>
}
"""
QUANTISED = SOURCE.with_name("quantised.mlir")
REFUSED: tuple[Shape, Shape, Shape, Shape] = ((4, 5, 6), (3, 5, 6), (4, 5, 6), (1, 1, 1))
F32 = NDArray[np.float32]
F16 = NDArray[np.float16]
I8 = NDArray[np.int8]


def agrees(output: F32, a: F32, b: F32, c: F32, d: F32) -> bool:
    """Whether an output is what NumPy gives, tanh being allowed 1 ulp."""
    tanh = np.tanh(((a + b) * c).astype(np.float64)).astype(np.float32)
    low = np.nextafter(tanh, np.float32(-np.inf)) - d
    high = np.nextafter(tanh, np.float32(np.inf)) - d
    return output.shape == low.shape and bool(np.all((low <= output) & (output <= high)))


def main() -> int:
    """Run the demo; exit code 1 if anything is not as it should be."""
    start = time.perf_counter()
    compiled = hwc.compile(SOURCE, "accel")
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.hwx"
        compiled.save(path)
        program = hwc.load(path)
        size = path.stat().st_size
    words = sum(len(d.words) for d in program.package.dispatches)
    print("tanh((a + b) * c) - d, every dimension dynamic, compiled once for target accel:")
    print(f"  {seconds:.1f} s, {words} words of machine code, a package of {size} bytes\n")
    rng = np.random.default_rng(0)
    rows = [["", "a", "b", "c", "d", "cycles", "bytes moved", "roofline", "agrees with NumPy"]]
    for name, *shapes in CASES:
        arrays = [rng.standard_normal(shape, dtype=np.float32) for shape in shapes]
        result = program(*arrays)
        moved = result.counters["bytes_read"] + result.counters["bytes_written"]
        share = f"{100 * roofline_share(result.counters, program.target):.1f} %"
        verdict = "yes" if agrees(result.outputs[0], *arrays) else "NO"
        sizes = ["x".join(map(str, shape)) for shape in shapes]
        rows.append([name, *sizes, str(result.cycles), str(moved), share, verdict])
    for line in aligned(rows, right=(5, 6, 7)):
        print(line)
    print(
        "\nroofline: the cycles that buses, lanes or special functions need at least, over those "
        "taken\n"
        "agrees: NumPy in float32, tanh from float64; tanh may be 1 ulp off, the rest is exact\n"
    )
    return int(any(row[-1] == "NO" for row in rows)) | narrow(rng) | refuse(program)


def of_half(x: F16, w: F16) -> F16:
    """Compute the program in f16 with NumPy, each operation rounded once."""
    return (1 / (1 + np.exp(-(x + w).astype(np.float64)))).astype(np.float16)


def of_quantised(x: I8, y: I8) -> I8:
    """Compute the quantised program with NumPy."""

    def scale(values: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
        return (values * 1518500249 + (1 << shift - 1)) >> shift

    total = scale(x.astype(np.int64) + 5, 20) + scale(y.astype(np.int64) + 5, 20)
    return np.clip(scale(total, 41) - 5, -100, 90).astype(np.int8)


def narrow(rng: np.random.Generator) -> int:
    """Run the programs in f16 and in i8; 1 if a bit is not NumPy's."""
    half, quantised = hwc.compile(HALF, "accel"), hwc.compile(QUANTISED, "accel")
    rows = [["", "first", "second", "cycles", "bytes moved", "same bits as NumPy"]]
    for shapes in NARROW_CASES:
        x, w = (rng.standard_normal(shape).astype(np.float16) for shape in shapes)
        a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes)
        for name, result, expected in (
            ("f16", half(x, w), of_half(x, w)),
            ("quantised", quantised(a, b), of_quantised(a, b)),
        ):
            moved = result.counters["bytes_read"] + result.counters["bytes_written"]
            same = result.outputs[0].tobytes() == expected.tobytes()
            sizes = ["x".join(map(str, shape)) for shape in shapes]
            cells = [str(result.cycles), str(moved), "yes" if same else "NO"]
            rows.append([name, *sizes, *cells])
    print("sigmoid(x + w) in f16, and a sum of i8 that is scaled, clamped and scaled back:\n")
    for line in aligned(rows, right=(3, 4)):
        print(line)
    print()
    return int(any(row[-1] == "NO" for row in rows))


def refuse(program: hwc.Program) -> int:
    """Show a call that is refused; 1 if it is not."""
    shapes = ", ".join("x".join(map(str, shape)) for shape in REFUSED)
    print(f"and a call that does not fit, {shapes}:")
    try:
        program(*(np.zeros(shape, np.float32) for shape in REFUSED))
    except hwc.DispatchError as error:
        print(f"  refused before anything ran: {error}".replace(str(SOURCE), SOURCE.name))
        return 0
    print("  it was NOT refused")
    return 1


if __name__ == "__main__":
    sys.exit(main())
