// RUN: %hwc-opt "%s" -p infer-ranks,verify-tosa | %filecheck

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: tosa.add %a, %b : (tensor<?x4xf32>, tensor<3x1x1xf32>) -> tensor<3x?x4xf32>
// CHECK-NEXT: tosa.exp {{%.*}} : (tensor<3x?x4xf32>) -> tensor<3x?x4xf32>
// CHECK-NEXT: tosa.greater {{%.*}}, %a : (tensor<3x?x4xf32>, tensor<?x4xf32>) -> tensor<3x?x4xi1>
// CHECK-NEXT: tosa.reshape {{.*}} : (tensor<3x?x4xi1>) -> tensor<?x12xi1>
// CHECK-NEXT: return {{%.*}} : tensor<?x12xi1>
func.func @chain(%a: tensor<?x4xf32>, %b: tensor<3x1x1xf32>) -> tensor<?x12xi1> {
  %0 = tosa.add %a, %b : (tensor<?x4xf32>, tensor<3x1x1xf32>) -> tensor<*xf32>
  %1 = tosa.exp %0 : (tensor<*xf32>) -> tensor<*xf32>
  %2 = tosa.greater %1, %a : (tensor<*xf32>, tensor<?x4xf32>) -> tensor<*xi1>
  %3 = tosa.reshape %2 {new_shape = array<i64: -1, 12>} : (tensor<*xi1>) -> tensor<*xi1>
  return %3 : tensor<*xi1>
}
