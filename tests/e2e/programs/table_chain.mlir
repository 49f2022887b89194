// A quantised chain that ends in a table: one kernel, after the one that fills the table.
func.func @main(%a: tensor<?x?xi8>, %b: tensor<1x?xi8>, %t: tensor<256xi8>) -> tensor<?x?xi8> {
  %m = "tosa.const"() {values = dense<1518500249> : tensor<1xi32>} : () -> tensor<1xi32>
  %up = "tosa.const"() {values = dense<20> : tensor<1xi8>} : () -> tensor<1xi8>
  %down = "tosa.const"() {values = dense<41> : tensor<1xi8>} : () -> tensor<1xi8>
  %p = "tosa.const"() {values = dense<-5> : tensor<1xi8>} : () -> tensor<1xi8>
  %z = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %x = tosa.rescale %a, %m, %up, %p, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x?xi32>
  %y = tosa.rescale %b, %m, %up, %p, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x?xi32>
  %s = tosa.add %x, %y : (tensor<?x?xi32>, tensor<1x?xi32>) -> tensor<?x?xi32>
  %c = tosa.clamp %s {min_val = -150000 : i32, max_val = 190000 : i32} : (tensor<?x?xi32>) -> tensor<?x?xi32>
  %q = tosa.rescale %c, %m, %down, %z, %p {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x?xi8>
  %r = tosa.table %q, %t : (tensor<?x?xi8>, tensor<256xi8>) -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}
