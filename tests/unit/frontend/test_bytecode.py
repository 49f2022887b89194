"""MLIR bytecode is read by mlir-opt; without it, or if it cannot, there is one clear error."""

from __future__ import annotations

import subprocess

import pytest

import hwc
from hwc.errors import UserError
from hwc.frontend import bytecode

TEXT = """
func.func @main(%x: tensor<?xi8> {hwc.symbols = ["n"]}) -> tensor<?xi8> {
  %0 = tosa.abs %x : (tensor<?xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
"""


@pytest.fixture(name="content", scope="module")
def _content(mlir_opt_path):
    """The bytecode of `TEXT`."""
    command = [mlir_opt_path, "--emit-bytecode", "--allow-unregistered-dialect"]
    return subprocess.run(command, input=TEXT.encode(), capture_output=True, check=True).stdout


def test_bytecode_is_read(content):
    package = hwc.compile(content).package
    assert package.constants == hwc.compile(TEXT).package.constants
    assert "n" in package.shape_program.symbols


def test_damaged_bytecode(content):
    with pytest.raises(UserError, match=r"^-: error: mlir-opt cannot read this bytecode: [a-z]"):
        hwc.compile(content[:40])


def test_bytecode_without_mlir_opt(content, monkeypatch):
    monkeypatch.setattr(bytecode, "find_mlir_opt", lambda: None)
    with pytest.raises(UserError, match=r"^-: error: this is MLIR bytecode, and there is no mlir-"):
        hwc.compile(content)


def test_a_tool_that_does_not_run(content, monkeypatch, tmp_path):
    monkeypatch.setattr(bytecode, "find_mlir_opt", lambda: str(tmp_path))
    with pytest.raises(UserError, match=r"^-: error: cannot read the bytecode: "):
        hwc.compile(content)
