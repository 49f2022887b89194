// RUN: %hwc-opt "%s" -p verify-tosa,convert-linalg-to-kernel | %filecheck

// CHECK-LABEL: func.func @groups
func.func @groups(%a: tensor<?x?x6xf32>) -> (tensor<?x?x2x3xf32>, tensor<?x6xf32>, tensor<?x?x6xf32>) {
  // CHECK-NEXT: kernel.size s0 = dim(argument 0, dimension 0)
  // CHECK-NEXT: kernel.size s1 = dim(argument 0, dimension 1)
  // CHECK-NEXT: kernel.size [r0] = reshape(s0, s1) of "tensor.collapse_shape"
  // The last reshape gives dimensions the sizes that they had: there is nothing to check.
  // CHECK-NEXT: [[split:%.*]] = kernel.reshape %a : tensor<?x?x6xf32> -> tensor<?x?x2x3xf32> [s0, s1, 2, 3] from "tensor.expand_shape"
  // CHECK-NEXT: kernel.reshape %a : tensor<?x?x6xf32> -> tensor<?x6xf32> [r0, 6] from "tensor.collapse_shape"
  // CHECK-NEXT: kernel.reshape [[split]] : tensor<?x?x2x3xf32> -> tensor<?x?x6xf32> [s0, s1, 6] from "tensor.collapse_shape"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?x6xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?x6xf32>
  %0 = tensor.expand_shape %a [[0], [1], [2, 3]] output_shape [%d0, %d1, 2, 3] : tensor<?x?x6xf32> into tensor<?x?x2x3xf32>
  %1 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x?x6xf32> into tensor<?x6xf32>
  %2 = tensor.collapse_shape %0 [[0], [1], [2, 3]] : tensor<?x?x2x3xf32> into tensor<?x?x6xf32>
  return %0, %1, %2 : tensor<?x?x2x3xf32>, tensor<?x6xf32>, tensor<?x?x6xf32>
}

// CHECK-LABEL: func.func @scalars
func.func @scalars(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
  // Equal values are worked out once, and what changes nothing is left out.
  %0 = arith.addi %d0, %c0 : index
  %1 = arith.muli %c1, %0 : index
  // CHECK: kernel.size n0 = muli(s0, s1) of "arith.muli"
  %2 = arith.muli %1, %d1 : index
  %3 = arith.muli %d0, %d1 : index
  // CHECK-NEXT: kernel.size n1 = eq(s0, 1) of "arith.cmpi"
  %4 = arith.cmpi eq, %d0, %c1 : index
  // CHECK-NEXT: kernel.size n2 = select(n1, s1, n0) of "arith.select"
  %5 = arith.select %4, %d1, %2 : index
  // CHECK-NEXT: kernel.size n3 = maxsi(n2, n0) of "arith.maxsi"
  %6 = arith.maxsi %5, %3 : index
  // CHECK-NEXT: kernel.size n4 = fits_i32(n3) of "arith.index_cast"
  %7 = arith.index_cast %6 : index to i32
  %8 = arith.extsi %7 : i32 to i64
  %9 = arith.index_cast %8 : i64 to index
  // CHECK-NEXT: kernel.size size(n4) of "tensor.reshape"
  // CHECK-NEXT: kernel.size [n4] = reshape(s0, s1) of "tensor.reshape"
  // CHECK-NEXT: kernel.reshape %a
  %10 = tensor.from_elements %9 : tensor<1xindex>
  %11 = tensor.reshape %a(%10) : (tensor<?x?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %11 : tensor<?xf32>
}

// Elements that the host holds: of an argument, of a constant, and of sizes.
// CHECK-LABEL: func.func @elements
func.func @elements(%a: tensor<?xf32>, %t: tensor<?x2xi16>) -> tensor<?x?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %known = arith.constant dense<[[5, 3], [7, 1]]> : tensor<2x2xi64>
  %three = tensor.extract %known[%c0, %c1] : tensor<2x2xi64>
  %0 = arith.index_cast %three : i64 to index
  %d0 = tensor.dim %t, %c0 : tensor<?x2xi16>
  %1 = arith.subi %d0, %c1 : index
  // CHECK: kernel.size n0 = subi(s1, 1) of "arith.subi"
  // CHECK-NEXT: kernel.size e0 = element(argument 1, [n0, 1]) of "tensor.extract"
  %2 = tensor.extract %t[%1, %c1] : tensor<?x2xi16>
  %3 = arith.index_cast %2 : i16 to index
  %4 = tensor.from_elements %d0, %3, %0 : tensor<3xindex>
  %5 = tensor.extract %4[%c1] : tensor<3xindex>
  // CHECK-NEXT: kernel.size size(e0) of "tensor.expand_shape"
  // CHECK-NEXT: kernel.size [e0, s1, 3] = reshape(s0) of "tensor.expand_shape"
  %6 = tensor.expand_shape %a [[0, 1, 2]] output_shape [%5, %d0, 3] : tensor<?xf32> into tensor<?x?x3xf32>
  return %6 : tensor<?x?x3xf32>
}

// Sizes that no call changes: neither steps nor symbols are left.
// CHECK-LABEL: func.func @static
func.func @static(%a: tensor<4x6xf32>) -> tensor<?x?xf32> {
  // CHECK-NEXT: kernel.reshape %a : tensor<4x6xf32> -> tensor<3x8xf32> [3, 8] from "tensor.reshape"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %a, %c0 : tensor<4x6xf32>
  %d1 = tensor.dim %a, %c1 : tensor<4x6xf32>
  %0 = arith.divsi %d1, %c2 : index
  %1 = arith.shli %d0, %c1 : index
  %2 = tensor.from_elements %0, %1 : tensor<2xindex>
  %3 = tensor.reshape %a(%2) : (tensor<4x6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
