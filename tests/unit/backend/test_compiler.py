"""The guarantees of `compile_package` about its packages."""

from dataclasses import replace

import pytest

from hwc import compiler
from hwc.frontend.source import Source
from isa.target import load_target

TEXT = "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}\n"


def test_an_inconsistent_package_is_a_bug_of_the_compiler(monkeypatch):
    build = compiler.build_package

    def without_buffers(*arguments):
        return replace(build(*arguments), buffers=())

    source, target = Source("x.mlir", TEXT), load_target("accel")
    assert compiler.compile_package(source, target).package.buffers
    monkeypatch.setattr(compiler, "build_package", without_buffers)
    with pytest.raises(AssertionError, match="input 0 names buffer 'input0', which does not exist"):
        compiler.compile_package(source, target)
