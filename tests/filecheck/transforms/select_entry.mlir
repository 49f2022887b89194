// RUN: %hwc-opt "%s" -p select-entry | %filecheck
// RUN: %hwc-opt "%s" -p 'select-entry{entry="other"}' | %filecheck --check-prefix OTHER
// RUN: %hwc-opt "%s" -p 'select-entry{entry="none"}' --verify-diagnostics --split-input-file | %filecheck --check-prefix NONE

// CHECK-NOT: @other
// CHECK: func.func @main
// CHECK-NOT: @declared
// OTHER: func.func @other
// OTHER-NOT: @main
// NONE: select_entry.mlir:11:1: error: there is no function @none to compile; there are @other, @main
func.func @other(%a: tensor<3xf32>) {
  return
}
func.func @main(%a: tensor<3xf32>) {
  return
}
func.func private @declared(tensor<3xf32>)

// -----

// NONE: error: there is no function to compile
module {
}
