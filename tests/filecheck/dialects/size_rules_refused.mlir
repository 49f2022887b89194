// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?x4xf32>) {
  // expected-error @+1 {{'tensor.collapse_shape' is malformed: the groups are not the dimensions in order, one group for each}}
  %0 = tensor.collapse_shape %a [[0]] : tensor<?x4xf32> into tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<2x4xf32>) {
  // expected-error @+1 {{'tensor.collapse_shape' is malformed: dimensions of sizes 2x4 cannot be one of size 9}}
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x4xf32> into tensor<9xf32>
  return
}

// -----

func.func @f(%a: tensor<2xf32>) {
  // expected-error @+1 {{'tensor.collapse_shape' is malformed: dimensions of sizes 2 cannot be one of size 1}}
  %0 = tensor.collapse_shape %a [] : tensor<2xf32> into tensor<f32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tensor.collapse_shape' is malformed: operand and result have different element types}}
  %0 = tensor.collapse_shape %a [[0]] : tensor<?xf32> into tensor<?xi32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tensor.expand_shape' is malformed: the output shape is not the shape of the result's type}}
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 3] : tensor<?xf32> into tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{'tensor.reshape' is malformed: the shape is a tensor with a size for each dimension}}
  %0 = tensor.reshape %a(%s) : (tensor<?xf32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<5xf32>, %s: tensor<1xi32>) {
  // expected-error @+1 {{'tensor.reshape' is malformed: operand and result have different numbers of elements}}
  %0 = tensor.reshape %a(%s) : (tensor<5xf32>, tensor<1xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<5xf32>) {
  // expected-error @+1 {{'tensor.cast' is malformed: source and destination constant dimensions should match}}
  %0 = tensor.cast %a : tensor<5xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<5xf32>) {
  // expected-error @+1 {{the result of 'tensor.cast' is the unranked tensor tensor<*xf32>}}
  %0 = tensor.cast %a : tensor<5xf32> to tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<?xi1>) {
  // expected-error @+1 {{'tensor.cast' is malformed: operand and result have different element types}}
  %0 = tensor.cast %a : tensor<?xi1> to tensor<?xi8>
  return
}

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{'tensor.from_elements' is malformed: expected an element for each of the result (3), got 2}}
  %0 = tensor.from_elements %a, %a : tensor<3xi32>
  return
}

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{'tensor.from_elements' is malformed: the result has dynamic sizes, expected the number of elements}}
  %0 = tensor.from_elements %a : tensor<?xi32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<i32>) {
  %0 = tensor.extract %b[] : tensor<i32>
  %1 = arith.index_cast %0 : i32 to index
  %2 = arith.cmpi slt, %1, %1 : index
  // expected-error @+1 {{'arith.extsi' computes with i1}}
  %3 = arith.extsi %2 : i1 to i64
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  %0 = arith.constant 4 : index
  // expected-error @+1 {{'arith.index_cast' computes a size with i24}}
  %1 = arith.index_cast %0 : index to i24
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  %0 = arith.constant 4 : i32
  // expected-error @+1 {{'arith.index_castui' is malformed: i32 to i64: one has to be index}}
  %1 = arith.index_castui %0 : i32 to i64
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tensor.empty': expected a size for each '?' of the type (1), got 0}}
  %0 = tensor.empty() : tensor<3x?xi16>
  return
}

// -----

func.func @f() {
  %0 = arith.constant 4 : index
  // expected-error @+1 {{'tensor.empty': expected a size for each '?' of the type (0), got 1}}
  %1 = tensor.empty(%0) : tensor<3xi16>
  return
}
