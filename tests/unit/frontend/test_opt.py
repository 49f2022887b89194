"""The command hwc-opt: passes, pieces, expected errors, and no traceback."""

import os
import subprocess
import sys

import pytest

import hwc
from hwc.cli.opt import main, parse_pipeline, parser, split
from hwc.errors import UserError
from hwc.frontend.source import Source
from hwc.pipeline import PASSES

GOOD = "func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {\n  return %a : tensor<3xf32>\n}\n"
BAD = (
    "func.func @main(%a: tensor<3xf32>) {\n"
    "  %0 = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return\n}\n"
)


@pytest.fixture(name="opt")
def _opt(tmp_path, capsys):
    """A function that runs hwc-opt on text and returns exit code, output and errors."""

    def call(text, *arguments):
        path = tmp_path / "x.mlir"
        path.write_text(text)
        code = main([str(path), *arguments])
        out, err = capsys.readouterr()
        return code, out, err.replace(str(path), "x.mlir")

    return call


def test_pieces_are_processed_apart(opt):
    code, out, err = opt(f"{GOOD}// -----\n{BAD}// -----\n{GOOD}", "--split-input-file")
    assert code == 1
    assert out.count("func.func @main") == 2
    assert err.startswith("x.mlir:6:17: error: operand is used with type tensor<4xf32>")


def test_pieces_know_their_lines():
    pieces = list(split(Source("x", "a\n// -----\nb\n// -----\nc")))
    assert [piece.first_line for piece in pieces] == [1, 2, 4]


@pytest.mark.parametrize(
    ("comment", "code"),
    [
        ("// expected-error @+3 {{is used with type}}", 0),
        ("// expected-error @+2 {{is used with type}}", 1),
        ("// expected-error @+3 {{no such text}}", 1),
        ("// expected-error @+3 {{is used with type}}\n// expected-error @+1 {{another}}", 1),
    ],
)
def test_expected_errors(opt, comment, code):
    assert opt(f"{comment}\n\n{BAD}", "--verify-diagnostics")[0] == code


def test_expected_error_that_does_not_come(opt):
    code, _, err = opt(f"// expected-error @+1 {{{{text}}}}\n{GOOD}", "--verify-diagnostics")
    assert code == 1
    assert "x.mlir:2: error: expected the error 'text' here, got none" in err


def test_errors_on_standard_output(opt):
    code, out, err = opt(BAD, "--verify-diagnostics")
    assert (code, err) == (0, "")
    assert "error: operand is used with type tensor<4xf32>" in out


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("no-such-pass", "there is no pass 'no-such-pass'; passes are "),
        ("verify-tosa{", "--pass-pipeline: error: "),
        ("verify-tosa{depth=3}", "pass 'verify-tosa' has no option 'depth'; it has no options"),
        ("fuse-kernels{bad=1}", "pass 'fuse-kernels' has no option 'bad'; options are target"),
        ("select-entry{entry=1,2}", "'select-entry': "),
    ],
)
def test_bad_pipelines(pipeline, message):
    with pytest.raises(UserError, match="--pass-pipeline: error: ") as caught:
        parse_pipeline(pipeline)
    assert message in str(caught.value)


def test_options_of_a_pass():
    (transform,) = parse_pipeline('select-entry{entry="f"}')
    assert transform.entry == "f"


