// RUN: %hwc-opt %s -p 'verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel,simplify-kernels,fuse-kernels{target=accel}' | %filecheck

// With two output streams, equal sizes share a kernel: as an output of the reader, and side by side.

// CHECK-LABEL: func.func @output_of_reader
// CHECK: [[both:%.*]], [[r:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> (tensor<?xf32> [s0], tensor<?xf32> [s0]) from "tosa.exp", "tosa.log" {
// CHECK: func.return [[both]], [[r]]
func.func @output_of_reader(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.log %t : (tensor<?xf32>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @side_by_side
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> (tensor<?xf32> [d0], tensor<?xf32> [d0]) from "tosa.add", "tosa.sub" {
// CHECK-NOT: kernel.apply
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
