"""Text of a later stage is a source: `hwc compile` makes the same package of it."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.printer import Printer

import hwc
from hwc import pipeline
from hwc.cli.main import main
from hwc.compiler import compile_package
from hwc.errors import UserError
from hwc.frontend.language import Language
from hwc.frontend.source import Source
from isa.target import load_target

PROGRAMS = {path.stem: path for path in (Path(__file__).parent / "programs").glob("*.mlir")}
STAGES = ("linalg", "kernel", "vector")
CHAIN = PROGRAMS["chain"].read_text()

KERNEL = """\
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  kernel.size s0 = dim(argument 0, dimension 0)
  %0 = kernel.apply (%x = %a : tensor<?xf32>) -> tensor<?xf32> [s0] {
    %1 = math.exp %x : f32
    kernel.yield %1 : f32
  }
  return %0 : tensor<?xf32>
}
"""
VECTOR = """\
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  kernel.size s0 = dim(argument 0, dimension 0)
  %0 = strip.kernel (%x = %a : tensor<?xf32> [s0]) -> tensor<?xf32> [s0] {
    %1 = strip.add.f32 %x, %x : v9
    %2 = strip.mul.f32 %1, %x
    strip.yield %2
  }
  return %0 : tensor<?xf32>
}
"""


CHOICE = """\
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  kernel.size s0 = dim(argument 0, dimension 0)
  kernel.size s1 = dim(argument 1, dimension 0)
  %0 = kernel.choose -> tensor<?xf32> [s0] "one" {
    %k = kernel.apply (%x = %a : tensor<?xf32>) -> tensor<?xf32> [s0] {
      %1 = math.exp %x : f32
      kernel.yield %1 : f32
    }
    kernel.yield %k : tensor<?xf32>
  } or "two" {
    %k = kernel.apply (%x = %a : tensor<?xf32>) -> tensor<?xf32> [s0] {
      %1 = math.exp %x : f32
      kernel.yield %1 : f32
    }
    kernel.yield %k : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
"""


def compiled(text, target="accel", **options: Any):
    return compile_package(Source("m.mlir", text), load_target(target), **options).package


def emitted(text, stage, target="accel"):
    result = pipeline.run(Source("m.mlir", text), target=load_target(target), until=stage)
    out = StringIO()
    Printer(out).print_op(result.module)
    return out.getvalue()


def without_places(package):
    """The package without lines, columns and digest of its source, which another text lacks."""
    steps = tuple(
        step if step.origin is None else replace(step, origin=replace(step.origin, location=""))
        for step in package.shape_program.steps
    )
    program = replace(package.shape_program, steps=steps)
    return replace(package, shape_program=program, source_digest="")


@pytest.mark.parametrize("name", PROGRAMS)
def test_emitted_text_compiles_to_the_same_package(name):
    source = PROGRAMS[name].read_text()
    for target in ("accel", "tiny"):
        wanted = without_places(compiled(source, target))
        for stage in STAGES:
            text = emitted(source, stage, target)
            assert without_places(compiled(text, target)) == wanted, stage
            assert emitted(text, stage, target) == text


def test_on_the_command_line(tmp_path, capsys):
    files = {stage: str(tmp_path / f"{stage}.mlir") for stage in STAGES}
    for stage, file in files.items():
        assert main(["compile", str(PROGRAMS["chain"]), "--emit", stage, "-o", file]) == 0
        assert main(["compile", file]) == 0
        assert Path(file).with_suffix(".hwx").is_file()
    assert main(["compile", files["linalg"], "--emit", "linalg", "--portable"]) == 0
    assert "scf.if" in capsys.readouterr().out
    assert main(["compile", files["kernel"], "--emit", "linalg"]) == 1
    assert capsys.readouterr().err == (
        f"{files['kernel']}: error: the text is at stage kernel, from which no earlier one can be "
        "made: give the source\n"
    )


def test_kernels_and_strips_that_people_write_run():
    x = np.linspace(-2, 2, 9, dtype=np.float32)
    (y,) = hwc.compile(KERNEL)(x).outputs
    np.testing.assert_allclose(y, np.exp(x), rtol=1e-6)
    # Registers are allocated again: v9 is free to name, and tiny has fewer than ten.
    for target in ("accel", "tiny"):
        (y,) = hwc.compile(VECTOR, target)(x).outputs
        np.testing.assert_array_equal(y, (x + x) * x)


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (KERNEL, "func.func @main", "func.func @other() { return }\nmodule @m {}\nfunc.func @main",
         "2:1: error: 'builtin.module' beside functions, in text of stage kernel"),
        (KERNEL, "  return", "  %t = tosa.exp %0 : (tensor<?xf32>) -> tensor<?xf32>\n  return",
         "7:8: error: 'tosa.exp' is not an operation of stage kernel"),
        (KERNEL, "  return", "  %t = tensor.empty() : tensor<4xf32>\n  return",
         "7:8: error: 'tensor.empty' is not an operation of stage kernel"),
        (KERNEL, "  return", "  %h = kernel.host tensor<i1> [] = [8]\n  return",
         "7:8: error: 'kernel.host': the value 8 does not fit i1"),
        (KERNEL, "  return", "  %h = kernel.choose -> tensor<f32> [] \"\" {} or \"\" {}\n  return",
         "7:8: error: 'kernel.choose': Region"),
        (KERNEL, "  return",
         "  %t = kernel.reshape %0 : tensor<?xf32> -> tensor<4xf32> [s0]\n  return",
         "7:8: error: a result of 'kernel.reshape' is tensor<4xf32>, its sizes are [s0]"),
        (VECTOR, "  return", "  %t = strip.kernel () -> tensor<4x1xf32> [3, 1] {\n"
         "    %c = strip.imm 0\n    %d = strip.mov %c\n    strip.yield %d\n  }\n  return",
         "8:8: error: a result of 'strip.kernel' is tensor<4x1xf32>, its sizes are [3, 1]"),
        (CHOICE, '"one" {\n', '"one" {\n    %c = arith.constant dense<1.0> : tensor<4xf32>\n',
         "5:10: error: 'arith.constant' cannot be in an alternative of 'kernel.choose'"),
        (CHOICE, '"one" {\n', '"one" {\n    kernel.size equal(s0, s1)\n',
         "5:5: error: 'kernel.size' cannot be in an alternative of 'kernel.choose'"),
        (CHOICE, "= %a : tensor<?xf32>) -> tensor<?xf32> [s0]",
         "= %b : tensor<?xf32>) -> tensor<?xf32> [s1]",
         "9:5: error: the alternative yields sizes [s1] as result 0, expected [s0]"),
        (KERNEL, "[s0] {", "[s1] {", "3:8: error: symbol 's1' is not defined by any step"),
        (KERNEL, "= math.exp %x : f32", '= "tensor.dim"(%x, %x) : (f32, f32) -> f32',
         "4:10: error: 'tensor.dim' cannot be in 'kernel.apply'"),
        (KERNEL, "math.exp", "math.absi", "4:10: error: "),
        (KERNEL, "f32", "f64", "1:17: error: argument 0 (%a) of function @main"),
        (KERNEL, "  return %0 : tensor<?xf32>", "", "3:8: error: function @main does not end with"),
        (KERNEL, "-> tensor<?xf32> {\n  kernel.size", "-> tensor<?xi32> {\n  kernel.size",
         "7:3: error: function @main returns tensor<?xf32> as result 0"),
        (KERNEL, "return %0", "return %a", "7:3: error: no kernel writes result 0"),
        (KERNEL, "  %0", "  kernel.size s1 = learned(step 0, output 0, dimension 0)\n  %0",
         "3:3: error: a size is learned from a step on the host, and a program has none"),
        (VECTOR, "%2\n", "%x\n", "3:8: error: output 0 of the kernel is not the result of an "),
        (VECTOR, "strip.mul.f32 %1, %x", "strip.mul.f32 %1, %x\n    %3 = strip.mov %2",
         "3:8: error: output 0 of the kernel is not the result of an instruction of its own"),
        (VECTOR, "[s0]) ->", "[7]) ->",
         "3:8: error: input 0 of the kernel has the sizes [s0], the kernel says [7]"),
        (VECTOR, "[s0]) ->", "[s9]) ->",
         "3:8: error: input 0 of the kernel has the sizes [s0], the kernel says [s9]"),
        (VECTOR, "%x = %a : tensor<?xf32> [s0]",
         ", ".join(f"%x{i or ''} = %a : tensor<?xf32> [s0]" for i in range(7)),
         "3:8: error: the kernel needs 7 input streams, target accel has 6"),
        (VECTOR, "  return", "  %k = kernel.apply () -> tensor<4xf32> [4] {\n    %c = "
         "arith.constant 0.0 : f32\n    kernel.yield %c : f32\n  }\n  return",
         "8:8: error: 'kernel.apply' is not an operation of stage vector"),
    ],
)  # fmt: skip
def test_text_that_later_passes_cannot_take_is_a_located_error(text, old, new, message):
    assert old in text
    with pytest.raises(UserError) as caught:
        compiled(text.replace(old, new), entry="main")
    assert str(caught.value).startswith(f"m.mlir:{message}")


def test_what_belongs_to_the_source():
    library = Source("l.mlir", "func.func private @d.f(%x: f32) -> f32 { return %x : f32 }")
    options: list[dict[str, Any]] = [
        {"language": Language(assume=("a.0 > 1",))},
        {"libraries": [library]},
    ]
    for option in options:
        with pytest.raises(UserError, match="facts, and rules of broadcasting .* belong to the"):
            compiled(KERNEL, **option)
    with pytest.raises(UserError, match="at stage kernel, from which no earlier one"):
        hwc.compile(KERNEL).specialize(a=(4,))
