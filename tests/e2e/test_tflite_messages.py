"""Messages about TFLite models name the operators and tensors of the file."""

import pytest
from unit.frontend.flatbuffers import write

import hwc
from hwc.cli.main import main
from hwc.errors import SourceError
from hwc.frontend import tflite_schema as schema

TEXT = """\
#loc = loc("m.tflite":0:0)
module {{
  func.func @main(%arg0: tensor<1x4xf32> loc("main"(#loc))) -> tensor<1x4xf32> {{
    {body}
    return %0 : tensor<1x4xf32> loc(#loc)
  }} loc(#loc)
}} loc(#loc)
#loc3 = loc("first"(#loc))
#loc4 = loc("second"(#loc))
#loc5 = loc(fused[#loc4, #loc3])
"""

CONVERTER = """\
import os
class TosaConverterOutputFormat:
    Text = "text"
class TosaConverterDebugInfo:
    Enable = "places"
def tflite_flatbuffer_to_tosa_mlir(path, sink, output_format, debug_info):
    {body}
"""


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Compiles a model with a converter that has this body, and returns the error."""

    def put(body: str, model: bytes) -> str:
        (tmp_path / "tosa_converter_for_tflite.py").write_text(CONVERTER.format(body=body))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(SourceError) as caught:
            hwc.compile(model)
        return str(caught.value)

    return put


def model(*operators, custom="", inputs=(0,)):
    """A file with these operators, one after another; each computes a tensor of its own."""
    names = ["x", "first", "second", "third"]
    kinds = [schema.OPERATORS.index(name) for name in operators]
    codes = tuple(
        schema.OperatorCode(min(kind, 127), custom if kind == schema.CUSTOM else "", 1, kind)
        for kind in kinds
    )
    made = tuple(
        schema.Operator(number, (number, *inputs), (number + 1,)) for number in range(len(kinds))
    )
    tensors = tuple(schema.Tensor((1, 4), 0, 0, name) for name in names)
    graph = schema.Graph(tensors, (0,), (len(kinds),), made)
    return write(schema.Model(3, codes, (graph,)), b"TFL3")


def wrote(body: str) -> str:
    return f"sink.write({TEXT.format(body=body).encode()!r})"


@pytest.mark.parametrize(
    ("operator", "left", "message"),
    [
        (
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
            '%n = "tfl.no_value"() {value} : () -> none loc(#loc)\n    '
            '%0 = "tfl.unidirectional_sequence_lstm"(%arg0, %n) : (tensor<1x4xf32>, none) -> '
            "tensor<1x4xf32> loc(#loc4)",
            "TFLite's operator 'UNIDIRECTIONAL_SEQUENCE_LSTM' is not supported: the converter to "
            "TOSA does not convert it\nhelp: express it with operators that the converter knows",
        ),
        (
            "READ_VARIABLE",
            '%0 = "tfl.read_variable"(%arg0) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc(#loc5)',
            "TFLite's operator 'READ_VARIABLE' is not supported: it keeps state between calls\n"
            "help: pass the state in and out as arguments and results",
        ),
        (
            "BITWISE_XOR",
            "%0 = tosa.bitwise_xor %arg0, %arg0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> "
            "tensor<1x4xf32> loc(#loc4)",
            "'BITWISE_XOR' is not supported for element type f32\nhelp: it takes i1, i8, i16, i32",
        ),
    ],
)
def test_an_operation_has_the_name_of_its_operator(refused, operator, left, message):
    found = refused(wrote(left), model("ABS", operator))
    assert found.startswith(f"-: operator 1 ({operator}, 'second'): error: ")
    assert found.partition("error: ")[2] == message


def test_the_converter_refuses_an_operator(refused):
    said = 'loc(\\"second\\"(\\"m\\":0:0)): error: \'tfl.add\' op sizes differ\\n'
    body = f'os.write(2, b"{said}"); raise RuntimeError("no")'
    assert refused(body, model("ABS", "ADD")) == (
        "-: operator 1 (ADD, 'second'): error: the converter to TOSA refuses this: sizes differ"
    )


def test_the_converter_crashes(refused, capfd):
    found = refused("os.kill(os.getpid(), 11)", model("ABS", "ADD"))
    assert found == (
        "-: error: cannot convert the TFLite model to TOSA: its converter crashed "
        "(Segmentation fault)"
    )
    assert capfd.readouterr() == ("", "")


def test_the_operator_that_crashes_the_converter(refused):
    condition = """\
