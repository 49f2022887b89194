"""The comparison: what materialised broadcasts cost on the same machine, and the page about it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench import comparison
from bench.materialise import compile_materialised
from bench.programs import PROGRAMS, Named, named

import hwc
from isa.target import load_target

ACCEL = load_target("accel")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_dynamic_sizes_cost_nothing(program: Named):
    """And a copy for each operand that broadcasts costs at least a tenth more."""
    row = comparison.measure(program, ACCEL)
    assert comparison.slowdown(row) <= 1.02
    assert row.dynamic.moved == row.static.moved
    assert comparison.copying(row) > 1.1


def kernels(program: hwc.Program) -> list[str]:
    return [kernel for d in program.package.dispatches for kernel in d.kernels]


def test_each_operand_that_broadcasts_is_copied_by_a_kernel_of_its_own():
    program = named("layer norm")
    shapes = program.shapes({"n": 8, "d": 40})
    copied = compile_materialised(program.text(shapes), ACCEL)
    found = kernels(copied.program)
    assert found.count("copy") == copied.copies == 4  # mean, scale, gamma, beta
    assert [k for k in found if k != "copy"] == [
        "tosa.add, tosa.rsqrt",
        "tosa.sub, tosa.mul, tosa.mul, tosa.add",
    ]


def test_a_program_without_broadcasts_stays_as_it_is():
    program = named("PReLU")
    shapes = [(6, 7), (6, 7)]
    copied = compile_materialised(program.text(shapes), ACCEL)
    ours = hwc.compile(program.text(shapes))
    assert copied.copies == 0
    assert [d.words for d in copied.program.package.dispatches] == [
        d.words for d in ours.package.dispatches
    ]


def test_a_copy_reads_its_operand_once_and_writes_the_full_size():
    program = named("bias and activation")
    rows, columns = sizes = 8, 40
    row = comparison.measure(_with_sizes(program, sizes), ACCEL)
    matrix, bias = 4 * rows * columns, 4 * columns
    assert row.static.moved == row.dynamic.moved == 2 * matrix + bias
    # the copy: the bias and one byte for each row are read, a matrix is written and read again
    assert row.materialised.moved == 2 * matrix + bias + rows + 2 * matrix
    assert row.materialised.kernels == 2


def _with_sizes(program: Named, sizes: tuple[int, int]) -> Named:
    return replace(program, sizes=dict(zip("nd", sizes, strict=True)))


def test_a_result_that_differs_is_an_error(monkeypatch):
    program = _with_sizes(named("PReLU"), (3, 5))
    other = compile_materialised(named("bias and activation").text([(3, 5), (1, 5)]), ACCEL)
    monkeypatch.setattr(comparison, "compile_materialised", lambda *_: other)
    with pytest.raises(ValueError, match="PReLU on accel: the results differ"):
        comparison.measure(program, ACCEL)


def test_the_page_and_the_picture(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [
        comparison.measure(_with_sizes(named(n), (4, 6)), ACCEL)
        for n in ("PReLU", "exp of a column")
    ]
    iree = [comparison.IreeRow(r.program, _iree(30.0), _iree(2.0)) for r in rows]
    page = comparison.report({"accel": rows}, iree)
    assert "| PReLU | 4×6 1×6 |" in page
    assert "| **geometric mean** |  |  | 15.00 |" in page
    assert "comparison.svg" in page
    pictures = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for picture in pictures:
        comparison.draw(rows, iree, picture)
    text = pictures[0].read_text()
    assert "exp of a column" in text
    assert " 15.00" in text
    assert text == pictures[1].read_text()


def _iree(microseconds: float) -> comparison.IreeProgram:
    return comparison.IreeProgram(microseconds, 1, 1000)
