// RUN: %hwc-opt %s -p 'verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel,simplify-kernels,fuse-kernels{target=tiny}' | %filecheck

// A chain is one kernel, whatever broadcasts in it.

// CHECK-LABEL: func.func @chain
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>) -> tensor<?xf32> [d1] from "tosa.add", "tosa.mul", "tosa.tanh" {
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.tanh
// CHECK-NEXT: kernel.yield
// CHECK-NOT: kernel.apply
func.func @chain(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.mul %0, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = tosa.tanh %1 : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// An output whose size may differ from its reader's has its own kernel.

// CHECK-LABEL: func.func @may_differ
// CHECK: [[t:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [d0]
// CHECK: [[u:%.*]] = kernel.apply ({{%.*}} = %c : tensor<?xf32>, {{%.*}} = [[t]] : tensor<?xf32>) -> tensor<?xf32> [d1]
// CHECK: func.return [[t]], [[u]]
func.func @may_differ(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.mul %t, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}

// This target has one output stream: two outputs are two kernels though their sizes are equal.

// CHECK-LABEL: func.func @one_output
// CHECK: [[t:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.exp" {
// CHECK: [[u:%.*]] = kernel.apply ({{%.*}} = [[t]] : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.log" {
// CHECK: func.return [[t]], [[u]]
func.func @one_output(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %t = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.log %t : (tensor<?xf32>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}

// A cheap value that two kernels read is computed in both.

// CHECK-LABEL: func.func @recomputed
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.abs", "tosa.add" {
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>) -> tensor<?xf32> [d1] from "tosa.abs", "tosa.add" {
// CHECK-NOT: kernel.apply
func.func @recomputed(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.add %0, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = tosa.add %0, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}

// Five operands do not fit four input streams.

// CHECK-LABEL: func.func @streams
// CHECK: [[cut:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xi32>, {{%.*}} = %b : tensor<?xi32>) -> tensor<?xi32> [d0] from "tosa.add" {
// CHECK: kernel.apply ({{%.*}} = %c : tensor<?xi32>, {{%.*}} = %d : tensor<?xi32>, {{%.*}} = %e : tensor<?xi32>, {{%.*}} = [[cut]] : tensor<?xi32>) -> tensor<?xi32> [d3] from "tosa.add", "tosa.add", "tosa.add" {
// CHECK-NOT: kernel.apply
func.func @streams(%a: tensor<?xi32>, %b: tensor<?xi32>, %c: tensor<?xi32>, %d: tensor<?xi32>, %e: tensor<?xi32>) -> tensor<?xi32> {
  %0 = tosa.add %a, %b : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %1 = tosa.add %0, %c : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %2 = tosa.add %1, %d : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %3 = tosa.add %2, %e : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  return %3 : tensor<?xi32>
}

// A reshape that is still there cuts: its reader has another iteration space and reads the same buffer.

// CHECK-LABEL: func.func @reshape_cuts
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<4xf32>) -> tensor<4xf32> [4]
// CHECK: [[view:%.*]] = kernel.reshape [[exp]] :
// CHECK: kernel.apply ({{%.*}} = %b : tensor<2x1xf32>, {{%.*}} = [[view]] : tensor<2x2xf32>) -> tensor<2x2xf32> [2, 2]
func.func @reshape_cuts(%a: tensor<4xf32>, %b: tensor<2x1xf32>) -> tensor<2x2xf32> {
  %s = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.reshape %0, %s : (tensor<4xf32>, !tosa.shape<2>) -> tensor<2x2xf32>
  %2 = tosa.add %b, %1 : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// The last constant of a kernel stays a stream if nothing else gives the sizes.

// CHECK-LABEL: func.func @free
// CHECK: [[e:%.*]] = kernel.apply () -> tensor<3xf32> [3] from "tosa.exp" {
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = [[e]] : tensor<3xf32>) -> tensor<3xf32> [3] from "tosa.add" {
func.func @free(%a: tensor<?xf32>) -> tensor<3xf32> {
  %c = "tosa.const"() <{values = dense<2.0> : tensor<3xf32>}> : () -> tensor<3xf32>
  %0 = tosa.exp %c : (tensor<3xf32>) -> tensor<3xf32>
  %1 = tosa.add %a, %0 : (tensor<?xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
