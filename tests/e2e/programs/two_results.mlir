// Two results whose sizes are equal for some calls and differ for others: with sizes 1, 1 and 5
// the first has size 1 and the second size 5.
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %t = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %u = tosa.mul %t, %c, %shift : (tensor<?xf32>, tensor<?xf32>, tensor<1xi8>) -> tensor<?xf32>
  return %t, %u : tensor<?xf32>, tensor<?xf32>
}