def test_every_pass_is_listed(capsys):
    assert main(["--list-passes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "convert-tosa-to-linalg" in {line.split()[0] for line in lines}
    assert all(len(line.split()) > 3 for line in lines)


def test_output_file(opt, tmp_path):
    code, out, _ = opt(GOOD, "-o", str(tmp_path / "out.mlir"))
    assert (code, out) == (0, "")
    assert "func.func @main" in (tmp_path / "out.mlir").read_text()


def test_timing_and_printing_after_passes(opt):
    _, _, err = opt(GOOD, "-p", "verify-tosa", "--timing", "--print-ir-after-all")
    assert "// after verify-tosa" in err
    assert "total" in err


def test_unregistered_operations(opt):
    text = GOOD.replace("return", '"my.op"() : () -> ()\n  return', 1)
    assert "unknown operation 'my.op'" in opt(text)[2]
    assert '"my.op"() : () -> ()' in opt(text, "--allow-unregistered-dialect")[1]


def test_generic_form(opt):
    assert '"func.return"(%a)' in opt(GOOD, "--print-op-generic")[1]


def test_missing_file_and_standard_input(capsys):
    assert main(["no-such-file.mlir"]) == 1
    assert capsys.readouterr().err.startswith("no-such-file.mlir: error: cannot read")
    command = [sys.executable, "-m", "hwc.cli.opt", "-p", "verify-tosa"]
    done = subprocess.run(command, input=GOOD, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "func.func @main" in done.stdout
    done = subprocess.run(command, input=b"\xff", capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"-:1: error: not UTF-8")


def run_with_output(output, *, arguments=("--list-passes",), text="", **options):
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "hwc.cli.opt", *arguments],
        input=text,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": ""},  # argparse ignores a write that fails at once
        **options,
    )


@pytest.mark.parametrize("arguments", [("-p", "verify-tosa"), ("--list-passes",), ("--help",)])
def test_standard_output_that_is_full(arguments):
    with open("/dev/full", "w") as full:
        done = run_with_output(full, arguments=arguments, text=GOOD)
    reason = "cannot write to standard output: No space left on device"
    assert (done.returncode, done.stderr) == (1, f"hwc-opt: error: {reason}\n")


def test_reader_that_leaves():
    reading, writing = os.pipe()
    os.close(reading)
    done = run_with_output(writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_standard_output_that_is_closed():
    done = run_with_output(None, preexec_fn=lambda: os.close(1))
    reason = "cannot write to standard output: Bad file descriptor"
    assert (done.returncode, done.stderr) == (1, f"hwc-opt: error: {reason}\n")


def test_closed_standard_output_that_is_not_needed(tmp_path):
    result = tmp_path / "out.mlir"
    arguments = ("-o", str(result))
    done = run_with_output(None, arguments=arguments, text=GOOD, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, "")
    assert "func.func @main" in result.read_text()


def test_standard_input_that_cannot_be_read(tmp_path):
    command = [sys.executable, "-m", "hwc.cli.opt"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=lambda: os.close(0)
    )
    assert (done.returncode, done.stderr) == (1, "-: error: standard input is closed\n")
    folder = os.open(tmp_path, os.O_RDONLY)
    done = subprocess.run(command, stdin=folder, capture_output=True, text=True, check=False)
    os.close(folder)
    # Python itself refuses a folder as standard input, before any of our code runs.
    assert done.returncode == 1
    assert "is a directory" in done.stderr


def test_a_pipeline_as_mlir_opt_writes_it():
    passes = parse_pipeline(" builtin.module( select-entry{entry=f}, verify-tosa ) ")
    assert [transform.name for transform in passes] == ["select-entry", "verify-tosa"]
    assert parse_pipeline("builtin.module()") == ()
    with pytest.raises(UserError, match="not on func.func; write builtin.module\\(verify-tosa\\)"):
        parse_pipeline("func.func(verify-tosa)")
    with pytest.raises(UserError, match="expected builtin.module\\(PASSES\\), or passes alone"):
        parse_pipeline("builtin.module(verify-tosa")
    with pytest.raises(UserError, match="no pass 'verify-tose'; did you mean 'verify-tosa'"):
        parse_pipeline("builtin.module(verify-tose)")


def test_passes_as_options(opt):
    options = ("--select-entry=entry=main", "-verify-tosa", "--convert-tosa-to-linalg")
    _, _, err = opt(GOOD, *options, "--mlir-timing")
    assert [line.split()[0] for line in err.splitlines()] == [
        "select-entry",
        "verify-tosa",
        "convert-tosa-to-linalg",
        "total",
    ]
    code, _, err = opt(GOOD, "--fuse-kernels=target=none")
    assert code == 1
    assert "unknown target 'none'" in err
    code, _, err = opt(GOOD, "--verify-tosa", "-p", "verify-tosa")
    assert (code, err) == (
        1,
        "--pass-pipeline: error: passes are options as well; use one of the two\n",
    )


def test_names_of_passes_are_no_other_options():
    known = [option for action in parser()._actions for option in action.option_strings]  # noqa: SLF001
    assert not {f"--{name}" for name in PASSES} & set(known)


@pytest.mark.parametrize("option", ["--print-ir-after", "--mlir-print-ir-after"])
def test_printing_after_one_pass(opt, option):
    passes = ("--select-entry", "--verify-tosa", "--normalize-linalg")
    _, _, err = opt(GOOD, *passes, f"{option}=verify-tosa")
    assert err.startswith("// after verify-tosa\nbuiltin.module {")
    assert err.count("// after ") == 1
    _, _, err = opt(GOOD, *passes, option, "select-entry,normalize-linalg,specialize")
    assert err.count("// after ") == 2
    assert err.endswith("--print-ir-after: pass 'specialize' did not run\n")
    code, _, err = opt(GOOD, *passes, option, "verify-tose")
    assert (code, err) == (
        1,
        "--print-ir-after: error: there is no pass 'verify-tose'; did you mean 'verify-tosa'?\n",
    )


def test_version_and_log(opt, capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"hwc-opt {hwc.__version__}\n"
    assert opt(GOOD, "--verify-tosa", "-v")[2].startswith("verify-tosa: ")
    assert opt(GOOD, "--verify-tosa", "-q", "--print-ir-after", "specialize")[2] == ""
