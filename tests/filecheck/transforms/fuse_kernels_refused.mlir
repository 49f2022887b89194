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
