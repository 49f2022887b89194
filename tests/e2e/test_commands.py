"""`hwc compile` and `hwc run` on real programs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hwc.cli.compile import STAGES
from hwc.cli.main import main

PROGRAMS = Path(__file__).parent / "programs"
ADD, CHAIN = str(PROGRAMS / "add.mlir"), str(PROGRAMS / "chain.mlir")


def run(capsys, *argv):
    code = main([str(a) for a in argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("stage", "needle"),
    [
        ("tosa", "tosa.add %a, %b"),
        ("linalg", "hwc.broadcast"),
        ("kernel", "arith.addf"),
        ("vector", "add.f32"),
        ("asm", "add.f32 o0, s0, s1"),
    ],
)
def test_every_stage_prints(capsys, stage, needle):
    assert stage in STAGES
    code, out, err = run(capsys, "compile", ADD, "--emit", stage)
    assert (code, err) == (0, "")
    assert needle in out


def test_portable_linalg_has_the_copies(capsys):
    code, out, _ = run(capsys, "compile", ADD, "--emit", "linalg", "--portable")
    assert code == 0
    assert out.count("scf.if") == 4
    assert "hwc." not in out
    code, _, err = run(capsys, "compile", ADD, "--portable")
    assert code == 1
    assert err == "--portable: error: this option needs --emit linalg\n"


def test_portable_checks(capsys):
    code, out, _ = run(capsys, "compile", ADD, "--emit", "linalg", "--portable", "--checks")
    assert code == 0
    assert out.count("cf.assert") == 2
    code, _, err = run(capsys, "compile", ADD, "--emit", "linalg", "--checks")
    assert code == 1
    assert err == "--checks: error: this option needs --portable\n"


def test_the_package_goes_beside_the_source_or_where_one_says(capsys, tmp_path, monkeypatch):
    source = tmp_path / "m.mlir"
    source.write_text(Path(ADD).read_text())
    assert run(capsys, "compile", source)[0] == 0
    assert run(capsys, "compile", source, "-o", tmp_path / "n.hwx", "-t", "tiny")[0] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.hwx", "m.mlir", "n.hwx"]
    assert run(capsys, "compile", source, "--emit", "asm", "-o", tmp_path / "m.s")[:2] == (0, "")
    assert (tmp_path / "m.s").read_text().endswith("halt\n")
    named_hwx = tmp_path / "p.hwx"
    named_hwx.write_text(Path(ADD).read_text())
    code, _, err = run(capsys, "compile", named_hwx)
    assert code == 1
    assert "name the package to write with -o" in err
    assert "func.func" in named_hwx.read_text()


def test_from_standard_input_to_standard_output(tmp_path):
    command = [sys.executable, "-m", "hwc", "compile", "-"]
    text = Path(ADD).read_bytes()
    package = subprocess.run(
        [*command, "-o", "-"], input=text, capture_output=True, check=True
    ).stdout
    (tmp_path / "m.hwx").write_bytes(package)
    assert main(["info", str(tmp_path / "m.hwx")]) == 0
    asked = subprocess.run(command, input=text, capture_output=True, text=False, check=False)
    assert asked.returncode == 1
    assert asked.stderr.startswith(b"-: error: name the package to write with -o")
    bad = subprocess.run(command, input=b"\xff", capture_output=True, check=False)
    assert b"Traceback" not in bad.stderr


def test_print_ir_after_all_and_timing(capsys, tmp_path):
    output = tmp_path / "m.hwx"
    code, out, err = run(capsys, "compile", ADD, "-o", output, "--print-ir-after-all", "--timing")
    assert (code, out) == (0, "")
    assert err.count("// after ") >= 5
    assert "// after convert-tosa-to-linalg\nbuiltin.module {" in err
    assert "build-package" in err
    assert err.splitlines()[-1].startswith("total")


def test_print_ir_after_one_pass(capsys, tmp_path):
    output = tmp_path / "m.hwx"
    code, out, err = run(capsys, "compile", ADD, "-o", output, "--print-ir-after", "fuse-kernels")
    assert (code, out) == (0, "")
    assert err.startswith("// after fuse-kernels\nbuiltin.module {")
    assert err.count("// after ") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "error"),
        ("func.func @main(", "error"),
        (
            "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
            "  %0 = tosa.apply_scale %a {axis = 0 : i32} : (tensor<?xf32>) -> tensor<?xf32>\n"
            "  return %0 : tensor<?xf32>\n}\n",
            "m.mlir:2:8: error: 'tosa.apply_scale' is not supported: it is not implemented yet",
        ),
        (
            "func.func @main(%a: tensor<4x5xf32>, %b: tensor<3x5xf32>) -> tensor<4x5xf32> {\n"
            "  %0 = tosa.add %a, %b : (tensor<4x5xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>\n"
            "  return %0 : tensor<4x5xf32>\n}\n",
            "m.mlir:2:8: error: the operands of 'tosa.add' do not broadcast",
        ),
    ],
)
def test_a_bad_program_is_one_located_error(capsys, tmp_path, text, message):
    source = tmp_path / "m.mlir"
    source.write_text(text)
    code, out, err = run(capsys, "compile", source)
    assert (code, out) == (1, "")
    assert message in err
    assert not (tmp_path / "m.hwx").exists()


def test_files_that_are_not_there(capsys, tmp_path):
    code, _, err = run(capsys, "compile", tmp_path / "no.mlir")
    assert (code, err) == (
        1,
        f"{tmp_path}/no.mlir: error: cannot read: No such file or directory\n",
    )
    code, _, err = run(capsys, "compile", ADD, "-o", tmp_path / "no" / "m.hwx")
    assert code == 1
    assert "cannot write: No such file or directory" in err
    code, _, err = run(capsys, "compile", ADD, "--target", tmp_path / "no.yaml")
    assert code == 1
    assert "no.yaml" in err


def test_an_entry_is_chosen(capsys, tmp_path):
    function = Path(ADD).read_text()
    source = tmp_path / "m.mlir"
    source.write_text(function.replace("@main", "@one") + function.replace("@main", "@two"))
    code, _, err = run(capsys, "compile", source)
    assert code == 1
    assert "one" in err and "two" in err
    assert run(capsys, "compile", source, "--entry", "two")[0] == 0
    assert "@two of" in run(capsys, "info", tmp_path / "m.hwx")[1]


def test_compile_then_run(capsys, tmp_path):
    package = tmp_path / "chain.hwx"
    assert run(capsys, "compile", CHAIN, "-o", package, "-t", "wide")[0] == 0
    inputs = []
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s, dtype=np.float32) for s in [(2, 1, 7), (1, 3, 1)] * 2]
    for name, array in zip("abcd", arrays, strict=True):
        np.save(tmp_path / f"{name}.npy", array)
        inputs += ["--input", f"@{tmp_path / name}.npy"]
    a, b, c, d = arrays
    expected = np.tanh(((a + b) * c).astype(np.float64)).astype(np.float32) - d
    np.save(tmp_path / "z.npy", expected)
    check = ["--expected-output", f"@{tmp_path / 'z.npy'}", "--atol", "1e-6"]
    code, out, err = run(capsys, "run", package, *inputs, *check, "--json")
    assert (code, err) == (0, "")
    value = json.loads(out)
    assert value["target"] == "wide"
    assert value["outputs"][0]["shape"] == [2, 3, 7]
    code, _, err = run(capsys, "run", package, *inputs[:6], "--input", "5x1x1xf32")
    assert code == 1
    assert "'tosa.sub' in dimension 0 of the result" in err
