// RUN: %hwc-opt "%s" -p fuse-kernels --split-input-file --verify-diagnostics

func.func @no_instruction(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
    // expected-error @+1 {{'math.sinh' has no instruction on this machine}}
    %1 = math.sinh %x : f32
    kernel.yield %1 : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_type(%a: tensor<4xi64>) -> tensor<4xi64> {
  %0 = kernel.apply (%x = %a : tensor<4xi64>) -> tensor<4xi64> [4] {
    // expected-error @+1 {{'arith.addi' has a value of type i64}}
    %1 = arith.addi %x, %x : i64
    kernel.yield %1 : i64
  }
  return %0 : tensor<4xi64>
}

// -----

// Five phases: each tanh needs the sum before it.
func.func @phases(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.generic' alone needs 5 phases of lane and special instructions, a kernel has 4 at most}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] from "linalg.generic" {
    %1 = math.tanh %x : f32
    %2 = arith.addf %1, %x : f32
    %3 = math.tanh %2 : f32
    %4 = arith.addf %3, %x : f32
    %5 = math.tanh %4 : f32
    %6 = arith.addf %5, %x : f32
    %7 = math.tanh %6 : f32
    kernel.yield %7 : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// Nine sums are alive beside the tanh; each of two strips has eight registers.
func.func @registers(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'linalg.generic' alone needs more registers, the target has 16 vector registers}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] from "linalg.generic" {
    %1 = arith.addf %x, %x : f32
    %2 = arith.addf %1, %x : f32
    %3 = arith.addf %2, %x : f32
    %4 = arith.addf %3, %x : f32
    %5 = arith.addf %4, %x : f32
    %6 = arith.addf %5, %x : f32
    %7 = arith.addf %6, %x : f32
    %8 = arith.addf %7, %x : f32
    %9 = arith.addf %8, %x : f32
    %10 = math.tanh %9 : f32
    %11 = arith.mulf %10, %1 : f32
    %12 = arith.mulf %11, %2 : f32
    %13 = arith.mulf %12, %3 : f32
    %14 = arith.mulf %13, %4 : f32
    %15 = arith.mulf %14, %5 : f32
    %16 = arith.mulf %15, %6 : f32
    %17 = arith.mulf %16, %7 : f32
    %18 = arith.mulf %17, %8 : f32
    %19 = arith.mulf %18, %9 : f32
    kernel.yield %19 : f32
  }
  return %0 : tensor<4xf32>
}
