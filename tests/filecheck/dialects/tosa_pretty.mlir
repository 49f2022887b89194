// RUN: %hwc-opt "%s" | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %hwc-opt | %filecheck

// Every operator whose syntax is special; the others are in tests/unit/frontend/test_operators.py.

// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<?x4xf32>, %i: tensor<3xi8>, %w: tensor<3xi32>) {
  // CHECK: tosa.maximum %x, %x {nan_mode = IGNORE} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = tosa.maximum %x, %x {nan_mode = IGNORE} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: tosa.clamp %x {max_val = 6.000000e+00 : f32, min_val = 0xff800000 : f32, nan_mode = PROPAGATE} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = tosa.clamp %x {min_val = 0xFF800000 : f32, max_val = 6.0 : f32, nan_mode = PROPAGATE} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: tosa.clamp %i {max_val = 6 : i8, min_val = -1 : i8} : (tensor<3xi8>) -> tensor<3xi8>
  %2 = tosa.clamp %i {min_val = -1 : i8, max_val = 6 : i8} : (tensor<3xi8>) -> tensor<3xi8>
  // CHECK: tosa.arithmetic_right_shift %w, %w {round = true} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %3 = tosa.arithmetic_right_shift %w, %w {round = true} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// CHECK-LABEL: func.func @constants
func.func @constants(%x: tensor<?x4xf32>, %w: tensor<3xi32>, %i: tensor<3xi8>) {
  // CHECK: %s = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: tosa.mul %w, %w, %s : (tensor<3xi32>, tensor<3xi32>, tensor<1xi8>) -> tensor<3xi32>
  %0 = tosa.mul %w, %w, %s : (tensor<3xi32>, tensor<3xi32>, tensor<1xi8>) -> tensor<3xi32>
  // CHECK: tosa.negate %i, %s, %s : (tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3xi8>
  %1 = tosa.negate %i, %s, %s : (tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3xi8>
  // CHECK: %shape = tosa.const_shape {values = dense<[2, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %shape = tosa.const_shape  {values = dense<[2, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK: tosa.reshape %x, %shape : (tensor<?x4xf32>, !tosa.shape<2>) -> tensor<2x?xf32>
  %2 = tosa.reshape %x, %shape : (tensor<?x4xf32>, !tosa.shape<2>) -> tensor<2x?xf32>
  // CHECK: tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %3 = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  // CHECK: values = dense<[0x7f800000, 0x7fc00000, 1.500000e+00]> : tensor<3xf32>
  %4 = "tosa.const"() <{values = dense<[0x7F800000, 0x7FC00000, 1.5]> : tensor<3xf32>}> : () -> tensor<3xf32>
  // CHECK: values = dense<[true, true, true, true, false, false, false, false, false, true]> : tensor<10xi1>
  %5 = "tosa.const"() <{values = dense<"0x0F02"> : tensor<10xi1>}> : () -> tensor<10xi1>
  // CHECK: values = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %6 = "tosa.const"() <{values = dense<"0x0000803F00000040"> : tensor<2xf32>}> : () -> tensor<2xf32>
  return
}

// Discardable attributes of other dialects are kept.
// CHECK-LABEL: func.func @others
// CHECK-SAME: (%x: tensor<3xf32> {my.name = "x"})
func.func @others(%x: tensor<3xf32> {my.name = "x"}) -> tensor<3xf32> attributes {my.entry} {
  // CHECK: tosa.abs %x {my.note = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  %0 = tosa.abs %x {my.note = 1} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
