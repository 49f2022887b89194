// RUN: %hwc-opt "%s" --split-input-file -p convert-kernel-to-strip --verify-diagnostics | %filecheck

// A kernel fills the table for the kernel that follows it, which has no stream of the table.

// CHECK-LABEL: func.func @table
// CHECK-NEXT: strip.kernel ([[t:%.*]] = %t : tensor<256xi8> [256]) -> tensor<256xi8> [256] from "table" {
// CHECK-NEXT:   [[f:%.*]] = strip.fill [[t]]
// CHECK-NEXT:   strip.yield [[f]]
// CHECK-NEXT: }
// CHECK-NEXT: strip.kernel ([[x:%.*]] = %a : tensor<4xi8> [4]) -> tensor<4xi8> [4] {
// CHECK-NEXT:   [[r:%.*]] = strip.lookup.i8 [[x]]
// CHECK-NEXT:   strip.yield [[r]]
func.func @table(%a: tensor<4xi8>, %t: tensor<256xi8>) -> tensor<4xi8> {
  %0 = kernel.table %t : tensor<256xi8> -> tensor<i8>
  %1 = kernel.apply (%y = %0 : tensor<i8>, %x = %a : tensor<4xi8>) -> tensor<4xi8> [4] {
    %2 = "hwc.lookup"(%y, %x) : (i8, i8) -> i8
    kernel.yield %2 : i8
  }
  return %1 : tensor<4xi8>
}

// -----

func.func @no_table(%a: tensor<4xi8>, %t: tensor<i8>) -> tensor<4xi8> {
  %0 = kernel.apply (%y = %t : tensor<i8>, %x = %a : tensor<4xi8>) -> tensor<4xi8> [4] {
    // expected-error @+1 {{'hwc.lookup' reads a table that is no result of 'kernel.table'}}
    %1 = "hwc.lookup"(%y, %x) : (i8, i8) -> i8
    kernel.yield %1 : i8
  }
  return %0 : tensor<4xi8>
}

// -----

func.func @two_tables(%a: tensor<4xi8>, %t: tensor<256xi8>, %u: tensor<256xi8>) -> tensor<4xi8> {
  %0 = kernel.table %t : tensor<256xi8> -> tensor<i8>
  %1 = kernel.table %u : tensor<256xi8> -> tensor<i8>
  %2 = kernel.apply (%y = %0 : tensor<i8>, %z = %1 : tensor<i8>, %x = %a : tensor<4xi8>) -> tensor<4xi8> [4] {
    %3 = "hwc.lookup"(%y, %x) : (i8, i8) -> i8
    // expected-error @+1 {{the kernel reads two tables}}
    %4 = "hwc.lookup"(%z, %3) : (i8, i8) -> i8
    kernel.yield %4 : i8
  }
  return %2 : tensor<4xi8>
}
