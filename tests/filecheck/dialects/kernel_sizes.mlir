// RUN: %hwc-opt "%s" | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %hwc-opt | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %filecheck --check-prefix GENERIC

// The printed text is read again: the text of the step, and the source operation that requires it.

// CHECK-LABEL: func.func @steps
// CHECK-NEXT: kernel.size s0 = dim(argument 0, dimension 1)
// CHECK-NEXT: kernel.size d0 = broadcast(s0, 4, 1) in dimension 0 of "tosa.add"
// CHECK-NEXT: kernel.size 4 = broadcast(s0, d0) of "tosa.add"
// CHECK-NEXT: kernel.size equal(s0, 4) in dimension 2 of "tosa.exp" {note = "kept"}
// CHECK-NEXT: kernel.size [4, r0] = reshape(s0, 5) of "tosa.reshape"
// CHECK-NEXT: kernel.size [] = reshape(1)
// CHECK-NEXT: return
// GENERIC-LABEL: steps
// GENERIC: "kernel.size"() <{step = #kernel.step<s0 = dim(argument 0, dimension 1)>}> : () -> ()
// GENERIC: "kernel.size"() <{step = #kernel.step<d0 = broadcast(s0, 4, 1)>, source = "tosa.add", dimension = 0 : i64}> : () -> ()
func.func @steps(%a: tensor<4x?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 1)
  kernel.size d0 = broadcast(s0, 4, 1) in dimension 0 of "tosa.add"
  kernel.size 4 = broadcast(s0, d0) of "tosa.add"
  kernel.size equal(s0, 4) in dimension 2 of "tosa.exp" {note = "kept"}
  kernel.size [4, r0] = reshape(s0, 5) of "tosa.reshape"
  kernel.size [] = reshape(1)
  return
}
