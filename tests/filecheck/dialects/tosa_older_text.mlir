// RUN: %hwc-opt "%s" -p verify-tosa | %filecheck
// RUN: %hwc-opt "%s" -p verify-tosa --print-op-generic | %hwc-opt -p verify-tosa | %filecheck

// Text older than TOSA 1.0: attributes instead of operands, other names, tosa.div.

// CHECK-LABEL: func.func @multiply
func.func @multiply(%x: tensor<?xf32>, %w: tensor<4xi32>, %i: tensor<4xi8>) {
  // CHECK: tosa.mul %x, %x {shift = 0 : i8}
  %0 = "tosa.mul"(%x, %x) <{shift = 0 : i8}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: tosa.mul %w, %w {shift = 5 : i32}
  %1 = "tosa.mul"(%w, %w) {shift = 5 : i32} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  // CHECK: tosa.mul %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  %2 = tosa.mul %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi32>
  // CHECK: tosa.div %w, %w
  %3 = "tosa.div"(%w, %w) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @negate
func.func @negate(%x: tensor<?xf32>, %i: tensor<4xi8>) {
  // CHECK: tosa.negate %i {quantization_info = #tosa.unary_quant<input_zp = 3, output_zp = -4>}
  %0 = "tosa.negate"(%i) {quantization_info = #tosa.unary_quant<input_zp = 3, output_zp = -4>} : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: tosa.negate %x : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "tosa.negate"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: tosa.negate %i {input1_zp = 3 : i32, output_zp = 1 : i32}
  %2 = tosa.negate %i {input1_zp = 3 : i32, output_zp = 1 : i32} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @clamp
func.func @clamp(%x: tensor<?xf32>, %i: tensor<4xi8>) {
  // CHECK: tosa.clamp %x {max_fp = 5.000000e+00 : f32, max_int = 5 : i64, min_fp = 1.000000e+00 : f32, min_int = 1 : i64}
  %0 = "tosa.clamp"(%x) {min_int = 1 : i64, max_int = 5 : i64, min_fp = 1.0 : f32, max_fp = 5.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: tosa.clamp %i
  %1 = "tosa.clamp"(%i) <{min_int = -300 : i64, max_int = 5 : i64, min_fp = 1.0 : f32, max_fp = 5.0 : f32}> : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%x: tensor<?x?xf32>) {
  // CHECK: tosa.reshape %x {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  %0 = tosa.reshape %x {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  // CHECK: "tosa.const"() <{value = dense<1> : tensor<2xi32>}>
  %1 = "tosa.const"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
  return
}
