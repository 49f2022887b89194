// RUN: %hwc-opt "%s" | %hwc-opt | %filecheck

// CHECK-LABEL: func.func @reshapes
func.func @reshapes(%a: tensor<?x?xf32>, %s: tensor<3xi32>, %n: index, %p: tensor<f32>) {
  // CHECK: tensor.reshape %a(%s) : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  %0 = tensor.reshape %a(%s) : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  // CHECK: tensor.expand_shape %a {{.*}} output_shape [%n, %n, 4] : tensor<?x?xf32> into tensor<?x?x4xf32>
  %1 = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, %n, 4] : tensor<?x?xf32> into tensor<?x?x4xf32>
  // CHECK: tensor.collapse_shape %a {{.*}} : tensor<?x?xf32> into tensor<?xf32>
  %2 = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  // CHECK: tensor.expand_shape %p [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %3 = tensor.expand_shape %p [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  // CHECK: tensor.collapse_shape {{%.*}} [] : tensor<1x1xf32> into tensor<f32>
  %4 = tensor.collapse_shape %3 [] : tensor<1x1xf32> into tensor<f32>
  return
}
