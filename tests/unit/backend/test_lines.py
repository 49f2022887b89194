"""Kernels say from which lines of the source their instructions come."""

import hashlib
from pathlib import Path

import pytest

import hwc
from isa.encode import decode

PROGRAMS = Path(__file__).parents[2] / "e2e/programs"


def kernels(program):
    return [kernel for step in program.package.steps for kernel in step.kernels]


@pytest.mark.parametrize("name", ["chain", "quantised", "table_two", "narrow"])
def test_every_instruction_comes_from_the_operator_that_stands_there(name):
    """Each place in the text has the name of an operator of the kernel, in both spellings."""
    path = PROGRAMS / f"{name}.mlir"
    program = hwc.compile(path)
    text = path.read_text().split("\n")
    assert program.package.source_digest == hashlib.sha256(path.read_bytes()).hexdigest()
    for kernel in kernels(program):
        if kernel.fills:  # it is at its reader's last operator
            continue
        operators = kernel.source.split(", ")
        for _, line, column in kernel.lines:
            found = text[line - 1][column - 1 :].lstrip('"')
            assert found.startswith(tuple(operators)), (line, found)


def test_every_vector_instruction_has_a_line_and_no_other_word():
    for kernel in kernels(hwc.compile(PROGRAMS / "chain.mlir")):
        body = [n for n, word in enumerate(kernel.words) if not decode(word).instruction.is_control]
        assert [line.word for line in kernel.lines] == body


def test_the_lines_of_a_fused_chain():
    """`chain.mlir` has an operator in each of the lines 5 to 8."""
    fused, *_ = kernels(hwc.compile(PROGRAMS / "chain.mlir"))
    assert [(line.line, line.column) for line in fused.lines] == [(n, 8) for n in (5, 6, 7, 8)]


def test_a_model_has_no_lines(tmp_path):
    """The regions of a model are texts that nobody sees."""
    text = """func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
      %0 = tosa.abs %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
        pad = array<i64: 0, 0, 0, 0>}
        : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
      return %1 : tensor<1x2x2x2xf32>
    }
    """
    pytest.importorskip("iree.compiler", reason="parts on the host need the extra iree")
    package = hwc.compile(text).package
    assert package.host_steps
    assert package.source_digest == ""
    assert not any(kernel.lines for step in package.steps for kernel in step.kernels)
