// RUN: %hwc-opt "%s" | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %hwc-opt | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %filecheck --check-prefix GENERIC

// The printed text is read again: `%x = %a` names the region's argument and its input, sizes come
// after the type of a result.

// CHECK-LABEL: func.func @one_result
// CHECK-NEXT: %0 = kernel.apply (%x = %a : tensor<?x?xf32>, %y = %b : tensor<1x?xf32>) -> tensor<?x?xf32> [s0, d1] from "tosa.add", "tosa.mul" {
// CHECK-NEXT:   %1 = arith.addf %x, %y : f32
// CHECK-NEXT:   %2 = arith.mulf %1, %y : f32
// CHECK-NEXT:   kernel.yield %2 : f32
// CHECK-NEXT: }
// GENERIC-LABEL: one_result
// GENERIC: "kernel.apply"(%a, %b) <{sizes = {{\[\[}}"s0", "d1"{{\]\]}}, source = ["tosa.add", "tosa.mul"]}> ({
func.func @one_result(%a: tensor<?x?xf32>, %b: tensor<1x?xf32>) {
  %0 = kernel.apply (%x = %a : tensor<?x?xf32>, %y = %b : tensor<1x?xf32>) -> tensor<?x?xf32> [s0, d1] from "tosa.add", "tosa.mul" {
    %1 = arith.addf %x, %y : f32
    %2 = arith.mulf %1, %y : f32
    kernel.yield %2 : f32
  }
  return
}

// CHECK-LABEL: func.func @two_results
// CHECK-NEXT: %0, %1 = kernel.apply (%x = %a : tensor<4xi8>) -> (tensor<4xi8> [4], tensor<1x4xi32> [1, 4]) attributes {note = "kept"} {
// CHECK-NEXT:   %2 = arith.extsi %x : i8 to i32
// CHECK-NEXT:   kernel.yield %x, %2 : i8, i32
// CHECK-NEXT: }
func.func @two_results(%a: tensor<4xi8>) {
  %0, %1 = kernel.apply (%x = %a : tensor<4xi8>) -> (tensor<4xi8> [4], tensor<1x4xi32> [1, 4])
      attributes {note = "kept"} {
    %2 = arith.extsi %x : i8 to i32
    kernel.yield %x, %2 : i8, i32
  }
  return
}

// Without inputs; a scalar has no sizes; a symbol that is not an identifier is quoted.

// CHECK-LABEL: func.func @no_inputs
// CHECK-NEXT: %0 = kernel.apply () -> tensor<f32> [] {
// CHECK: %1 = kernel.apply () -> tensor<?xf32> ["batch size"] from "copy" {
func.func @no_inputs() {
  %0 = kernel.apply () -> tensor<f32> [] {
    %1 = arith.constant 1.0 : f32
    kernel.yield %1 : f32
  }
  %2 = kernel.apply () -> tensor<?xf32> ["batch size"] from "copy" {
    %3 = arith.constant 1.0 : f32
    kernel.yield %3 : f32
  }
  return
}

// CHECK-LABEL: func.func @reshapes
// CHECK-NEXT: %0 = kernel.reshape %a : tensor<?xf32> -> tensor<?x1xf32> [s0, 1] from "tosa.reshape"
// CHECK-NEXT: %1 = kernel.reshape %a : tensor<?xf32> -> tensor<f32> [] attributes {note}
// CHECK-NEXT: %2 = kernel.reshape %1 : tensor<f32> -> tensor<?x3xf32> ["a b", 3] from "tosa.reshape" attributes {note}
// GENERIC-LABEL: reshapes
// GENERIC: "kernel.reshape"(%a) <{sizes = ["s0", 1 : i64], source = "tosa.reshape"}> : (tensor<?xf32>) -> tensor<?x1xf32>
func.func @reshapes(%a: tensor<?xf32>) {
  %0 = kernel.reshape %a : tensor<?xf32> -> tensor<?x1xf32> [s0, 1] from "tosa.reshape"
  %1 = kernel.reshape %a : tensor<?xf32> -> tensor<f32> [] attributes {note}
  %2 = kernel.reshape %1 : tensor<f32> -> tensor<?x3xf32> ["a b", 3] from "tosa.reshape" attributes {note}
  return
}

// CHECK-LABEL: func.func @tables
// CHECK-NEXT: %0 = kernel.table %t : tensor<256xi8> -> tensor<i8>
// CHECK-NEXT: %1 = kernel.table %u : tensor<?xi16> -> tensor<i16>
// CHECK-NEXT: %2 = kernel.apply (%x = %a : tensor<4xi8>, %y = %0 : tensor<i8>) -> tensor<4xi8> [4] {
// CHECK-NEXT:   %3 = "hwc.lookup"(%y, %x) : (i8, i8) -> i8
// CHECK-NEXT:   kernel.yield %3 : i8
func.func @tables(%a: tensor<4xi8>, %t: tensor<256xi8>, %u: tensor<?xi16>) {
  %0 = kernel.table %t : tensor<256xi8> -> tensor<i8>
  %1 = kernel.table %u : tensor<?xi16> -> tensor<i16>
  %2 = kernel.apply (%x = %a : tensor<4xi8>, %y = %0 : tensor<i8>) -> tensor<4xi8> [4] {
    %3 = "hwc.lookup"(%y, %x) : (i8, i8) -> i8
    kernel.yield %3 : i8
  }
  return
}
