"""The accounts of whole models: arithmetic on either side, copies, and what headlines say."""

import json
import re

import numpy as np
import pytest
from e2e.support import transformer
from e2e.support.onnx_models import data, expected, model, network, node
from unit.reports.html_reader import text

import hwc
from hwc import compiler
from hwc.cli.main import main
from hwc.frontend.source import Source
from hwc.package import from_bytes, to_bytes
from isa.target import load_target

X = "tensor<?x4x?xf32>"
MATMUL = f"""\
func.func @main(%x: {X} {{hwc.symbols = ["b", "", "k"]}},
                %w: tensor<?x?x8xf32> {{hwc.symbols = ["b", "k", ""]}}) -> tensor<?x4x8xf32> {{
  %z = "tosa.const"() {{values = dense<0.0> : tensor<1xf32>}} : () -> tensor<1xf32>
  %0 = tosa.abs %x : ({X}) -> {X}
  %1 = tosa.matmul %0, %w, %z, %z
    : ({X}, tensor<?x?x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x4x8xf32>
  %2 = tosa.exp %1 : (tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %2 : tensor<?x4x8xf32>
}}
"""


def unsized():
    """A model whose regions have a size that only the host learns: how many elements are not 0."""
    return model(
        [
            node("NonZero", "x", "places"),
            node("Cast", "places", "floats", to=1),
            node("Exp", "floats", "y"),
            node("Abs", "x", "z"),
        ],
        {"x": ("f4", ["n"])},
        {"y": ("f4", [1, None]), "z": ("f4", ["n"])},
    )


ALONE = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
ALONE += "  %0 = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n"


@pytest.fixture(scope="module")
def matmul():
    pytest.importorskip("iree.compiler", reason="parts on the host need the extra iree")
    return hwc.compile(MATMUL)


def test_a_call_counts_both_sides_and_what_crosses(matmul):
    b, k = 3, 5
    result = matmul(data(b, 4, k), data(b, k, 8))
    accounts = result.accounts
    assert accounts.host.operations == 2 * b * 4 * k * 8
    assert accounts.machine.operations == b * 4 * k + b * 4 * 8
    assert accounts.uncounted == {} and accounts.regions == 2
    copies = accounts.copies
    assert (copies.to_machine, copies.to_host) == (2, 2)
    assert copies.bytes_to_machine == copies.bytes_to_host == 4 * (b * 4 * k + b * 4 * 8)
    on_host = [step.seconds for step in result.steps if step.counters is None]
    assert accounts.host_seconds == sum(on_host) > 0


def test_a_timing_has_the_same_accounts_but_measures_nothing(matmul):
    shapes = (2, 4, 6), (2, 6, 8)
    timing, result = matmul.time(*shapes), matmul(*(data(*shape) for shape in shapes))
    assert timing.accounts.host_seconds is None
    for name in ("machine", "host", "copies", "regions"):
        assert getattr(timing.accounts, name) == getattr(result.accounts, name)
    share = 100 * (48 + 64) / (48 + 64 + 2 * 2 * 4 * 6 * 8)
    assert f"machine: {timing.cycles:,} cycles for {share:.1f} % of the arithmetic" in repr(timing)


def test_sizes_that_only_a_call_learns_are_counted_after_it():
    program = hwc.compile(network())
    rows, columns = 9, 17  # a convolution of stride 2, 3 x 3, padding 1, from 3 to 4 channels
    made = 2 * 4 * 5 * 9
    accounts = program(data(2, 3, rows, columns)).accounts
    assert accounts.host.operations == 2 * made * 3 * 3 * 3 + made  # GlobalAveragePool reads all
    elements = 2 * 3 * rows * columns
    assert accounts.machine.operations == 3 * elements + 2 * made + 2 * 4 + made


