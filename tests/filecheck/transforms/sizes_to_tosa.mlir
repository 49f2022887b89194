// RUN: %hwc-opt "%s" -p 'verify-tosa,specialize{dims="x=?x12"},normalize-tosa' | %filecheck

// What TOSA has operators for becomes them; what follows from known sizes is a constant.
// CHECK-LABEL: func.func @sizes
func.func @sizes(%x: tensor<?x?xf32>, %s: tensor<1xi32>) -> (tensor<?x?x2xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // CHECK: [[n:%.*]] = tosa.dim %x {axis = 0 : i32} : (tensor<?x12xf32>) -> !tosa.shape<1>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %h = arith.divui %d, %c2 : index
  // CHECK: tosa.reshape %x, {{%.*}} : (tensor<?x12xf32>, !tosa.shape<3>) -> tensor<?x6x2xf32>
  %0 = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, %h, 2] : tensor<?x?xf32> into tensor<?x?x2xf32>
  // CHECK: [[twice:%.*]] = tosa.mul_shape [[n]], {{%.*}} : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %1 = arith.muli %n, %c2 : index
  %2 = arith.index_cast %1 : index to i64
  %3 = arith.index_cast %2 : i64 to index
  %4 = tensor.from_elements %3, %h : tensor<2xindex>
  %5 = tensor.extract %4[%c0] : tensor<2xindex>
  %6 = tensor.from_elements %5, %h : tensor<2xindex>
  // CHECK: tosa.concat_shape [[twice]],
  // CHECK-NEXT: tosa.reshape %x, {{%.*}} : (tensor<?x12xf32>, !tosa.shape<2>) -> tensor<?x6xf32>
  %7 = tensor.reshape %x(%6) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  // An element has no form in TOSA.
  // CHECK: tensor.reshape %x({{.*}}) : (tensor<?x12xf32>, tensor<1xindex>) -> tensor<?xf32>
  %8 = tensor.extract %s[%c0] : tensor<1xi32>
  %9 = arith.index_cast %8 : i32 to index
  %10 = tensor.from_elements %9 : tensor<1xindex>
  %11 = tensor.reshape %x(%10) : (tensor<?x?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %0, %7, %11 : tensor<?x?x2xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @casts_and_ranks
func.func @casts_and_ranks(%x: tensor<?x?xf32>, %p: tensor<1x1xf32>) -> (tensor<?x?xf32>, tensor<3x?xf32>, tensor<f32>) {
  // A cast that forgets a size goes, one that checks a size stays.
  // CHECK-NOT: to tensor<?x?xf32>
  // CHECK: [[abs:%.*]] = tosa.abs %x : (tensor<?x12xf32>) -> tensor<?x12xf32>
  %0 = tensor.cast %x : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = tosa.abs %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: tensor.cast %x : tensor<?x12xf32> to tensor<3x12xf32>
  %2 = tensor.cast %x : tensor<?x?xf32> to tensor<3x?xf32>
  // CHECK: tosa.reshape %p, {{%.*}} : (tensor<1x1xf32>, !tosa.shape<0>) -> tensor<f32>
  %3 = tensor.collapse_shape %p [] : tensor<1x1xf32> into tensor<f32>
  return %1, %2, %3 : tensor<?x?xf32>, tensor<3x?xf32>, tensor<f32>
}

// Sizes that are elements are a constant where they are known.
// CHECK-LABEL: func.func @elements
// CHECK: [[known:%.*]] = "tosa.const"() <{values = dense<12> : tensor<1x1xi32>}>
// CHECK: [[unknown:%.*]] = tensor.from_elements
// CHECK: tosa.add [[known]], [[unknown]]
func.func @elements(%x: tensor<?x?xf32>) -> tensor<1x1xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = arith.index_cast %n : index to i32
  %j = arith.index_cast %d : index to i32
  %a = tensor.from_elements %j : tensor<1x1xi32>
  %b = tensor.from_elements %i : tensor<1x1xi32>
  %0 = tosa.add %a, %b : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  return %0 : tensor<1x1xi32>
}
