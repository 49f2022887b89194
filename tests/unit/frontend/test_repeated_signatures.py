"""Types of operations that are written as before are not parsed again: nothing else differs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from parsed import outcome

from hwc.frontend import xdsl_parser

TESTS = Path(__file__).resolve().parents[2]
FILES = sorted(str(path.relative_to(TESTS)) for path in TESTS.rglob("*.mlir"))
NEVER = re.compile(r"(?!)")

ONE = "(tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>"
TAILS = {
    "the same": ONE,
    "spaces": ONE.replace(" ", "  "),
    "no spaces": ONE.replace(" ", ""),
    "a line break": ONE.replace(" ->", "\n   ->"),
    "a comment": ONE.replace(" ->", " // comment\n ->"),
    "a comment after": f"{ONE} // comment",
    "a list of results": ONE.replace("-> tensor<?x4xf32>", "-> (tensor<?x4xf32>)"),
    "a location": f"{ONE} loc(unknown)",
    "an alias": ONE.replace("-> tensor<?x4xf32>", "-> !kind"),
    "hexadecimal": ONE.replace("?x4xf32", "0x4xf32"),
    "an encoding": ONE.replace("-> tensor<?x4xf32>", '-> tensor<?x4xf32, "code">'),
    "no rank": ONE.replace("?x4xf32", "*xf32"),
    "wrong operands": ONE.replace("(tensor<?x4xf32>, ", "("),
    "an unknown type": ONE.replace("f32", "f31"),
    "a wide integer": ONE.replace("f32", "i4000"),
    "an end": ONE[:-1],
    "a word after": f"{ONE} word",
    "a letter after": f"{ONE}x",
}
"""Signatures of the second operation; the first one has the usual form."""


def both(monkeypatch, text: str) -> tuple[str, str]:
    """The outcomes with types that are recalled, and with xDSL's parser alone."""
    recalled = outcome(text)
    with monkeypatch.context() as patch:
        patch.setattr(xdsl_parser, "SIGNATURE", NEVER)
        patch.setattr(xdsl_parser, "TENSOR_TYPE", NEVER)
        return recalled, outcome(text)


@pytest.mark.parametrize("name", FILES)
def test_every_program_of_the_tests_is_read_as_xdsl_reads_it(monkeypatch, name):
    for part in (TESTS / name).read_text().split("// -----"):
        recalled, parsed = both(monkeypatch, part)
        assert recalled == parsed


@pytest.mark.parametrize("tail", TAILS)
def test_a_signature_in_another_form_is_read_as_xdsl_reads_it(monkeypatch, tail):
    text = f"""!kind = tensor<?x4xf32>
func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {{
  %0 = tosa.add %a, %a : {ONE}
  %1 = tosa.add %0, %a : {TAILS[tail]}
  %2 = tosa.add %0, %a : {TAILS[tail]}
  return %1 : tensor<?x4xf32>
}}
"""
    recalled, parsed = both(monkeypatch, text)
    assert recalled == parsed


def test_a_signature_is_parsed_once(monkeypatch):
    seen: list[str] = []
    original = xdsl_parser.Parser.parse_optional_function_type

    def parse_slowly(self):
        line = self.source.text[self.pos :].partition("\n")[0]
        if line.startswith("("):
            seen.append(line)
        return original(self)

    monkeypatch.setattr(xdsl_parser.Parser, "parse_optional_function_type", parse_slowly)
    lines = "".join(f"  %{i} = tosa.add %a, %a : {ONE}\n" for i in range(9))
    outcome(
        f"func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {{\n{lines}"
        "  return %0 : tensor<?x4xf32>\n}\n"
    )
    assert seen == [ONE]


CONSTANTS = {
    "the same": "dense<1> : tensor<4xi32>",
    "another element": "dense<1.0> : tensor<4xf32>",
    "an alias": "dense<1> : !kind",
    "with a comment": "dense<1> : tensor<4xi32> // four",
    "dynamic": "dense<1> : tensor<?xi32>",
    "too large": "dense<1> : tensor<65536x65536xi32>",
    "an element that does not fit": "dense<300> : tensor<4xi8>",
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_type_of_a_constant_is_read_as_xdsl_reads_it(monkeypatch, name):
    lines = "".join(
        f"  %{i} = arith.constant {text}\n"
        for i, text in enumerate(["dense<7> : tensor<4xi32>", *[CONSTANTS[name]] * 2])
    )
    recalled, parsed = both(
        monkeypatch, f"!kind = tensor<4xi32>\nfunc.func @main() {{\n{lines}  return\n}}\n"
    )
    assert recalled == parsed


def test_the_type_of_a_constant_is_parsed_once(monkeypatch):
    seen: list[int] = []
    original = xdsl_parser.Parser._parse_dense_literal_type

    def parse_slowly(self):
        seen.append(self.pos)
        return original(self)

    monkeypatch.setattr(xdsl_parser.Parser, "_parse_dense_literal_type", parse_slowly)
    lines = "".join(f"  %{i} = arith.constant dense<{i}> : tensor<4xi32>\n" for i in range(9))
    outcome(f"func.func @main() {{\n{lines}  return\n}}\n")
    assert len(seen) == 1
