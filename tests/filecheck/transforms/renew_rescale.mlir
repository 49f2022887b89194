// RUN: %hwc-opt "%s" -p renew-rescale --split-input-file | %filecheck
// RUN: %hwc-opt "%s" -p renew-rescale,verify-tosa --split-input-file | %filecheck

// Attributes alone, as in text before LLVM 20.
func.func @attributes(%a: tensor<?x8xi8>) -> tensor<?x8xi16> {
  %0 = tosa.rescale %a {input_zp = 3 : i32, output_zp = 0 : i32, multiplier = array<i32: 1073741824>, shift = array<i8: 30>, scale32 = true, double_round = true, per_channel = false} : (tensor<?x8xi8>) -> tensor<?x8xi16>
  return %0 : tensor<?x8xi16>
}
// CHECK-LABEL: @attributes
// CHECK: %[[M:.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}
// CHECK: %[[S:.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}
// CHECK: %[[I:.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}
// CHECK: %[[O:.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi16>}
// CHECK: tosa.rescale %{{.*}}, %[[M]], %[[S]], %[[I]], %[[O]] {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}

// -----

// A scale per channel, multipliers of 16 bits, lists of the oldest kind.
func.func @channels(%a: tensor<?x2xi32>) -> tensor<?x2xi8> {
  %0 = tosa.rescale %a {input_zp = 0 : i32, output_zp = -5 : i32, multiplier = [16384 : i32, 16385 : i32], shift = [14 : i32, 15 : i32], scale32 = false, double_round = false, per_channel = true} : (tensor<?x2xi32>) -> tensor<?x2xi8>
  return %0 : tensor<?x2xi8>
}
// CHECK-LABEL: @channels
// CHECK: %[[M:.*]] = "tosa.const"() <{values = dense<[16384, 16385]> : tensor<2xi16>}
// CHECK: %[[S:.*]] = "tosa.const"() <{values = dense<[14, 15]> : tensor<2xi8>}
// CHECK: %[[O:.*]] = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}
// CHECK: rounding_mode = SINGLE_ROUND, scale32 = false

// -----

// Multipliers and shifts are operands, zero points are attributes.
func.func @between(%a: tensor<?xi8>, %m: tensor<1xi32>, %s: tensor<1xi8>) -> tensor<?xi8> {
  %0 = tosa.rescale %a, %m, %s {input_zp = 1 : i32, output_zp = 200 : i32, scale32 = true, double_round = false, per_channel = false, input_unsigned = false, output_unsigned = true} : (tensor<?xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
// CHECK-LABEL: @between
// CHECK: "tosa.const"() <{values = dense<1> : tensor<1xi8>}>
// CHECK: "tosa.const"() <{values = dense<{{-56|200}}> : tensor<1xi8>}>
// CHECK: tosa.rescale %{{.*}}, %m, %s, %{{.*}}, %{{.*}} {input_unsigned = false, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}
