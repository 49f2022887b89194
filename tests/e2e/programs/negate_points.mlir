// The zero points are arguments.
func.func @main(%a: tensor<?xi8>, %i: tensor<?xi8>, %o: tensor<1xi8>) -> tensor<?xi8> {
  %r = tosa.negate %a, %i, %o : (tensor<?xi8>, tensor<?xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %r : tensor<?xi8>
}
