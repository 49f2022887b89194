// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg | %filecheck

// The lowering cases of the RFC on element-wise operators, and the combinations that older lowerings got wrong.

// Static sizes that are equal: no view. Where an operand has the type of the result, it says how large the result is.
// CHECK-LABEL: func.func @matching_static
func.func @matching_static(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: [[sum:%.*]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a, %b : tensor<3xf32>, tensor<3xf32>) outs(%a : tensor<3xf32>) attrs =  {source = "tosa.add"} {
  // CHECK-NEXT: ^bb0([[x:%.*]]: f32, [[y:%.*]]: f32, {{%.*}}: f32):
  // CHECK-NEXT:   [[s:%.*]] = arith.addf [[x]], [[y]] : f32
  // CHECK-NEXT:   linalg.yield [[s]] : f32
  // CHECK-NEXT: } -> tensor<3xf32>
  %0 = "tosa.add"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK-NEXT: func.return [[sum]] : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @dynamic_unary
func.func @dynamic_unary(%a: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: linalg.generic {{.*}} ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) attrs =  {source = "tosa.abs"}
  // CHECK: math.absf
  %0 = "tosa.abs"(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @dynamic_other_type
func.func @dynamic_other_type(%a: tensor<?xf32>) -> tensor<?xi32> {
  // CHECK-NEXT: %c0 = arith.constant 0 : index
  // CHECK-NEXT: [[size:%.*]] = tensor.dim %a, %c0 : tensor<?xf32>
  // CHECK-NEXT: [[empty:%.*]] = tensor.empty([[size]]) : tensor<?xi32>
  // CHECK-NEXT: linalg.generic {{.*}} ins(%a : tensor<?xf32>) outs([[empty]] : tensor<?xi32>) attrs =  {source = "tosa.cast"}
  %0 = "tosa.cast"(%a) : (tensor<?xf32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func.func @inferred_and_declared
func.func @inferred_and_declared(%a: tensor<5x?xf32>) -> tensor<?x7xf32> {
  // CHECK: [[value:%.*]] = linalg.generic {{.*}} ins(%a : tensor<5x?xf32>)
  // CHECK: } -> tensor<5x?xf32>
  // CHECK-NEXT: [[result:%.*]] = tensor.cast [[value]] {source = "tosa.abs"} : tensor<5x?xf32> to tensor<?x7xf32>
  // CHECK-NEXT: func.return [[result]]
  %0 = "tosa.abs"(%a) : (tensor<5x?xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// CHECK-LABEL: func.func @static_to_static
func.func @static_to_static(%a: tensor<1xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: [[x:%.*]], [[y:%.*]] = "hwc.broadcast"(%a, %b) {source = "tosa.add"} : (tensor<1xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // CHECK-NEXT: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]{{.*}} ins([[x]], [[y]] : tensor<3xf32>, tensor<3xf32>) outs([[x]] : tensor<3xf32>)
  %0 = "tosa.add"(%a, %b) : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @dynamic_to_static
func.func @dynamic_to_static(%a: tensor<5xf32>, %b: tensor<?xf32>) -> tensor<5xf32> {
  // CHECK-NEXT: "hwc.broadcast"(%a, %b) {source = "tosa.add"} : (tensor<5xf32>, tensor<?xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  // CHECK-NEXT: linalg.generic
  %0 = "tosa.add"(%a, %b) : (tensor<5xf32>, tensor<?xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @static_to_dynamic
func.func @static_to_dynamic(%a: tensor<1xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: [[x:%.*]], [[y:%.*]] = "hwc.broadcast"(%a, %b) {source = "tosa.add"} : (tensor<1xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  // CHECK-NEXT: linalg.generic {{.*}} outs([[x]] : tensor<?xf32>)
  %0 = "tosa.add"(%a, %b) : (tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @all_dynamic
// CHECK-NOT: scf.if
func.func @all_dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: [[x:%.*]], [[y:%.*]] = "hwc.broadcast"(%a, %b) {source = "tosa.add"} : (tensor<?x?xf32>, tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
  // CHECK-NEXT: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins([[x]], [[y]] : tensor<?x?xf32>, tensor<?x?xf32>) outs([[x]] : tensor<?x?xf32>)
  %0 = "tosa.add"(%a, %b) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @rank_0
func.func @rank_0(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  // CHECK-NEXT: linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
  %0 = "tosa.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @rank_expansion
func.func @rank_expansion(%a: tensor<3x4xf32>, %b: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: "hwc.broadcast"(%a, %b) {source = "tosa.add"} : (tensor<3x4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>)
  %0 = "tosa.add"(%a, %b) : (tensor<3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @ternary
func.func @ternary(%c: tensor<2x?xi1>, %a: tensor<2x?xf32>, %b: tensor<2x?xf32>) -> tensor<2x?xf32> {
  // CHECK: "hwc.broadcast"(%c, %a, %b) {source = "tosa.select"} : (tensor<2x?xi1>, tensor<2x?xf32>, tensor<2x?xf32>) -> (tensor<2x?xi1>, tensor<2x?xf32>, tensor<2x?xf32>)
  // CHECK: tensor.empty({{%.*}}) : tensor<2x?xf32>
  // CHECK: ^bb0([[condition:%.*]]: i1, [[yes:%.*]]: f32, [[no:%.*]]: f32, {{%.*}}: f32):
  // CHECK-NEXT: arith.select [[condition]], [[yes]], [[no]] : f32
  %0 = "tosa.select"(%c, %a, %b) : (tensor<2x?xi1>, tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// Once collapsed to 2n elements or reshaped to 1: here all are views in the common shape.
// CHECK-LABEL: func.func @once_wrong
func.func @once_wrong(%a: tensor<2x?xf32>, %b: tensor<?x?xf32>, %c: tensor<2x2xf32>, %d: tensor<?x2xf32>) {
  // CHECK: "hwc.broadcast"(%a, %b) {source = "tosa.add"} : (tensor<2x?xf32>, tensor<?x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  // CHECK: tensor.cast {{%.*}} {source = "tosa.add"} : tensor<2x?xf32> to tensor<?x?xf32>
  %0 = "tosa.add"(%a, %b) : (tensor<2x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: "hwc.broadcast"(%c, %b) {source = "tosa.add"} : (tensor<2x2xf32>, tensor<?x?xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %1 = "tosa.add"(%c, %b) : (tensor<2x2xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: "hwc.broadcast"(%d, %a) {source = "tosa.add"} : (tensor<?x2xf32>, tensor<2x?xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %2 = "tosa.add"(%d, %a) : (tensor<?x2xf32>, tensor<2x?xf32>) -> tensor<?x?xf32>
  return
}

// An operand that is used twice, and a value that is used under its own and another shape.
// CHECK-LABEL: func.func @twice
func.func @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: "hwc.broadcast"(%a, %a)
  %0 = tosa.add %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants(%a: tensor<?x2xf32>, %i: tensor<4xi32>) -> (tensor<2xf32>, tensor<?x2xf32>, tensor<4xi32>) {
  // CHECK-NOT: tosa
  // CHECK-NOT: tensor<1xi8>
  // CHECK: %k = arith.constant dense<[1.000000e+00, 0xff800000]> : tensor<2xf32>
  %k = "tosa.const"() <{values = dense<[1.0, 0xFF800000]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %s = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: "hwc.broadcast"(%a, %k)
  %0 = tosa.add %a, %k : (tensor<?x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %1 = tosa.mul %i, %i, %s : (tensor<4xi32>, tensor<4xi32>, tensor<1xi8>) -> tensor<4xi32>
  // CHECK: func.return %k,
  return %k, %0, %1 : tensor<2xf32>, tensor<?x2xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @identity
func.func @identity(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<3xf32>) {
  // CHECK-NEXT: [[cast:%.*]] = tensor.cast %a {source = "tosa.identity"} : tensor<?xf32> to tensor<3xf32>
  // CHECK-NEXT: func.return %a, [[cast]]
  %0 = tosa.identity %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.identity %a : (tensor<?xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<?xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%a: tensor<?x?xf32>, %b: tensor<4x6xi8>, %s: tensor<1x1xf32>) {
  // CHECK-NEXT: "hwc.reshape"(%a) {source = "tosa.reshape"} : (tensor<?x?xf32>) -> tensor<4x5xf32>
  %shape = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %a, %shape : (tensor<?x?xf32>, !tosa.shape<2>) -> tensor<4x5xf32>
  // CHECK-NEXT: "hwc.reshape"(%a) {source = "tosa.reshape"} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  %1 = tosa.reshape %a {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: [[view:%.*]] = "hwc.reshape"(%a) {source = "tosa.reshape"} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  // CHECK-NEXT: tensor.cast [[view]] {source = "tosa.reshape"} : tensor<2x?xf32> to tensor<2x3xf32>
  %2 = tosa.reshape %a {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: "hwc.reshape"(%b) {source = "tosa.reshape"} : (tensor<4x6xi8>) -> tensor<2x3x4xi8>
  %3 = tosa.reshape %b {new_shape = array<i64: 2, -1, 4>} : (tensor<4x6xi8>) -> tensor<2x3x4xi8>
  // CHECK-NEXT: "hwc.reshape"(%s) {source = "tosa.reshape"} : (tensor<1x1xf32>) -> tensor<f32>
  %4 = tosa.reshape %s {new_shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  return
}
