func.func @o(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kernel.choose -> tensor<4xf32> [4] "a" {
  %k = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
    %1 = math.exp %x : f32
    kernel.yield %1 : f32
  }
  kernel.yield %k : tensor<4xf32>
  } or "b" {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  kernel.yield %c : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
