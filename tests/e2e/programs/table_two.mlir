// Two tables of i16 in turn, and a computed one: the machine has one table at a time.
func.func @main(%a: tensor<?xi16>, %t: tensor<513xi16>, %u: tensor<513xi16>) -> (tensor<?xi32>, tensor<?xi32>) {
  %v = tosa.maximum %t, %u : (tensor<513xi16>, tensor<513xi16>) -> tensor<513xi16>
  %x = tosa.table %a, %t : (tensor<?xi16>, tensor<513xi16>) -> tensor<?xi32>
  %y = tosa.table %a, %v : (tensor<?xi16>, tensor<513xi16>) -> tensor<?xi32>
  %d = tosa.sub %x, %y : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %n = tosa.bitwise_not %a : (tensor<?xi16>) -> tensor<?xi16>
  %z = tosa.table %n, %t : (tensor<?xi16>, tensor<513xi16>) -> tensor<?xi32>
  return %d, %z : tensor<?xi32>, tensor<?xi32>
}
