func.func @f(%a: tensor<4x1xf32>) -> tensor<4xf32> {
  %0 = "tensor.expand_shape"(%a) : (tensor<4x1xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
