// RUN: %hwc-opt "%s" -p verify-tosa,normalize-tosa --split-input-file --verify-diagnostics | %filecheck

// Ranks are equal.
// CHECK-LABEL: func.func @ranks
// CHECK-NEXT: [[shape:%.*]] = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
// CHECK-NEXT: [[row:%.*]] = tosa.reshape %b, [[shape]] : (tensor<3xf32>, !tosa.shape<2>) -> tensor<1x3xf32>
// CHECK-NEXT: [[sum:%.*]] = tosa.add %a, [[row]] : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: [[ones:%.*]] = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
// CHECK-NEXT: [[one:%.*]] = tosa.reshape %c, [[ones]] : (tensor<f32>, !tosa.shape<2>) -> tensor<1x1xf32>
// CHECK-NEXT: tosa.pow [[sum]], [[one]] : (tensor<?x3xf32>, tensor<1x1xf32>) -> tensor<?x3xf32>
func.func @ranks(%a: tensor<?x3xf32>, %b: tensor<3xf32>, %c: tensor<f32>) -> tensor<?x3xf32> {
  %0 = tosa.add %a, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = tosa.pow %0, %c : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// Constants that were attributes are operands; a constant that is one already stays.
// CHECK-LABEL: func.func @operands
// CHECK-NEXT: [[shift:%.*]] = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[product:%.*]] = tosa.mul %a, %a, [[shift]] : (tensor<?xi32>, tensor<?xi32>, tensor<1xi8>) -> tensor<?xi32>
// CHECK-NEXT: [[given:%.*]] = "tosa.const"() <{values = dense<2> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[again:%.*]] = tosa.mul [[product]], %a, [[given]]
// CHECK-NEXT: [[quotient:%.*]] = tosa.intdiv [[again]], %a
// CHECK-NEXT: tosa.arithmetic_right_shift [[quotient]], %a {round = false}
// CHECK-NEXT: [[zero:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[output:%.*]] = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: tosa.negate %b, [[zero]], [[output]] : (tensor<?xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
// CHECK-NEXT: tosa.clamp %b {max_val = 6 : i8, min_val = -128 : i8}
// CHECK-NEXT: tosa.maximum %f, %f {hwc.strict, nan_mode = IGNORE}
// CHECK-NEXT: func.return
func.func @operands(%a: tensor<?xi32>, %b: tensor<?xi8>, %f: tensor<?xf32>) -> (tensor<?xi32>, tensor<?xi8>, tensor<?xi8>, tensor<?xf32>) {
  %0 = tosa.mul %a, %a {shift = 7 : i32} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %s = "tosa.const"() {value = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %1 = tosa.mul %0, %a, %s : (tensor<?xi32>, tensor<?xi32>, tensor<1xi8>) -> tensor<?xi32>
  %2 = tosa.div %1, %a : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %3 = tosa.arithmetic_right_shift %2, %a : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %4 = tosa.negate %b {quantization_info = #tosa.unary_quant<input_zp = 3, output_zp = -4>} : (tensor<?xi8>) -> tensor<?xi8>
  %5 = tosa.clamp %b {min_int = -1000 : i64, max_int = 6 : i64, min_fp = -1000.0 : f32, max_fp = 6.0 : f32} : (tensor<?xi8>) -> tensor<?xi8>
  %6 = tosa.maximum %f, %f {hwc.strict, nan_mode = #tosa.nan_mode<IGNORE>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %3, %4, %5, %6 : tensor<?xi32>, tensor<?xi8>, tensor<?xi8>, tensor<?xf32>
}

// The new shape of a reshape is an operand with a size for each dimension.
// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: [[shape:%.*]] = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
// CHECK-NEXT: tosa.reshape %a, [[shape]] : (tensor<2x6xf32>, !tosa.shape<2>) -> tensor<3x4xf32>
func.func @reshape(%a: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = tosa.reshape %a {new_shape = array<i64: 3, -1>} : (tensor<2x6xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @no_elements(%a: tensor<0xf32>) -> tensor<0xf32> {
  // expected-error @+1 {{'tosa.exp' has a tensor without elements, tensor<0xf32>}}
  %0 = tosa.exp %a : (tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
