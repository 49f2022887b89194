"""Packages with choices, from text of the stage `kernel`."""

from __future__ import annotations

from hwc.backend.package import build_package
from hwc.dialects import make_context
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.package import Package
from hwc.pipeline import STAGES, Settings, run_stages
from isa.target import load_target

EXP_ADD = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  kernel.size s0 = dim(argument 0, dimension 0)
  kernel.size s1 = dim(argument 0, dimension 1)
  kernel.size s2 = dim(argument 1, dimension 0)
  kernel.size s3 = dim(argument 1, dimension 1)
  kernel.size d0 = broadcast(s0, s2) in dimension 0 of "tosa.add"
  kernel.size d1 = broadcast(s1, s3) in dimension 1 of "tosa.add"
  %0 = kernel.choose -> tensor<?x?xf32> [d0, d1] "fused" {
    %1 = kernel.apply (%x = %a : tensor<?x?xf32>, %y = %b : tensor<?x?xf32>)
        -> tensor<?x?xf32> [d0, d1] from "tosa.exp", "tosa.add" {
      %2 = math.exp %x : f32
      %3 = arith.addf %2, %y : f32
      kernel.yield %3 : f32
    }
    kernel.yield %1 : tensor<?x?xf32>
  } or "keep-exp" {
    %1 = kernel.apply (%x = %a : tensor<?x?xf32>) -> tensor<?x?xf32> [s0, s1] from "tosa.exp" {
      %3 = math.exp %x : f32
      kernel.yield %3 : f32
    }
    %2 = kernel.apply (%x = %1 : tensor<?x?xf32>, %y = %b : tensor<?x?xf32>)
        -> tensor<?x?xf32> [d0, d1] from "tosa.add" {
      %3 = arith.addf %x, %y : f32
      kernel.yield %3 : f32
    }
    kernel.yield %2 : tensor<?x?xf32>
  }
  RETURN
}
"""
"""exp(a) + b, fused or with exp(a) in memory; RETURN is what the function goes on with."""

LAST = "return %0 : tensor<?x?xf32>"

TWICE = """%4 = kernel.choose -> tensor<?x?xf32> [d0, d1] "fused" {
    %5 = kernel.apply (%x = %a : tensor<?x?xf32>, %y = %0 : tensor<?x?xf32>)
        -> tensor<?x?xf32> [d0, d1] from "tosa.tanh", "tosa.mul" {
      %6 = math.tanh %x : f32
      %7 = arith.mulf %6, %y : f32
      kernel.yield %7 : f32
    }
    kernel.yield %5 : tensor<?x?xf32>
  } or "keep-tanh" {
    %5 = kernel.apply (%x = %a : tensor<?x?xf32>) -> tensor<?x?xf32> [s0, s1] from "tosa.tanh" {
      %6 = math.tanh %x : f32
      kernel.yield %6 : f32
    }
    %7 = kernel.apply (%x = %5 : tensor<?x?xf32>, %y = %0 : tensor<?x?xf32>)
        -> tensor<?x?xf32> [d0, d1] from "tosa.mul" {
      %8 = arith.mulf %x, %y : f32
      kernel.yield %8 : f32
    }
    kernel.yield %7 : tensor<?x?xf32>
  }
  return %4 : tensor<?x?xf32>"""
"""tanh(a) * (exp(a) + b), a second choice after the first."""


def package_of(text: str, target: str = "accel") -> Package:
    """Compile text of the stage `kernel` to a package."""
    context = make_context()
    module = parse(Source("m.mlir", text), context)
    of = load_target(target)
    run_stages(module, context, STAGES[-1:], Settings(of))
    return build_package(module, of, "m.mlir")


def one_choice(target: str = "accel") -> Package:
    """exp(a) + b."""
    return package_of(EXP_ADD.replace("RETURN", LAST), target)


def two_choices(target: str = "accel") -> Package:
    """tanh(a) * (exp(a) + b)."""
    return package_of(EXP_ADD.replace("RETURN", TWICE), target)
