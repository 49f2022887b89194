// A residual connection: x + scale * y, for n tokens of d features.
// The sizes have names: x and y have the same n and d, and scale has one value for each feature.
// A call has to fulfil the fact, and the compiler uses it.
func.func @main(%x: tensor<?x?xf32> {hwc.symbols = ["n", "d"]},
                %y: tensor<?x?xf32> {hwc.symbols = ["n", "d"]},
                %scale: tensor<1x?xf32> {hwc.symbols = ["", "d"]}) -> tensor<?x?xf32>
    attributes {hwc.assume = ["d % 8 == 0"]} {
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.mul %y, %scale, %shift : (tensor<?x?xf32>, tensor<1x?xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  %1 = tosa.add %x, %0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
