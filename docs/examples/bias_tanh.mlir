// A bias and an activation, as after every dense layer: tanh(x + bias).
// Every size is dynamic. The bias may be a row, a column, a single value or a whole matrix.
func.func @main(%x: tensor<?x?xf32>, %bias: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %x, %bias : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.tanh %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