def test_a_transformer_block():
    """The sums are those of the formulas of its layers, written out by hand."""
    content = transformer.PATH.read_bytes()
    program = hwc.compile(content)
    b, s = 2, 7
    x = data(b, s, transformer.WIDTH)
    result = program(x)
    (judged,) = expected(content, {"hidden_states": x})
    np.testing.assert_allclose(result.outputs[0], judged, rtol=2e-5, atol=2e-5)

    width, heads, head, hidden = 64, 4, 16, 128
    tokens, scores = b * s, b * heads * s * s
    projections = 2 * tokens * width * (4 * width + 3 * hidden)
    attention = 2 * (2 * scores * head) + 5 * scores  # two products and the softmax
    means, mask, positions = 2 * tokens * width, s * s, s
    assert result.accounts.host.operations == projections + attention + means + mask + positions
    norms = 2 * (3 * tokens * width + 3 * tokens)
    angles = s * head // 2 + 2 * s * head
    turned = 2 * (tokens * width // 2 + 3 * tokens * width)  # queries and keys
    scaled = 2 * tokens * width
    gate, residuals = 3 * tokens * hidden, 2 * tokens * width
    machine = norms + angles + s * s + turned + scaled + scores + gate + residuals
    assert result.accounts.machine.operations == machine
    share = f"{100 * machine / (machine + result.accounts.host.operations):.1f}"
    headline = f"machine: {result.cycles:,} cycles for {share} % of the arithmetic"
    assert repr(result).startswith(f"hwc.Result: {headline}, ")
    assert headline in result._repr_html_()


def test_the_package_keeps_the_arithmetic(matmul):
    assert from_bytes(to_bytes(matmul.package), "x").work == matmul.package.work


def test_the_summary_of_the_compiler_counts_the_copies_of_a_call():
    source = Source("net.onnx", network())
    done = compiler.compile_package(source, load_target("accel"))
    copies = hwc.compile(source.content)(data(1, 3, 8, 8)).accounts.copies
    assert done.report.crossings == (copies.to_machine, copies.to_host)


def test_commands_say_what_the_cycles_are_for(matmul, tmp_path, capsys):
    path = tmp_path / "m.hwx"
    matmul.save(path)
    given = ["--shape", "2x4x6", "--shape", "2x6x8"]
    assert main(["time", str(path), *given]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("machine: ") and lines[0].endswith(" % of the arithmetic")
    assert lines[1] == "host: not measured: nothing ran"
    assert not any(line.startswith(("cycles", "all ")) for line in lines)
    assert main(["time", str(path), *given, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["accounts"]
    assert told["operations"] == {"machine": 112, "host": 768}
    assert told["copies"]["to_machine"] == {"values": 2, "bytes": 448}
    assert told["host_seconds"] is None
    inputs = ["--input", "random:2x4x6", "--input", "random:2x6x8"]
    assert main(["run", str(path), *inputs, "--json"]) == 0
    ran = json.loads(capsys.readouterr().out)["accounts"]
    assert ran.pop("host_seconds") > 0
    assert ran == {name: value for name, value in told.items() if name != "host_seconds"}


def test_a_model_without_a_machine_part_warns(tmp_path, capsys):
    pytest.importorskip("iree.compiler", reason="parts on the host need the extra iree")
    path = tmp_path / "m.mlir"
    path.write_text(ALONE)
    package = tmp_path / "m.hwx"
    assert main(["compile", str(path), "--keep-on-host", "abs", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["time", str(package), "--shape", "4"]) == 0
    out, err = capsys.readouterr()
    assert err == f"{path}: warning: no part of the model runs on the machine\n"
    assert out.startswith("no part of the model runs on the machine\n")
    assert main(["time", str(package), "--shape", "4", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_a_program_of_the_machine_alone_has_no_accounts(tmp_path, capsys):
    program = hwc.compile(ALONE)
    assert program.package.work is None
    assert program(np.ones(4, np.float32)).accounts is None
    path = tmp_path / "m.mlir"
    path.write_text(ALONE)
    assert main(["compile", str(path)]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_command_that_needs_data_is_not_suggested(tmp_path, capsys):
    path = tmp_path / "m.onnx"
    path.write_bytes(unsized())
    assert main(["compile", str(path)]) == 0
    assert "; `hwc run` shows it" in capsys.readouterr().err
    assert main(["time", str(tmp_path / "m.hwx"), "--shape", "4"]) == 1
    assert "sizes of this program depend on what step" in capsys.readouterr().err


def test_a_page_says_what_the_cycles_are_for(matmul):
    timing = matmul.time((2, 4, 6), (2, 6, 8))
    page = text(hwc.report(matmul, timing).html())
    headline = timing.accounts.headline(timing.cycles)
    assert re.fullmatch(r"machine: [\d,]+ cycles for 12.7 % of the arithmetic", headline)
    assert (
        f"M{headline[1:]}. The machine computed 112 operations, and the host 768. "
        "Copied to the machine: 2 values, 448 bytes; to the host: 2 values, 448 bytes."
    ) in page
    assert "cycles on the machine" in page
    result = matmul(data(2, 4, 6), data(2, 6, 8))
    took = f"{1000 * result.accounts.host_seconds:.2f} ms, measured on this computer"
    assert f"and the host 768 ({took})." in text(hwc.report(matmul, result).html())


def test_a_benchmark_says_what_the_cycles_are_for(matmul, tmp_path, capsys):
    path = tmp_path / "m.hwx"
    matmul.save(path)
    given = ["benchmark", str(path), "--input", "random:2x4x6", "--input", "random:2x6x8"]
    given += ["--calls", "1", "--warm-up", "1"]
    assert main(given) == 0
    assert re.search(r"^machine: [\d,]+ cycles for 12.7 % of the ar", capsys.readouterr().out, re.M)
    assert main([*given, "--json"]) == 0
    accounts = json.loads(capsys.readouterr().out)["accounts"]
    assert accounts["operations"] == {"machine": 112, "host": 768}
