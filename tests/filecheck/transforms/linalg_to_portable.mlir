// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,linalg-to-portable | %filecheck

// CHECK-NOT: "hwc.
// CHECK-NOT: source =

// Size 1 is known: a constant in the map, no copy.
// CHECK-LABEL: func.func @static_to_dynamic
// CHECK-NOT: scf.if
// CHECK: [[empty:%.*]] = tensor.empty({{%.*}}) : tensor<?xf32>
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]{{.*}} ins(%a, %b : tensor<1xf32>, tensor<?xf32>) outs([[empty]] : tensor<?xf32>)
func.func @static_to_dynamic(%a: tensor<1xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Size 1 or 5: a copy if it is 1.
// CHECK-LABEL: func.func @dynamic_to_static
// CHECK: [[one:%.*]] = arith.constant 1 : index
// CHECK: [[size:%.*]] = tensor.dim %b
// CHECK-NEXT: [[is_one:%.*]] = arith.cmpi eq, [[size]], [[one]] : index
// CHECK-NEXT: [[repeated:%.*]] = scf.if [[is_one]] -> (tensor<?xf32>) {
// CHECK-NEXT:   [[empty:%.*]] = tensor.empty() : tensor<5xf32>
// CHECK-NEXT:   [[copy:%.*]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>]{{.*}} ins(%b : tensor<?xf32>) outs([[empty]] : tensor<5xf32>)
// CHECK:        [[cast:%.*]] = tensor.cast [[copy]] : tensor<5xf32> to tensor<?xf32>
// CHECK-NEXT:   scf.yield [[cast]] : tensor<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %b : tensor<?xf32>
// CHECK-NEXT: }
// CHECK: linalg.generic {{.*}} ins(%a, [[repeated]] : tensor<5xf32>, tensor<?xf32>)
func.func @dynamic_to_static(%a: tensor<5xf32>, %b: tensor<?xf32>) -> tensor<5xf32> {
  %0 = tosa.add %a, %b : (tensor<5xf32>, tensor<?xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// Two operands of two dynamic sizes: four copies.
// CHECK-LABEL: func.func @all_dynamic
// A size of 1 yields to the other one, which may be 0.
// CHECK: [[first:%.*]] = tensor.dim %a
// CHECK: [[second:%.*]] = tensor.dim %b
// CHECK: [[is_one:%.*]] = arith.cmpi eq, [[first]]
// CHECK: arith.select [[is_one]], [[second]], [[first]] : index
// CHECK-COUNT-4: scf.if
// CHECK-NOT: scf.if
// CHECK: func.return
func.func @all_dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @rank_expansion
// CHECK: [[size:%.*]] = tensor.dim %a
// CHECK: [[expanded:%.*]] = tensor.expand_shape %a {{.*}} output_shape [1, [[size]], 4] : tensor<?x4xf32> into tensor<1x?x4xf32>
// CHECK: affine_map<(d0, d1, d2) -> (0, d1, d2)>
func.func @rank_expansion(%a: tensor<?x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tosa.add %a, %b : (tensor<?x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK: [[flat:%.*]] = tensor.collapse_shape %a {{.*}} : tensor<?x?xf32> into tensor<?xf32>
// CHECK-NEXT: [[sure:%.*]] = tensor.cast [[flat]] : tensor<?xf32> to tensor<20xf32>
// CHECK-NEXT: tensor.expand_shape [[sure]] {{.*}} output_shape [4, 5] : tensor<20xf32> into tensor<4x5xf32>
func.func @reshape(%a: tensor<?x?xf32>) -> tensor<4x5xf32> {
  %0 = tosa.reshape %a {new_shape = array<i64: 4, 5>} : (tensor<?x?xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @inferred
// CHECK: [[known:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[size:%.*]] = arith.divui {{%.*}}, [[known]] : index
// CHECK-NEXT: tensor.expand_shape {{.*}} output_shape [2, [[size]], 4] : tensor<?xf32> into tensor<2x?x4xf32>
func.func @inferred(%a: tensor<?x?xf32>) -> tensor<2x?x4xf32> {
  %0 = tosa.reshape %a {new_shape = array<i64: 2, -1, 4>} : (tensor<?x?xf32>) -> tensor<2x?x4xf32>
  return %0 : tensor<2x?x4xf32>
}

// What is proven needs no copy: %c has the common size already, and so has %d.
// CHECK-LABEL: func.func @proven
// CHECK-COUNT-3: scf.if
// CHECK-NOT: scf.if
// CHECK: func.return
func.func @proven(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %d = tosa.sub %c, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %e = tosa.add %d, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<?xf32>
}

// A size that an operator after this one requires is known as well: %a has 1 element or 5, and %b 5.
// CHECK-LABEL: func.func @required
// CHECK-COUNT-1: scf.if
// CHECK-NOT: scf.if
// CHECK: func.return
func.func @required(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.exp %b : (tensor<?xf32>) -> tensor<5xf32>
  %2 = tosa.add %0, %1 : (tensor<?xf32>, tensor<5xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// A scalar is read without a dimension.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: expand_shape
// CHECK: affine_map<(d0, d1) -> ()>
// CHECK: [[element:%.*]] = tensor.extract %a[] : tensor<f32>
// CHECK-NEXT: [[one:%.*]] = tensor.from_elements [[element]] : tensor<1xf32>
// CHECK-NEXT: tensor.expand_shape [[one]] {{.*}} output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
func.func @scalar(%a: tensor<f32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<1x1xf32>) {
  %0 = tosa.add %a, %b : (tensor<f32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %a {new_shape = array<i64: 1, 1>} : (tensor<f32>) -> tensor<1x1xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<1x1xf32>
}

// A read of a table extracts its entries, and the table is no input.
// CHECK-LABEL: func.func @table
// CHECK: linalg.generic {{.*}} ins(%a : tensor<?xi8>)
// CHECK-NEXT: ^{{.*}}([[x:%.*]]: i8, {{%.*}}: i8):
// CHECK-NEXT: [[wide:%.*]] = arith.extsi [[x]] : i8 to i32
// CHECK: [[place:%.*]] = arith.addi [[wide]]
// CHECK-NEXT: [[index:%.*]] = arith.index_cast [[place]] : i32 to index
// CHECK-NEXT: [[entry:%.*]] = tensor.extract %t[[[index]]] : tensor<256xi8>
// CHECK-NEXT: linalg.yield [[entry]] : i8
func.func @table(%a: tensor<?xi8>, %t: tensor<256xi8>) -> tensor<?xi8> {
  %0 = tosa.table %a, %t : (tensor<?xi8>, tensor<256xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