from hwc.frontend.flatbuffer import parse
    from hwc.frontend.tflite_schema import Model
    if len(parse(open(path, "rb").read(), Model).graphs[0].operators) > 1:
        os.kill(os.getpid(), 11)
    raise RuntimeError("no")"""
    assert refused(condition, model("ABS", "ADD")) == (
        "-: operator 1 (ADD, 'second'): error: cannot convert this operator to TOSA: its converter "
        "crashed (Segmentation fault)\nhelp: the operator may be damaged, or of a form that the "
        "converter does not know: write the file again, or express the operator with others"
    )


def test_the_report_and_its_options_know_the_names_of_the_file(tmp_path, capsys, monkeypatch):
    body = wrote("%0 = tosa.abs %arg0 : (tensor<1x4xf32>) -> tensor<1x4xf32> loc(#loc3)")
    (tmp_path / "tosa_converter_for_tflite.py").write_text(CONVERTER.format(body=body))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "m.tflite").write_bytes(model("ABS"))
    command = ["compile", str(tmp_path / "m.tflite"), "--report", "--keep-on-host"]
    assert main([*command, "ABS"]) == 0
    assert "      1  abs of ABS: it is kept on the host by request\n" in capsys.readouterr().err
    assert main([*command, "Abs"]) == 1
    assert capsys.readouterr().err == (
        "--keep-on-host: error: the model has no operator 'Abs'; it has ABS, abs\n"
    )


def test_the_converter_never_sees_what_would_crash_it(refused):
    never = "raise AssertionError('called')"
    assert refused(never, model("ABS", "CUSTOM", custom="ethos-u")) == (
        "-: operator 1 (ethos-u, 'second'): error: the operator 'ethos-u' is a program for Arm's "
        "Ethos-U, which Vela compiled\nhelp: give hwc the model from before Vela"
    )
    assert refused(never, model("CUSTOM", custom="Mine")).startswith(
        "-: operator 0 (Mine, 'first'): error: nothing computes the custom operator 'Mine'\n"
    )
    assert refused(never, model("ADD", inputs=(77,))) == (
        "-: operator 0 (ADD): error: this model is damaged: tensor 77 does not exist, the model "
        "has 4\nhelp: write the file again"
    )


def test_text_that_the_converter_wrote():
    """A scratch tensor of Vela has no elements: the operator that reads it is the reason."""
    for values in ('"0x"', "0"):
        text = f"""\
func.func @main(%x: tensor<1x4xi8>) -> tensor<1x2xi8> {{
  %s = "tosa.const"() <{{values = dense<{values}> : tensor<8xui8>}}> : () -> tensor<8xui8>
  %0 = tosa.custom %s, %x {{domain_name = "TFL", implementation_attrs = "", operator_name = "ethos-u"}} : (tensor<8xui8>, tensor<1x4xi8>) -> tensor<1x2xi8>
  return %0 : tensor<1x2xi8>
}}
"""  # noqa: E501 - as the converter writes it
        with pytest.raises(SourceError, match="^-:3:8: error: the operator 'ethos-u' is a program"):
            hwc.compile(text)
    with pytest.raises(SourceError, match="^-:1:4.*'tfl.no_value'|NO_VALUE"):
        hwc.compile('func.func @main() { %n = "tfl.no_value"() {value} : () -> none\n return }')


def test_the_operators_are_those_of_the_schema():
    litert = pytest.importorskip("ai_edge_litert.schema_py_generated")
    known = {
        number: name
        for name, number in vars(litert.BuiltinOperator).items()
        if isinstance(number, int)
    }
    assert known == dict(enumerate(schema.OPERATORS))
