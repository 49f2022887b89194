// RUN: %hwc-opt "%s" | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %hwc-opt | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %filecheck --check-prefix GENERIC

// Streams with their sizes, instructions with the register of their result.

// CHECK-LABEL: func.func @registers
// CHECK-NEXT: %0 = strip.kernel (%x = %a : tensor<?x?xf32> [s0, s1], %y = %b : tensor<?xf32> [s1]) -> tensor<?x?xf32> [s0, s1] from "tosa.add", "tosa.clamp" {
// CHECK-NEXT:   %zero = strip.imm 0x0
// CHECK-NEXT:   %1 = strip.add.f32 %x, %y : v0
// CHECK-NEXT:   %2 = strip.max.f32 %1, %zero : o0
// CHECK-NEXT:   strip.yield %2
// CHECK-NEXT: }
// GENERIC-LABEL: registers
// GENERIC: "strip.kernel"(%a, %b) <{input_sizes = {{\[\[}}"s0", "s1"], ["s1"{{\]\]}}, output_sizes = {{\[\[}}"s0", "s1"{{\]\]}}, source = ["tosa.add", "tosa.clamp"]}> ({
// GENERIC-NEXT: ^bb0(%x: !strip.reg<s0>, %y: !strip.reg<s1>):
// GENERIC-NEXT:   %zero = "strip.imm"() <{value = 0 : i32}> : () -> !strip.reg<imm>
// GENERIC-NEXT:   %1 = "strip.add.f32"(%x, %y) : (!strip.reg<s0>, !strip.reg<s1>) -> !strip.reg<v0>
// GENERIC-NEXT:   %2 = "strip.max.f32"(%1, %zero) : (!strip.reg<v0>, !strip.reg<imm>) -> !strip.reg<o0>
// GENERIC-NEXT:   "strip.yield"(%2) : (!strip.reg<o0>) -> ()
func.func @registers(%a: tensor<?x?xf32>, %b: tensor<?xf32>) {
  %0 = strip.kernel (%x = %a : tensor<?x?xf32> [s0, s1], %y = %b : tensor<?xf32> [s1]) -> tensor<?x?xf32> [s0, s1] from "tosa.add", "tosa.clamp" {
    %zero = strip.imm 0
    %1 = strip.add.f32 %x, %y : v0
    %2 = strip.max.f32 %1, %zero : o0
    strip.yield %2
  }
  return
}

// Before registers are allocated; immediates are 32 bits, written as bits or as a number.

// CHECK-LABEL: func.func @no_registers
// CHECK-NEXT: %0, %1 = strip.kernel () -> (tensor<4xi32> [4], tensor<4xi8> [4]) {
// CHECK-NEXT:   %low = strip.imm 0xfffffffb
// CHECK-NEXT:   %high = strip.imm 0xffffffff
// CHECK-NEXT:   %2 = strip.mov %low {note = 1 : i64}
// CHECK-NEXT:   %3 = strip.mov %high
// CHECK-NEXT:   strip.yield %2, %3
// GENERIC-LABEL: no_registers
// GENERIC: "strip.imm"() <{value = -5 : i32}>
// GENERIC: "strip.mov"(%low) {note = 1 : i64} : (!strip.reg<imm>) -> !strip.reg
func.func @no_registers() {
  %0, %1 = strip.kernel () -> (tensor<4xi32> [4], tensor<4xi8> [4]) {
    %low = strip.imm -5
    %high = strip.imm 0xFFFFFFFF
    %2 = strip.mov %low {note = 1}
    %3 = strip.mov %high
    strip.yield %2, %3
  }
  return
}
