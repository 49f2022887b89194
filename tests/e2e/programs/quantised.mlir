// A quantised sum: both operands to one scale, the sum to the scale of the result.
func.func @main(%x: tensor<?x?xi8>, %y: tensor<?x?xi8>) -> tensor<?x?xi8> {
  %m = "tosa.const"() <{values = dense<1518500249> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = "tosa.const"() <{values = dense<41> : tensor<1xi8>}> : () -> tensor<1xi8>
  %i = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.rescale %x, %m, %s, %i, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x?xi32>
  %1 = tosa.rescale %y, %m, %s, %i, %z {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<?x?xi32>
  %2 = tosa.add %0, %1 : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi32>
  %3 = tosa.rescale %2, %m, %t, %z, %i {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?x?xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?x?xi8>
  %4 = tosa.clamp %3 {min_val = -100 : i8, max_val = 90 : i8} : (tensor<?x?xi8>) -> tensor<?x?xi8>
  return %4 : tensor<?x?xi8>
}
