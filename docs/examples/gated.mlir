// A gate for n tokens of d features: x is scaled by a gate of its features and a weight of its token.
// What has one value for each feature, or for each token, is cheap to keep in memory and dear to
// compute again for every point: the call decides by its sizes.
func.func @main(%x: tensor<?x?xf32> {hwc.symbols = ["n", "d"]},
                %gate: tensor<1x?xf32> {hwc.symbols = ["", "d"]},
                %token: tensor<?x1xf32> {hwc.symbols = ["n", ""]}) -> tensor<?x?xf32> {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.sigmoid %gate : (tensor<1x?xf32>) -> tensor<1x?xf32>
  %1 = tosa.exp %token : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %2 = tosa.reciprocal %1 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %3 = tosa.mul %x, %0, %shift : (tensor<?x?xf32>, tensor<1x?xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %4 = tosa.tanh %3 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = tosa.mul %4, %2, %shift : (tensor<?x?xf32>, tensor<?x1xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %6 = tosa.add %x, %5 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %6 : tensor<?x?xf32>
}
