module {
  func.func @main(%a0: tensor<1x?x?x?xf32>) -> tensor<1x1x?x1x?xf32> {
kernel.size s0 = dim(argument 0, dimension 1)
    kernel.size s1 = dim(argument 0, dimension 2)
kernel.size s2 = dim(argument 0, dimension 3)
    kernel.size equal(1) in dimension 2 of "tope"
kernel.size equal(s0, 3) in dimension 1 of "al"
kernel.size [r0] = reshape(1, s2) of "tope"
kernel.size equal(r0) in dimension 0 of "tosshape"
    %0 = kernel.reshape %a0 : tensor<1x?x?x?xf32> -> tensor<1x3x1x8xf32> [1, 3, 1, 8] from "tosa.reshape"
    %1 = strip.kernel (%2 = %0 : tensor<1x3x1x8xf32> [3, 1, 8]) -> tensor<1x3x1x8xf32> [3, 0, 8] from "um" {
      %3 = strip.div.f32 %2, %2 : v0
      %4 = strip.min.f32 %3, %3 : o0
      strip.yield %4
    }
    %v13 = kernel.reshape %1 : tensor<1x3x1x8xf32> -> tensor<1x1x3x1x8xf32> [1, 1, 3, 1, 8] from "ten"
    %2 = tensor.cast %v13 : tensor<1x1x3x1x8xf32> to tensor<1x1x?x1x?xf32>
    func.return %2 : tensor<1x1x?x1x?xf32>
  }
}
