// tanh((a + b) * c) - d, every dimension of every operand known only when the program is called.
func.func @main(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>,
                %c: tensor<?x?x?xf32>, %d: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %a, %b : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %1 = tosa.mul %0, %c, %shift : (tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<1xi8>) -> tensor<?x?x?xf32>
  %2 = tosa.tanh %1 : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %3 = tosa.sub %2, %d : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %3 : tensor<?x?x?xf32>
}
