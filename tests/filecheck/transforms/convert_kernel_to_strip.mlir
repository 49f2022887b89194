// RUN: %hwc-opt "%s" -p convert-kernel-to-strip | %filecheck

// Streams without leading 1s, the sizes that are known, instructions on SSA values.

// CHECK-LABEL: func.func @streams
// CHECK: strip.kernel ([[x:%.*]] = %a : tensor<1x?xf32> [s0], [[y:%.*]] = %b : tensor<1x3x?xf32> [3, s0]) -> tensor<1x3x?xf32> [3, s0] from "tosa.add" {
// CHECK-NEXT: [[z:%.*]] = strip.add.f32 [[x]], [[y]]
// CHECK-NEXT: strip.yield [[z]]
func.func @streams(%a: tensor<1x?xf32>, %b: tensor<1x3x?xf32>) -> tensor<1x3x?xf32> {
  kernel.size s0 = dim(argument 0, dimension 1)
  kernel.size s1 = dim(argument 1, dimension 2)
  kernel.size equal(s0, s1) of "tosa.add"
  %0 = kernel.apply (%x = %a : tensor<1x?xf32>, %y = %b : tensor<1x3x?xf32>) -> tensor<1x3x?xf32> [1, 3, s0] from "tosa.add" {
    %1 = arith.addf %x, %y : f32
    kernel.yield %1 : f32
  }
  return %0 : tensor<1x3x?xf32>
}

// Narrow integers have instructions of their width; sign extension is free, truncation is not.

// CHECK-LABEL: func.func @narrow
// CHECK: [[sum:%.*]] = strip.add.i8
// CHECK: [[bits:%.*]] = strip.imm 0xff
// CHECK: [[wide:%.*]] = strip.and [[sum]], [[bits]]
// CHECK: [[product:%.*]] = strip.mul.i16 [[sum]], {{.*}}
// CHECK: [[cut:%.*]] = strip.sext.i8 [[product]]
// CHECK: strip.yield [[wide]], [[cut]]
func.func @narrow(%a: tensor<4xi8>) -> (tensor<4xi32>, tensor<4xi8>) {
  %0, %1 = kernel.apply (%x = %a : tensor<4xi8>) -> (tensor<4xi32> [4], tensor<4xi8> [4]) {
    %2 = arith.addi %x, %x : i8
    %3 = arith.extui %2 : i8 to i32
    %4 = arith.extsi %2 : i8 to i16
    %5 = arith.muli %4, %4 : i16
    %6 = arith.trunci %5 : i16 to i8
    kernel.yield %3, %6 : i32, i8
  }
  return %0, %1 : tensor<4xi32>, tensor<4xi8>
}

// A word has one immediate; the second constant goes through a register.

// CHECK-LABEL: func.func @constants
// CHECK: [[nine:%.*]] = strip.imm 0x9
// CHECK: [[moved:%.*]] = strip.mov [[nine]]
// CHECK: [[seven:%.*]] = strip.imm 0x7
// CHECK: [[choice:%.*]] = strip.sel {{.*}}, [[seven]], [[moved]]
// CHECK: strip.sel {{.*}}, [[seven]], [[seven]]
func.func @constants(%a: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0, %1 = kernel.apply (%x = %a : tensor<4xi1>) -> (tensor<4xi32> [4], tensor<4xi32> [4]) {
    %2 = arith.constant 7 : i32
    %3 = arith.constant 9 : i32
    %4 = arith.select %x, %2, %3 : i32
    %5 = arith.select %x, %2, %2 : i32
    kernel.yield %4, %5 : i32, i32
  }
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// What an output takes is moved there if it is a stream, a constant, or needed elsewhere as well.

// CHECK-LABEL: func.func @stored
// CHECK: strip.kernel ([[x:%.*]] = %a : tensor<4xi32> [4]) -> (tensor<4xi32> [4], tensor<4xi32> [4], tensor<4xi32> [4]) {
// CHECK-NEXT: [[sum:%.*]] = strip.add.i32 [[x]], [[x]]
// CHECK-NEXT: [[copied:%.*]] = strip.mov [[sum]]
// CHECK-NEXT: [[product:%.*]] = strip.mul.i32 [[sum]], [[sum]]
// CHECK: [[stream:%.*]] = strip.mov [[x]]
// CHECK: strip.yield [[copied]], [[product]], [[stream]]
func.func @stored(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0, %1, %2 = kernel.apply (%x = %a : tensor<4xi32>) -> (tensor<4xi32> [4], tensor<4xi32> [4], tensor<4xi32> [4]) {
    %3 = arith.addi %x, %x : i32
    %4 = arith.muli %3, %3 : i32
    kernel.yield %3, %4, %x : i32, i32, i32
  }
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
