// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  // expected-error @+1 {{'arith.divsi': division by zero}}
  %0 = arith.divsi %c0, %c0 : index
  %1 = tensor.from_elements %0 : tensor<1xindex>
  %2 = tensor.reshape %a(%1) : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant -3 : index
  %0 = tensor.from_elements %c : tensor<1xindex>
  // expected-error @+1 {{'tensor.reshape': got the computed size -3, expected 0 to 2147483647}}
  %1 = tensor.reshape %a(%0) : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<6xf32>) -> tensor<?xf32> {
  %c = arith.constant 5 : index
  %0 = tensor.from_elements %c : tensor<1xindex>
  // expected-error @+1 {{'tensor.reshape' changes the number of elements from 6 to 5}}
  %1 = tensor.reshape %a(%0) : (tensor<6xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<6xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %known = arith.constant dense<[1, 2]> : tensor<2xindex>
  // expected-error @+1 {{'tensor.extract' has the index 5 for the size 2}}
  %0 = tensor.extract %known[%c5] : tensor<2xindex>
  %1 = tensor.from_elements %0 : tensor<1xindex>
  %2 = tensor.reshape %a(%1) : (tensor<6xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// The host does not have what the machine computes.
func.func @f(%a: tensor<6xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
  %0 = tensor.expand_shape %s [[0, 1]] output_shape [1, 1] : tensor<1xi32> into tensor<1x1xi32>
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'tensor.extract' reads an element that the host does not hold}}
  %1 = tensor.extract %0[%c0, %c0] : tensor<1x1xi32>
  %2 = arith.index_cast %1 : i32 to index
  %3 = tensor.from_elements %2 : tensor<1xindex>
  %4 = tensor.reshape %a(%3) : (tensor<6xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'tensor.dim' of a tensor of rank 1 got 1 as the dimension, expected a constant below 1}}
  %0 = tensor.dim %a, %c1 : tensor<?xf32>
  %1 = tensor.from_elements %0 : tensor<1xindex>
  %2 = tensor.reshape %a(%1) : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>, %s: tensor<1xi32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %s[%c0] : tensor<1xi32>
  %1 = arith.index_cast %0 : i32 to index
  // expected-error @+1 {{'tensor.dim' of a tensor of rank 1 got a computed number as the dimension, expected a constant below 1}}
  %2 = tensor.dim %a, %1 : tensor<?xf32>
  %3 = tensor.from_elements %2 : tensor<1xindex>
  %4 = tensor.reshape %a(%3) : (tensor<?xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}
