// RUN: %hwc-opt "%s" | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %hwc-opt | %filecheck

// CHECK-LABEL: func.func @tensors
// CHECK: %0 = kernel.host tensor<3xi32> [3] = [s0, -7, n0]
// CHECK-NEXT: %1 = kernel.host tensor<i1> [] = [1] {note = "kept"}
// CHECK-NEXT: %2 = kernel.host tensor<?xi32> [s0] = positions
func.func @tensors(%a: tensor<?xf32>) -> tensor<?xi32> {
  kernel.size s0 = dim(argument 0, dimension 0)
  kernel.size n0 = subi(s0, 5) of "arith.subi"
  %0 = kernel.host tensor<3xi32> [3] = [s0, -7, n0]
  %1 = kernel.host tensor<i1> [] = [1] {note = "kept"}
  %2 = kernel.host tensor<?xi32> [s0] = positions
  return %2 : tensor<?xi32>
}
