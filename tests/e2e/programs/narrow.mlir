// (a + b) >> 1 in i8: the sum wraps before it is shifted, also inside a fused kernel.
func.func @main(%a: tensor<?xi8>, %b: tensor<?xi8>) -> tensor<?xi8> {
  %one = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %a, %b : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
  %1 = tosa.arithmetic_right_shift %0, %one {round = false} : (tensor<?xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %1 : tensor<?xi8>
}
