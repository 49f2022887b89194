// RUN: %hwc-opt "%s" -p 'verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel,simplify-kernels,fuse-kernels{target=accel}' | %filecheck

// With two output streams, equal sizes share a kernel: as an output of the reader, and side by side.
// Two kernels may be faster nevertheless.

// CHECK-LABEL: func.func @output_of_reader
// CHECK: [[both:%.*]], [[r:%.*]] = kernel.choose -> (tensor<?xf32> [s0], tensor<?xf32> [s0]) "joined" {
// CHECK-NEXT: kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> (tensor<?xf32> [s0], tensor<?xf32> [s0]) from "tosa.exp", "tosa.log" {
// CHECK: } or "apart" {
// CHECK-NEXT: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.exp" {
// CHECK: kernel.apply ({{%.*}} = [[exp]] : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.log" {
// CHECK: func.return [[both]], [[r]]
func.func @output_of_reader(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.log %t : (tensor<?xf32>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @side_by_side
// CHECK: "joined" {
// CHECK-NEXT: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> (tensor<?xf32> [d0], tensor<?xf32> [d0]) from "tosa.add", "tosa.sub" {
// CHECK-NOT: kernel.apply
// CHECK: } or "apart" {
func.func @side_by_side(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.sub %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}

// An expression over one operand is one kernel, however many values it has on the way.

// CHECK-LABEL: func.func @wide_expression
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xi32>) -> tensor<?xi32> [s0]
// CHECK-NOT: kernel.apply
func.func @wide_expression(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = tosa.abs %a : (tensor<?xi32>) -> tensor<?xi32>
  %1 = tosa.bitwise_not %a : (tensor<?xi32>) -> tensor<?xi32>
  %2 = tosa.bitwise_not %0 : (tensor<?xi32>) -> tensor<?xi32>
  %3 = tosa.abs %1 : (tensor<?xi32>) -> tensor<?xi32>
  %4 = tosa.bitwise_not %3 : (tensor<?xi32>) -> tensor<?xi32>
  %5 = tosa.abs %2 : (tensor<?xi32>) -> tensor<?xi32>
  %6 = tosa.abs %4 : (tensor<?xi32>) -> tensor<?xi32>
  %7 = tosa.bitwise_not %5 : (tensor<?xi32>) -> tensor<?xi32>
  %8 = tosa.add %0, %1 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %9 = tosa.sub %2, %3 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %10 = tosa.maximum %4, %5 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %11 = tosa.minimum %6, %7 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %12 = tosa.add %8, %9 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %13 = tosa.sub %10, %11 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %14 = tosa.add %12, %13 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  return %14 : tensor<?xi32>
}

// Results whose sizes may turn out to be equal have a plan for this case; each of its outputs has the
// sizes of its own, which the machine compares. It stands behind the plan that fits all sizes.

// CHECK-LABEL: func.func @may_turn_out_equal
// CHECK: [[t:%.*]], [[u:%.*]] = kernel.choose -> (tensor<?xf32> [d0], tensor<?xf32> [d1]) "apart" {
// CHECK: } or "joined" {
// CHECK-NEXT: [[t2:%.*]], [[u2:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>) -> (tensor<?xf32> [d0], tensor<?xf32> [d1]) from "tosa.add", "tosa.mul" {
// CHECK: kernel.yield [[t2]], [[u2]]
// CHECK: func.return [[t]], [[u]]
func.func @may_turn_out_equal(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.mul %t, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}

// Sizes that cannot be equal have none.

// CHECK-LABEL: func.func @never_equal
// CHECK-NOT: kernel.choose
func.func @never_equal(%a: tensor<2xf32>, %b: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  %t = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>
  %u = tosa.add %t, %b : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %t, %u : tensor<2xf32>, tensor<3x2xf32>
}

// A static sum of two of the three arguments is told apart from the rest, as in a dynamic program.

// CHECK-LABEL: func.func @origins
// CHECK: "fused" {
// CHECK: } or "keep-tanh" {
// CHECK-NEXT: [[tanh:%.*]] = kernel.apply ({{%.*}} = %a : tensor<64x1024xf32>) -> tensor<64x1024xf32> [64, 1024] from "tosa.tanh" {
// CHECK: kernel.apply ({{%.*}} = %b : tensor<64x1024xf32>, {{%.*}} = [[tanh]] : tensor<64x1024xf32>)
func.func @origins(%a: tensor<64x1024xf32>, %b: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %t = tosa.tanh %a : (tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %u = tosa.add %t, %b : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %u : tensor<64x1024xf32>
}
