// RUN: %hwc-opt "%s" -p 'verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel,simplify-kernels,hoist-reshapes{target=tiny}' | %filecheck

// Dimensions of size 1 are added: the inputs get them, each with its own size.

// CHECK-LABEL: func.func @add_ones
// CHECK: [[a:%.*]] = kernel.reshape %a : {{.*}} [s0, 1] from "tosa.reshape"
// CHECK: [[b:%.*]] = kernel.reshape %b : {{.*}} [s1, 1] from "tosa.reshape"
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = [[a]] : tensor<?x1xf32>, {{%.*}} = [[b]] : tensor<?x1xf32>) -> tensor<?x1xf32> [r0, 1] from "tosa.add"
// CHECK: kernel.apply ({{%.*}} = [[sum]] : tensor<?x1xf32>, {{%.*}} = %c : tensor<?x?xf32>)
func.func @add_ones(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %2 = tosa.add %1, %c : (tensor<?x1xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// Dimensions of size 1 are removed; a chain of kernels moves together.

// CHECK-LABEL: func.func @remove_ones
// CHECK: [[a:%.*]] = kernel.reshape %a : {{.*}} [s0] from "tosa.reshape"
// CHECK: [[b:%.*]] = kernel.reshape %b : {{.*}} [s1] from "tosa.reshape"
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = [[a]] : tensor<?xf32>, {{%.*}} = [[b]] : tensor<?xf32>) -> tensor<?xf32> [r0]
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = [[sum]] : tensor<?xf32>) -> tensor<?xf32> [r0] from "tosa.exp"
// CHECK: kernel.apply ({{%.*}} = [[exp]] : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>)
func.func @remove_ones(%a: tensor<?x1xf32>, %b: tensor<?x1xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %1 = tosa.exp %0 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %2 = tosa.reshape %1 {new_shape = array<i64: -1>} : (tensor<?x1xf32>) -> tensor<?xf32>
  %3 = tosa.add %2, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// A dimension is split: an input has all of it, or 1.

// CHECK-LABEL: func.func @split
// CHECK: [[a:%.*]] = kernel.reshape %a : {{.*}} [s0, 3, 4] from "tosa.reshape"
// CHECK: [[b:%.*]] = kernel.reshape %b : {{.*}} [s1, 1, 1] from "tosa.reshape"
// CHECK: kernel.apply ({{%.*}} = [[a]] : {{.*}}, {{%.*}} = [[b]] : {{.*}}) -> tensor<?x3x4xf32> [r0, 3, 4] from "tosa.add"
func.func @split(%a: tensor<?x12xf32>, %b: tensor<?x1xf32>, %c: tensor<1x3x1xf32>) -> tensor<?x3x4xf32> {
  %0 = tosa.add %a, %b : (tensor<?x12xf32>, tensor<?x1xf32>) -> tensor<?x12xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 3, 4>} : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  %2 = tosa.add %1, %c : (tensor<?x3x4xf32>, tensor<1x3x1xf32>) -> tensor<?x3x4xf32>
  return %2 : tensor<?x3x4xf32>
}

// Dimensions are joined: an input has all of them.

// CHECK-LABEL: func.func @join
// CHECK: [[a:%.*]] = kernel.reshape %a : {{.*}} [r0] from "tosa.reshape"
// CHECK: kernel.apply ({{%.*}} = [[a]] : tensor<?xf32>) -> tensor<?xf32> [r0] from "tosa.exp"
func.func @join(%a: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.exp %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = tosa.add %1, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// Reshapes one after another: back in the old shape the input is read as it is.

// CHECK-LABEL: func.func @back
// CHECK-NOT: reshape %
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.exp"
// CHECK: [[abs:%.*]] = kernel.apply ({{%.*}} = [[exp]] : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.abs"
// CHECK: kernel.apply ({{%.*}} = [[abs]] : tensor<?xf32>) -> tensor<?xf32> [s0] from "tosa.log"
// CHECK-NOT: reshape %
func.func @back(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %2 = tosa.abs %1 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %3 = tosa.reshape %2 {new_shape = array<i64: -1>} : (tensor<?x1xf32>) -> tensor<?xf32>
  %4 = tosa.log %3 : (tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// A value that two moving kernels read moves with them.

// CHECK-LABEL: func.func @shared
// CHECK: [[a:%.*]] = kernel.reshape %a : {{.*}} [s0, 1]
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = [[a]] : tensor<?x1xf32>) -> tensor<?x1xf32> [s0, 1] from "tosa.exp"
// CHECK: [[abs:%.*]] = kernel.apply ({{%.*}} = [[exp]] : tensor<?x1xf32>) -> tensor<?x1xf32> [s0, 1] from "tosa.abs"
// CHECK: kernel.apply ({{%.*}} = [[exp]] : tensor<?x1xf32>, {{%.*}} = [[abs]] : tensor<?x1xf32>) -> tensor<?x1xf32> [s0, 1] from "tosa.sub"
func.func @shared(%a: tensor<?xf32>, %c: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.abs %0 : (tensor<?xf32>) -> tensor<?xf32>
  %2 = tosa.sub %0, %1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = tosa.reshape %2 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %4 = tosa.add %3, %c : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

// Two inputs that may broadcast cannot be joined: neither is known to have all of both dimensions.

// CHECK-LABEL: func.func @join_may_broadcast
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = %a : {{.*}}, {{%.*}} = %b : {{.*}}) -> tensor<?x?xf32> [d0, d1]
// CHECK: kernel.reshape [[sum]] :
func.func @join_may_broadcast(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = tosa.add %1, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// An input that repeats within the joined dimensions has no view.

// CHECK-LABEL: func.func @join_row
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = %a : {{.*}}, {{%.*}} = %b : {{.*}}) -> tensor<3x4xf32>
// CHECK: kernel.reshape [[sum]] :
func.func @join_row(%a: tensor<3x4xf32>, %b: tensor<3x1xf32>, %c: tensor<12xf32>) -> tensor<12xf32> {
  %0 = tosa.add %a, %b : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 12>} : (tensor<3x4xf32>) -> tensor<12xf32>
  %2 = tosa.add %1, %c : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  return %2 : tensor<12xf32>
}

// The sum may be 12 long because of %b: %a is not known to be.

// CHECK-LABEL: func.func @split_may_broadcast
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = %a : {{.*}}, {{%.*}} = %b : {{.*}}) -> tensor<12xf32>
// CHECK: kernel.reshape [[sum]] :
func.func @split_may_broadcast(%a: tensor<?xf32>, %b: tensor<12xf32>, %c: tensor<3x1xf32>) -> tensor<3x4xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<12xf32>) -> tensor<12xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 3, 4>} : (tensor<12xf32>) -> tensor<3x4xf32>
  %2 = tosa.add %1, %c : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// A value that is returned is stored with its own sizes, and so is one that other kernels read.

