// The shift of a product is an argument.
func.func @main(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>, %s: tensor<1xi8>) -> tensor<?x?xi32> {
  %r = tosa.mul %a, %b, %s : (tensor<?x?xi32>, tensor<?x?xi32>, tensor<1xi8>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
