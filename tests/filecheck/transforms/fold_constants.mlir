// RUN: %hwc-opt "%s" -p verify-tosa,normalize-linalg,convert-elementwise-to-linalg,convert-tosa-to-linalg,fold-constants --split-input-file | %filecheck

// What reads only constants is a constant, through views and through sizes that a type leaves out.

// CHECK-LABEL: func.func @chain
// CHECK: [[c:%.*]] = arith.constant dense<[4.000000e+00, 0x7f800000]> : tensor<2xf32>
// CHECK-NEXT: [[d:%.*]] = tensor.cast [[c]] : tensor<2xf32> to tensor<?xf32>
// CHECK-NEXT: "hwc.broadcast"(%x, [[d]])
// CHECK: arith.addf
// CHECK-NOT: linalg.generic {
// CHECK: return
func.func @chain(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = "tosa.const"() {values = dense<[0.5, 0.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %two = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %f = tosa.cast %two : (tensor<1xi8>) -> tensor<1xf32>
  %r = tosa.reciprocal %c : (tensor<2xf32>) -> tensor<?xf32>
  %m = tosa.mul %r, %f : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %y = tosa.add %x, %m : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A result that has more elements than its operands together is not stored; equal elements are one.

// CHECK-LABEL: func.func @large
// CHECK-DAG: [[row:%.*]] = arith.constant dense<[{{\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32>
// CHECK-DAG: [[column:%.*]] = arith.constant dense<[{{\[}}1.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32>
// CHECK: "hwc.broadcast"([[row]], [[column]])
// CHECK: linalg.generic {
// CHECK-NOT: linalg.generic {
// CHECK: arith.constant dense<2.500000e+00> : tensor<1000x1000xf32>
// CHECK-NOT: linalg.generic {
// CHECK: return
func.func @large() -> (tensor<3x3xf32>, tensor<1000x1000xf32>) {
  %a = "tosa.const"() {values = dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
  %b = "tosa.const"() {values = dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>} : () -> tensor<3x1xf32>
  %c = "tosa.const"() {values = dense<0.5> : tensor<1000x1xf32>} : () -> tensor<1000x1xf32>
  %d = "tosa.const"() {values = dense<2.0> : tensor<1x1000xf32>} : () -> tensor<1x1000xf32>
  %0 = tosa.add %a, %b : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %1 = tosa.add %c, %d : (tensor<1000x1xf32>, tensor<1x1000xf32>) -> tensor<1000x1000xf32>
  return %0, %1 : tensor<3x3xf32>, tensor<1000x1000xf32>
}

// -----

// Scalars, projections and regions of several operations; a constant that is written in the region.

// CHECK-LABEL: func.func @upstream
// CHECK-NOT: linalg.generic {
// CHECK: arith.constant dense<[{{\[}}6.000000e+00, 9.000000e+00]]> : tensor<1x2xf32>
// CHECK-NOT: linalg.generic {
// CHECK: arith.constant dense<5.000000e+00> : tensor<f32>
// CHECK-NOT: linalg.generic {
// CHECK: return
func.func @upstream() -> (tensor<1x2xf32>, f32) {
  %c = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %three = arith.constant 3.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<2xf32>) outs(%e : tensor<1x2xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %three : f32
    linalg.yield %y : f32
  } -> tensor<1x2xf32>
  %1 = arith.addf %three, %two : f32
  return %0, %1 : tensor<1x2xf32>, f32
}

// -----

// Positions, sizes of arguments, and checks that a call makes stay.

// CHECK-LABEL: func.func @stays
// CHECK: "hwc.broadcast"({{.*}}) <{strict}>
// CHECK: arith.addf
// CHECK: linalg.index
// CHECK: arith.mulf
func.func @stays(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<4xi32>, tensor<?xf32>) {
  %c = "tosa.const"() {values = dense<[2.0]> : tensor<1xf32>} : () -> tensor<1xf32>
  %d = "tosa.const"() {values = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %i = tosa.identity %c : (tensor<1xf32>) -> tensor<?xf32>
  %0 = tosa.add %i, %c {hwc.strict} : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %e = tensor.empty() : tensor<4xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<4xi32>) {
  ^bb0(%o: i32):
    %n = linalg.index 0 : index
    %k = arith.index_cast %n : index to i32
    linalg.yield %k : i32
  } -> tensor<4xi32>
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xf32>
  %f = tensor.empty(%size) : tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%d : tensor<2xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%y: f32, %o: f32):
    %z = arith.mulf %y, %y : f32
    linalg.yield %z : f32
  } -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<4xi32>, tensor<?xf32>
}
