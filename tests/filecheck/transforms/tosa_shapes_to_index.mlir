// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg | %filecheck
// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel | %filecheck --check-prefix=KERNEL

// Shapes that the program computes, as operations of arith on index, and as steps of the shape program.

// CHECK-LABEL: func.func @split
// KERNEL-LABEL: func.func @split
func.func @split(%x: tensor<?x?xf32>) -> tensor<?x?x?xf32> {
  // CHECK: [[n:%.*]] = tensor.dim {source = "tosa.dim"} %x, %c0 : tensor<?x?xf32>
  %0 = tosa.dim %x {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  // CHECK: [[d:%.*]] = tensor.dim {source = "tosa.dim"} %x, %c1 : tensor<?x?xf32>
  %1 = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %2 = tosa.const_shape {values = dense<[8]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // CHECK: [[h:%.*]] = arith.divui [[d]], %c8 {source = "tosa.div_floor_shape"} : index
  %3 = tosa.div_floor_shape %1, %2 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %4 = tosa.concat_shape %0, %2, %3 : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  // CHECK: "hwc.reshape"(%x, [[n]], [[h]]) {source = "tosa.reshape"} : (tensor<?x?xf32>, index, index) -> tensor<?x8x?xf32>
  // KERNEL: kernel.size n0 = divui(s1, 8) of "tosa.div_floor_shape"
  // KERNEL-NEXT: kernel.size size(n0) of "tosa.reshape"
  // KERNEL-NEXT: kernel.size [s0, 8, n0] = reshape(s0, s1) of "tosa.reshape"
  // KERNEL-NEXT: kernel.reshape %x : tensor<?x?xf32> -> tensor<?x8x?xf32> [s0, 8, n0] from "tosa.reshape"
  %5 = tosa.reshape %x, %4 : (tensor<?x?xf32>, !tosa.shape<3>) -> tensor<?x?x?xf32>
  return %5 : tensor<?x?x?xf32>
}

// One size is computed, one follows from the number of elements.
// CHECK-LABEL: func.func @computed_and_inferred
// KERNEL-LABEL: func.func @computed_and_inferred
func.func @computed_and_inferred(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.dim %x {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %1 = tosa.const_shape {values = dense<[-1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %2 = tosa.concat_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<2>
  // CHECK: "hwc.reshape"(%x, {{%.*}}) <{inferred = 1 : i64}> {source = "tosa.reshape"} : (tensor<?x?xf32>, index) -> tensor<?x?xf32>
  // A size that the division works out is the other one: the symbol is s0.
  // KERNEL: kernel.size [s1, r0] = reshape(s0, s1) of "tosa.reshape"
  // KERNEL-NEXT: kernel.reshape %x : tensor<?x?xf32> -> tensor<?x?xf32> [s1, s0]
  %3 = tosa.reshape %x, %2 : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// What follows from constants and static sizes is a constant; no operation and no step is left.
// CHECK-LABEL: func.func @folds
// KERNEL-LABEL: func.func @folds
func.func @folds(%x: tensor<?x12xf32>) -> tensor<?x4x3xf32> {
  // CHECK-NEXT: %c0 = arith.constant 0 : index
  // CHECK-NEXT: [[n:%.*]] = tensor.dim {source = "tosa.dim"} %x, %c0 : tensor<?x12xf32>
  // CHECK-NEXT: "hwc.reshape"(%x, [[n]])
  // KERNEL-NEXT: kernel.size s0 = dim(argument 0, dimension 0)
  // KERNEL-NEXT: kernel.reshape
  %0 = tosa.dim %x {axis = 0 : i32} : (tensor<?x12xf32>) -> !tosa.shape<1>
  %1 = tosa.dim %x {axis = 1 : i32} : (tensor<?x12xf32>) -> !tosa.shape<1>
  %2 = tosa.const_shape {values = dense<[3, 2, 9]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %s = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %o = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  %3 = tosa.slice_shape %2, %s, %o : (!tosa.shape<3>, tensor<1xi32>, tensor<1xi32>) -> !tosa.shape<1>
  %4 = tosa.div_ceil_shape %1, %3 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %5 = tosa.concat_shape %0, %4, %3 : (!tosa.shape<1>, !tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<3>
  %6 = tosa.reshape %x, %5 : (tensor<?x12xf32>, !tosa.shape<3>) -> tensor<?x4x3xf32>
  return %6 : tensor<?x4x3xf32>
}

// A shape that nobody needs requires nothing.
// CHECK-LABEL: func.func @unused
func.func @unused(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: return
  // KERNEL-LABEL: func.func @unused
  // KERNEL-NEXT: kernel.size s0 = dim(argument 0, dimension 0)
  // KERNEL-NEXT: return
  %0 = tosa.dim %x {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  %1 = tosa.sub_shape %0, %0 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %2 = tosa.mod_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  return %x : tensor<?xf32>
}
