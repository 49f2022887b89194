// REQUIRES: mlir-opt
// RUN: %mlir-opt --pass-pipeline='builtin.module(func.func(tosa-to-linalg),canonicalize,cse)' "%s" | %filecheck

// Upstream keeps every attribute about sizes on its way to linalg, except what operators had.

// CHECK: func.func @main({{%.*}}: tensor<?x?xf32> {hwc.nonexpanding = array<i64: 0>, hwc.symbols = ["n", "d"]}, {{%.*}}: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {hwc.assume = ["d % 8 == 0"], hwc.broadcast = "strict", hwc.ranks = "equal"} {
// CHECK: linalg.generic
func.func @main(%a: tensor<?x?xf32> {hwc.symbols = ["n", "d"], hwc.nonexpanding = array<i64: 0>}, %b: tensor<?x?xf32>)
    -> tensor<?x?xf32> attributes {hwc.assume = ["d % 8 == 0"], hwc.broadcast = "strict", hwc.ranks = "equal"} {
  %0 = tosa.add %a, %b {hwc.strict} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
