// RUN: %hwc-opt "%s" -p narrow-comparisons --split-input-file | %filecheck

// Numbers are compared as they were before a cast to a wider type, with constants in their type.

// CHECK-LABEL: func.func @narrowed
// CHECK-NEXT: [[c:%.*]] = "tosa.const"() <{values = dense<7.000000e-01> : tensor<1x1xf32>}>
// CHECK-NEXT: tosa.greater %x, [[c]] : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xi1>
// CHECK-NEXT: [[d:%.*]] = "tosa.const"() <{values = dense<[{{\[}}-0.000000e+00, 0x7f800000]]> : tensor<1x2xf32>}>
// CHECK-NEXT: tosa.greater_equal [[d]], %x : (tensor<1x2xf32>, tensor<?x?xf32>) -> tensor<?x?xi1>
// CHECK-NEXT: tosa.equal %n, %n : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi1>
// CHECK-NEXT: [[e:%.*]] = "tosa.const"() <{values = dense<-128> : tensor<1x1xi8>}>
// CHECK-NEXT: tosa.equal %n, [[e]] : (tensor<?x?xi8>, tensor<1x1xi8>) -> tensor<?x?xi1>
// CHECK-NEXT: return
func.func @narrowed(%x: tensor<?x?xf32>, %n: tensor<?x?xi8>) -> (tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>) {
  %c = "tosa.const"() {values = dense<0.69999998807907104> : tensor<1x1xf64>} : () -> tensor<1x1xf64>
  %d = "tosa.const"() {values = dense<[[-0.0, 0x7FF0000000000000]]> : tensor<1x2xf64>} : () -> tensor<1x2xf64>
  %e = "tosa.const"() {values = dense<-128> : tensor<1x1xi64>} : () -> tensor<1x1xi64>
  %w = tosa.cast %x : (tensor<?x?xf32>) -> tensor<?x?xf64>
  %v = tosa.cast %n : (tensor<?x?xi8>) -> tensor<?x?xi64>
  %0 = tosa.greater %w, %c : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xi1>
  %1 = tosa.greater_equal %d, %w : (tensor<1x2xf64>, tensor<?x?xf64>) -> tensor<?x?xi1>
  %2 = tosa.equal %v, %v : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi1>
  %3 = tosa.equal %v, %e : (tensor<?x?xi64>, tensor<1x1xi64>) -> tensor<?x?xi1>
  return %0, %1, %2, %3 : tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>
}
