// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @-1 {{argument 0 (%x) of function @f has element type f64, which is not supported}}
  %0 = arith.addf %x, %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// -----

func.func @f(%x: tensor<3xi32>) -> tensor<3xi32> {
  // expected-error @+1 {{result 0 of 'arith.extsi' has element type i64, which is not supported}}
  %0 = arith.extsi %x : tensor<3xi32> to tensor<3xi64>
  return %x : tensor<3xi32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'math.acos' is not supported: the machine has no instruction for it}}
  %0 = math.acos %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xi32>) -> tensor<3xf32> {
  // expected-error @+1 {{operand 0 of 'arith.addf' is tensor<3xi32>}}
  %0 = "arith.addf"(%x, %x) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %x : tensor<3xi32>
}

// -----

func.func @f(%x: tensor<3xi32>, %y: tensor<4xi32>) -> tensor<3xi32> {
  // expected-error @+1 {{operands and result have different shapes: tensor<3xi32>, tensor<4xi8>}}
  %0 = arith.trunci %x : tensor<3xi32> to tensor<4xi8>
  return %x : tensor<3xi32>
}

// -----

func.func @f(%x: vector<3xf32>) {
  // expected-error @-1 {{argument 0 (%x) of function @f is vector<3xf32>, which is not a tensor}}
  return
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{unknown operation 'math.exp3'}}
  %0 = math.exp3 %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
