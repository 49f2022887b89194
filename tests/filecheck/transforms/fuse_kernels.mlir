// RUN: %hwc-opt "%s" -p 'verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel,simplify-kernels,fuse-kernels{target=tiny}' | %filecheck

// A chain is one kernel, whatever broadcasts in it. A sum of fewer points may be kept in memory.

// CHECK-LABEL: func.func @chain
// CHECK: [[chain:%.*]] = kernel.choose -> tensor<?xf32> [d1] "fused" {
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>) -> tensor<?xf32> [d1] from "tosa.add", "tosa.mul", "tosa.tanh" {
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: math.tanh
// CHECK-NEXT: kernel.yield
// CHECK-NOT: kernel.apply
// CHECK: } or "keep-add" {
// CHECK-NEXT: [[sum:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.add" {
// CHECK: [[rest:%.*]] = kernel.apply ({{%.*}} = %c : tensor<?xf32>, {{%.*}} = [[sum]] : tensor<?xf32>) -> tensor<?xf32> [d1] from "tosa.mul", "tosa.tanh" {
// CHECK: kernel.yield [[rest]] : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[chain]]
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

// A cheap value that two kernels read is computed in both, or kept in memory for both.

// CHECK-LABEL: func.func @recomputed
// CHECK: kernel.choose -> (tensor<?xf32> [d0], tensor<?xf32> [d1]) "apart" {
// CHECK-NEXT: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.abs", "tosa.add" {
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>) -> tensor<?xf32> [d1] from "tosa.abs", "tosa.add" {
// CHECK: } or "apart-keep-abs" {
// CHECK-NEXT: [[abs:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.abs" {
// CHECK: kernel.apply ({{%.*}} = %b : tensor<?xf32>, {{%.*}} = [[abs]] : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.add" {
// CHECK: kernel.apply ({{%.*}} = %c : tensor<?xf32>, {{%.*}} = [[abs]] : tensor<?xf32>) -> tensor<?xf32> [d1] from "tosa.add" {
// CHECK-NOT: } or
func.func @recomputed(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.add %0, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = tosa.add %0, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<?xf32>
}

// Five operands do not fit four input streams.

// CHECK-LABEL: func.func @streams
// CHECK: [[cut:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xi32>, {{%.*}} = %b : tensor<?xi32>) -> tensor<?xi32> [d0] from "tosa.add" {
// CHECK: "fused" {
// CHECK-NEXT: kernel.apply ({{%.*}} = %c : tensor<?xi32>, {{%.*}} = %d : tensor<?xi32>, {{%.*}} = %e : tensor<?xi32>, {{%.*}} = [[cut]] : tensor<?xi32>) -> tensor<?xi32> [d3] from "tosa.add", "tosa.add", "tosa.add" {
// CHECK: } or "keep-add" {
// CHECK: } or "keep-add2" {
// CHECK: } or "keep-add-add2" {
// CHECK-NOT: } or
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

// Rows times 768 are more points than rows: their reciprocal may be kept. Rows times 1 are not fewer.

// CHECK-LABEL: func.func @products
// CHECK: kernel.choose -> tensor<?x768xf32> [s0, 768] "fused" {
// CHECK: } or "keep-reciprocal" {
// CHECK-NEXT: kernel.apply ({{%.*}} = %a : tensor<?x1xf32>) -> tensor<?x1xf32> [s0, 1]
// CHECK-NOT: } or
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?x1xf32>) -> tensor<?x1xf32> [s0, 1] from "tosa.exp", "tosa.log" {
func.func @products(%a: tensor<?x1xf32>, %b: tensor<1x768xf32>) -> (tensor<?x768xf32>, tensor<?x1xf32>) {
  %0 = tosa.reciprocal %a : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %1 = tosa.add %0, %b : (tensor<?x1xf32>, tensor<1x768xf32>) -> tensor<?x768xf32>
  %2 = tosa.exp %a : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %3 = tosa.log %2 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %1, %3 : tensor<?x768xf32>, tensor<?x1xf32>
}

// For 64 points more, no kernel of its own can pay; for 64 times 1023 it may.

// CHECK-LABEL: func.func @cheap
// CHECK: kernel.apply ({{%.*}} = %a : tensor<64x1xf32>, {{%.*}} = %b : tensor<64x2xf32>) -> tensor<64x2xf32> [64, 2] from "tosa.abs", "tosa.add" {
// CHECK: kernel.choose -> tensor<64x1024xf32> [64, 1024] "fused" {
// CHECK: } or "keep-abs" {
func.func @cheap(%a: tensor<64x1xf32>, %b: tensor<64x2xf32>, %c: tensor<64x1024xf32>, %d: tensor<64x1xf32>) -> (tensor<64x2xf32>, tensor<64x1024xf32>) {
  %0 = tosa.abs %a : (tensor<64x1xf32>) -> tensor<64x1xf32>
  %1 = tosa.add %0, %b : (tensor<64x1xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
  %2 = tosa.abs %d : (tensor<64x1xf32>) -> tensor<64x1xf32>
  %3 = tosa.add %2, %c : (tensor<64x1xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
  return %1, %3 : tensor<64x2xf32>, tensor<64x1024xf32>
}
