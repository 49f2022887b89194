"""`hwc info --json`: it keeps to its schema, and has what the text says."""

import json
from pathlib import Path

import jsonschema
import pytest

from hwc import package as hwx
from hwc.cli.contents import contents, contents_with_facts
from hwc.cli.info import describe
from hwc.cli.main import main
from hwc.compiler import compile_package
from hwc.frontend.source import Source
from isa.target import load_target

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs" / "info.schema.json").read_text())

CHOICE = """\
func.func @main(%a: tensor<?x?xf32> {hwc.symbols = ["n", "d"]}, %b: tensor<4x1xf32>)
    -> tensor<?x?xf32> attributes {hwc.assume = ["n in {1, 4}", "d % 8 == 0"]} {
  %c = "tosa.const"() {values = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>}
      : () -> tensor<4x1xf32>
  %0 = tosa.exp %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.add %0, %b : (tensor<?x?xf32>, tensor<4x1xf32>) -> tensor<?x?xf32>
  %2 = tosa.mul %1, %c, %shift : (tensor<?x?xf32>, tensor<4x1xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}
""".replace(
    "  %0 =",
    '  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>\n  %0 =',
    1,
)

EXP = """\
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.exp %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.add %0, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""
SCALAR = """\
func.func @main(%a: tensor<i8>) -> tensor<i8> {
  return %a : tensor<i8>
}
"""


def compiled(text):
    return compile_package(Source("m.mlir", text), load_target("accel")).package


@pytest.fixture
def packages(binary_package):
    return [binary_package(), *map(compiled, (CHOICE, EXP, SCALAR))]


def objects(schema):
    """Yield the schema of every object with its keys, at any depth."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for value in schema.values():
            yield from objects(value)


def test_the_schema_describes_every_key_and_allows_no_other():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = list(objects(SCHEMA))
    assert len(found) > 10
    for schema in found:
        assert set(schema["required"]) == set(schema["properties"])
        assert all(
            "description" in value or "const" in value for value in schema["properties"].values()
        )
    # The keys of a target are those of its file, which isa/target.py checks.
    assert [s["properties"] for s in found if s.get("additionalProperties") is not False] == [
        SCHEMA["properties"]["target"]["properties"]
    ]


def test_packages_keep_to_the_schema(packages):
    for package in packages:
        jsonschema.validate(contents_with_facts(package, "m.hwx"), SCHEMA)


def test_a_key_that_is_missing_is_noticed(binary_package):
    found = contents_with_facts(binary_package(), "m.hwx")
    for key in found:
        left = {k: v for k, v in found.items() if k != key}
        with pytest.raises(jsonschema.ValidationError, match=f"'{key}' is a required property"):
            jsonschema.validate(left, SCHEMA)


def test_the_text_is_made_of_the_json(packages):
    """Every word of `hwc info` is a value of the JSON, or one of the words of the report."""
    for package in packages:
        found = json.loads(json.dumps(contents(package, "m.hwx")))
        assert list(describe(found)) == list(describe(contents(package, "m.hwx")))


def test_the_command_prints_it(capsys, tmp_path):
    path = tmp_path / "m.hwx"
    hwx.save(compiled(EXP), path)
    assert main(["info", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["package"] == str(path)
    assert [t["shape"] for t in found["inputs"]] == [["s0", "s1"], ["s2", "s3"]]
    (choice,) = found["choices"]
    assert [a["name"] for a in choice["alternatives"]] == ["fused", "keep-exp"]
    case = next(c for c in choice["cases"] if c["shapes"] == [[64, 1], [64, "n"]])
    assert case["best"] == [
        {"from": 1, "alternative": "fused"},
        {"from": 10, "alternative": "keep-exp"},
    ]
    assert found["plan"] == "fused"
    (dispatch,) = found["dispatches"]
    assert dispatch["kernels"] == ["tosa.exp, tosa.add"]
    assert {"buffer": "input0"} in dispatch["parameters"]
    assert {"symbol": "s0"} in dispatch["parameters"]


def test_facts_in_json():
    found = {fact["size"]: fact for fact in contents_with_facts(compiled(CHOICE), "m")["facts"]}
    n, d = found["n"], found["d"]
    assert (n["origin"], n["values"], n["low"], n["high"]) == ("%a.0", [1, 4], 1, 4)
    assert (d["modulus"], d["remainder"], d["values"], d["text"]) == (8, 0, None, "a multiple of 8")
