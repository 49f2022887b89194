// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel,simplify-kernels | %filecheck

// Equal operations are computed once, constants of one value move into the kernels.

// CHECK-LABEL: func.func @shared
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?x?xf32>, {{%.*}} = %b : tensor<?x?xf32>) -> tensor<?x?xf32> [d0, d1] from "tosa.add" {
// CHECK-NOT: tosa.add
// CHECK: [[scaled:%.*]] = kernel.apply ([[x:%.*]] = [[sum]] : tensor<?x?xf32>) -> tensor<?x?xf32> [d0, d1] from "tosa.mul" {
// CHECK-NEXT: [[half:%.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: arith.mulf [[x]], [[half]] : f32
// CHECK: func.return [[scaled]], [[scaled]]
func.func @shared(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c = "tosa.const"() <{values = dense<0.5> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = tosa.mul %0, %c : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  %3 = tosa.mul %1, %c : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  return %2, %3 : tensor<?x?xf32>, tensor<?x?xf32>
}

// A constant that gives the result its size stays a stream, one that does not is an immediate.

// CHECK-LABEL: func.func @sizes
// CHECK: [[wide:%.*]] = arith.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = [[wide]] : tensor<3xf32>) -> tensor<3xf32> [3] from "tosa.mul" {
// CHECK: kernel.apply ({{%.*}} = %b : tensor<3xf32>) -> tensor<3xf32> [3] from "tosa.mul" {
func.func @sizes(%a: tensor<?xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c = "tosa.const"() <{values = dense<2.0> : tensor<3xf32>}> : () -> tensor<3xf32>
  %0 = tosa.mul %a, %c : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = tosa.mul %b, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// A constant that adds a dimension is a stream as well.

// CHECK-LABEL: func.func @rank
// CHECK: [[one:%.*]] = arith.constant dense<1.000000e+00> : tensor<1x1xf32>
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<1x?xf32> [1, s0]
func.func @rank(%a: tensor<?xf32>) -> (tensor<1x?xf32>, tensor<1x1xf32>) {
  %c = "tosa.const"() <{values = dense<1.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
  %0 = tosa.add %a, %c : (tensor<?xf32>, tensor<1x1xf32>) -> tensor<1x?xf32>
  return %0, %c : tensor<1x?xf32>, tensor<1x1xf32>
}

// A kernel writes every returned value, once; unused operations are removed.

// CHECK-LABEL: func.func @copies
// CHECK-NOT: tosa.exp
// CHECK: [[copy:%.*]] = kernel.apply ([[x:%.*]] = %a : tensor<?x2xi8>) -> tensor<?x2xi8> [s0, 2] from "copy" {
// CHECK-NEXT: kernel.yield [[x]]
// CHECK: [[view:%.*]] = kernel.reshape [[copy]] :
// CHECK: func.return [[copy]], [[copy]], [[view]]
func.func @copies(%a: tensor<?x2xi8>, %f: tensor<?xf32>) -> (tensor<?x2xi8>, tensor<?x2xi8>, tensor<4xi8>) {
  %0 = tosa.exp %f : (tensor<?xf32>) -> tensor<?xf32>
  %s = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %1 = tosa.reshape %a, %s : (tensor<?x2xi8>, !tosa.shape<1>) -> tensor<4xi8>
  return %a, %a, %1 : tensor<?x2xi8>, tensor<?x2xi8>, tensor<4xi8>
}

// A view that only adds 1s in front reads the operand itself; x + x reads it once.

// CHECK-LABEL: func.func @leading_ones
// CHECK: kernel.apply ([[x:%.*]] = %a : tensor<4xi32>) -> tensor<1x4xi32> [1, 4]
// CHECK-NEXT: arith.addi [[x]], [[x]] : i32
func.func @leading_ones(%a: tensor<4xi32>) -> tensor<1x4xi32> {
  %s = tosa.const_shape {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %a, %s : (tensor<4xi32>, !tosa.shape<2>) -> tensor<1x4xi32>
  %1 = tosa.add %0, %0 : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi32>
  return %1 : tensor<1x4xi32>
}

// A selection with a constant condition is one value; the other is read only where it has a size.
// What a region computes from constants is a constant.

// CHECK-LABEL: func.func @selected
// CHECK: kernel.apply ([[x:%.*]] = %a : tensor<4xf32>) -> tensor<4xf32> [4] from "tosa.select" {
// CHECK-NEXT: kernel.yield [[x]]
// CHECK: kernel.apply ({{%.*}} = %a : tensor<4xf32>, [[y:%.*]] = %b : tensor<?xf32>) -> tensor<4xf32> [4] from "tosa.select" {
// CHECK-NEXT: kernel.yield [[y]]
// CHECK: kernel.apply ([[z:%.*]] = %a : tensor<4xf32>) -> tensor<4xf32> [4] from "linalg.generic" {
// CHECK-NEXT: [[six:%.*]] = arith.constant 6.000000e+00 : f32
// CHECK-NEXT: [[sum:%.*]] = arith.addf [[z]], [[six]] : f32
// CHECK-NEXT: kernel.yield [[sum]]
func.func @selected(%a: tensor<4xf32>, %b: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = "tosa.const"() <{values = dense<true> : tensor<1xi1>}> : () -> tensor<1xi1>
  %false = "tosa.const"() <{values = dense<false> : tensor<1xi1>}> : () -> tensor<1xi1>
  %0 = tosa.select %true, %a, %b : (tensor<1xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %1 = tosa.select %false, %a, %b : (tensor<1xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3.0 : f32
    %m = arith.mulf %two, %three : f32
    %s = arith.addf %x, %m : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