// CHECK-LABEL: func.func @returned
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<?xf32> [s0]
// CHECK: [[view:%.*]] = kernel.reshape [[exp]] :
// CHECK: func.return [[exp]]
func.func @returned(%a: tensor<?xf32>, %c: tensor<1x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %2 = tosa.add %1, %c : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %0, %2 : tensor<?xf32>, tensor<?x?xf32>
}

// CHECK-LABEL: func.func @read_elsewhere
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<?xf32> [s0]
// CHECK: [[abs:%.*]] = kernel.apply ({{%.*}} = [[exp]] : tensor<?xf32>)
// CHECK: kernel.reshape [[abs]] :
func.func @read_elsewhere(%a: tensor<?xf32>, %c: tensor<1x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.abs %0 : (tensor<?xf32>) -> tensor<?xf32>
  %2 = tosa.log %0 : (tensor<?xf32>) -> tensor<?xf32>
  %3 = tosa.reshape %1 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %4 = tosa.add %3, %c : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %2, %4 : tensor<?xf32>, tensor<?x?xf32>
}

// A chain moves as a whole or not at all: the first sum cannot, so the product stays with it.

// CHECK-LABEL: func.func @together
// CHECK: [[sum:%.*]] = kernel.apply ({{%.*}} = %a : {{.*}}, {{%.*}} = %b : {{.*}}) -> tensor<?x?xf32> [d0, d1]
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = [[sum]] : tensor<?x?xf32>)
// CHECK: kernel.reshape [[exp]] :
func.func @together(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.exp %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = tosa.reshape %1 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %3 = tosa.add %2, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// A reshape that is only returned leaves its kernel alone: nothing could be fused.

// CHECK-LABEL: func.func @only_returned
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?xf32>)
// CHECK: [[view:%.*]] = kernel.reshape [[exp]] :
// CHECK: func.return [[view]]
func.func @only_returned(%a: tensor<?xf32>) -> tensor<?x1xf32> {
  %0 = tosa.exp %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  return %1 : tensor<?x1xf32>
}

// One value seen in two ways is stored.

// CHECK-LABEL: func.func @two_ways
// CHECK: [[exp:%.*]] = kernel.apply ({{%.*}} = %a : tensor<4xf32>)
// CHECK: kernel.reshape [[exp]] : {{.*}} [4, 1] from "tosa.reshape"
// CHECK: kernel.reshape [[exp]] : {{.*}} [2, 2] from "tosa.reshape"
func.func @two_ways(%a: tensor<4xf32>) -> (tensor<4x1xf32>, tensor<2x2xf32>) {
  %0 = tosa.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 4, 1>} : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = tosa.reshape %0 {new_shape = array<i64: 2, 2>} : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = tosa.abs %1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = tosa.abs %2 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %3, %4 : tensor<4x1xf32>, tensor<2x2xf32>
}

// One kernel would have more inputs than the target has streams: with the reshape hoisted there would
// still be two, so it stays.

// CHECK-LABEL: func.func @saves_no_kernel
// CHECK: [[abc:%.*]] = kernel.apply ({{%.*}} = {{%.*}} : tensor<?xf32>, {{%.*}} = %c : tensor<?xf32>) -> tensor<?xf32>
// CHECK: kernel.reshape [[abc]] :
// CHECK-NOT: kernel.reshape
func.func @saves_no_kernel(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>,
    %d: tensor<?x1xf32>, %e: tensor<?x1xf32>, %f: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.add %0, %c : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = tosa.reshape %1 {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %3 = tosa.add %2, %d : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %4 = tosa.add %3, %e : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %5 = tosa.add %4, %f : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  return %5 : tensor<?x1xf32>
}
