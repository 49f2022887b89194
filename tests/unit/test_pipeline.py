"""The loop that runs passes: which passes it leaves out, and when it verifies the module."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from hwc.dialects import make_context
from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.pipeline import VERIFY_EACH, Timing, run_passes
from hwc.transforms.hoist_reshapes import HoistReshapes

RESHAPE = """
func.func @main(%a: tensor<4xf32>) -> tensor<2x2xf32> {
  %b = kernel.reshape %a : tensor<4xf32> -> tensor<2x2xf32> [2, 2]
  func.return %b : tensor<2x2xf32>
}
"""
KERNEL = """
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] from "tosa.abs" {
    %y = math.absf %x : f32
    kernel.yield %y : f32
  }
  func.return %b : tensor<4xf32>
}
"""
NO_RESHAPE = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {return %a : tensor<4xf32>}"


@irdl_op_definition
class NeverValid(IRDLOperation):
    """An operation that every verification refuses."""

    name = "test.never_valid"

    def verify_(self) -> None:
        """Refuse."""
        raise VerifyException("never valid")


@dataclass(frozen=True)
class Noting(ModulePass):
    """A pass that has work or not, and that notes when it is applied."""

    name = "noting"

    needed: bool
    applied: list[ModuleOp] = field(default_factory=list)

    def has_work(self, module: ModuleOp) -> bool:
        """Return what the test wants."""
        return self.needed

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Note the module."""
        self.applied.append(op)


def module_of(text: str) -> ModuleOp:
    """Parse a module of any of the project's dialects."""
    return parse(Source("test.mlir", text), make_context())


@pytest.mark.parametrize("needed", [True, False])
def test_a_pass_without_work_is_left_out_but_listed(needed):
    noting, timing, after = Noting(needed), Timing(), []
    run_passes(ModuleOp([]), Context(), [noting], timing, lambda name, _: after.append(name))
    assert bool(noting.applied) == needed
    assert [name for name, _ in timing.seconds] == after == ["noting"]


@pytest.mark.parametrize("needed", [True, False])
def test_an_invalid_module_never_reaches_a_pass_nor_the_end(needed):
    module, noting = ModuleOp([]), Noting(needed)
    module.body.block.add_op(NeverValid())
    with pytest.raises(LocatedError, match="never valid"):
        run_passes(module, Context(), [noting])
    assert not noting.applied


@pytest.mark.parametrize(("text", "has_work"), [(RESHAPE, True), (NO_RESHAPE, False)])
def test_reshapes_are_hoisted_only_where_there_are_some(text, has_work):
    assert HoistReshapes().has_work(module_of(text)) == has_work


def test_a_value_that_is_used_before_it_is_defined_never_reaches_a_pass():
    module, noting = module_of(RESHAPE), Noting(True)
    (function,) = module.body.block.ops
    reshape = function.regions[0].block.first_op
    reshape.detach()
    function.regions[0].block.add_op(reshape)
    with pytest.raises(LocatedError, match=r"'func\.return' uses operand 0 before it is defined"):
        run_passes(module, Context(), [noting])
    assert not noting.applied


def test_a_value_of_a_region_that_has_ended_never_reaches_a_pass():
    module, noting = module_of(KERNEL), Noting(True)
    (function,) = module.body.block.ops
    kernel, end = function.regions[0].block.ops
    end.operands = kernel.regions[0].block.first_op.results
    with pytest.raises(LocatedError, match=r"'func\.return' uses operand 0 before it is defined"):
        run_passes(module, Context(), [noting])
    assert not noting.applied


@dataclass(frozen=True)
class Breaking(Noting):
    """A pass that leaves an invalid module."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Break the module."""
        super().apply(ctx, op)
        op.body.block.add_op(NeverValid())


@pytest.mark.parametrize("each", [True, False])
def test_a_pass_that_breaks_the_module_is_noticed_at_once_if_passes_are_verified(each):
    breaking, after = Breaking(True), Noting(True)
    with pytest.raises(LocatedError, match="never valid"):
        run_passes(ModuleOp([]), Context(), [breaking, after], verify_each=each)
    assert breaking.applied
    assert bool(after.applied) != each


@pytest.mark.parametrize("reason", ["the environment", "a listener"])
def test_passes_are_verified_between_where_someone_looks(monkeypatch, reason):
    monkeypatch.setenv(VERIFY_EACH, "1" if reason == "the environment" else "")
    after = Noting(True)
    listener = None if reason == "the environment" else lambda name, module: None
    with pytest.raises(LocatedError, match="never valid"):
        run_passes(ModuleOp([]), Context(), [Breaking(True), after], after_pass=listener)
    assert not after.applied
