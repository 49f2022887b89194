// A quantised sum with a scale for each channel, then a table: four streams, and the table is none.
func.func @main(%a: tensor<?x?xi8>, %b: tensor<1x?xi8>, %m: tensor<?xi32>, %s: tensor<?xi8>, %t: tensor<256xi8>) -> tensor<?x?xi8> {
  %u = "tosa.const"() {values = dense<1518500249> : tensor<1xi32>} : () -> tensor<1xi32>
  %up = "tosa.const"() {values = dense<20> : tensor<1xi8>} : () -> tensor<1xi8>
  %p = "tosa.const"() {values = dense<-5> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %x = tosa.rescale %a, %u, %up, %p, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x?xi32>
  %y = tosa.rescale %b, %u, %up, %p, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x?xi32>
  %c = tosa.add %x, %y : (tensor<?x?xi32>, tensor<1x?xi32>) -> tensor<?x?xi32>
  %q = tosa.rescale %c, %m, %s, %z, %p {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi32>, tensor<?xi32>, tensor<?xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x?xi8>
  %r = tosa.table %q, %t : (tensor<?x?xi8>, tensor<256xi8>) -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}
