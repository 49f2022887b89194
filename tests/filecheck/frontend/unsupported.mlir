// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tosa.conv2d' is not supported: it is not element-wise}}
  %0 = tosa.conv2d %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{'tosa.reduce_sum' is not supported: it reduces a dimension}}
  %0 = "tosa.reduce_sum"(%x) <{axis = 0 : i32}> : (tensor<3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @f(%x: tensor<3xf32>, %c: tensor<i1>) -> tensor<3xf32> {
  // expected-error @+1 {{'tosa.cond_if' is not supported: it is control flow}}
  %0 = tosa.cond_if %c : tensor<i1> -> (tensor<3xf32>) {
    tosa.yield %x : tensor<3xf32>
  } else {
    tosa.yield %x : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tosa.transpose' is not supported: it moves elements}}
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{'tosa.variable' is not supported: it keeps state between calls}}
tosa.variable @v = dense<0.0> : tensor<3xf32>

// -----

func.func @f(%x: tensor<3xi8>) -> tensor<3xi8> {
  // expected-error @+1 {{'tosa.apply_scale' is not supported: it is not implemented yet}}
  %0 = tosa.apply_scale %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{there is no TOSA operator 'tosa.sqrt'}}
  %0 = tosa.sqrt %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{unknown operation 'stablehlo.add'}}
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'math.cosh' is not supported: the machine has no instruction for it}}
  %0 = math.cosh %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'func.call' is not supported}}
  %0 = func.call @g(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'cf.br' is not supported: it is control flow}}
  cf.br ^bb1
^bb1:
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{'sparse_tensor.encoding' is not supported: tensors are dense}}
func.func @f(%a: tensor<4x4xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>>) {
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{'shard.sharding' is not supported: a program runs on one machine, and its tensors are not distributed}}
  %0 = "shard.sharding"() : () -> i32
  return
}

// -----

func.func @f(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{'vector.broadcast' is not supported: the compiler forms the vectors itself}}
  %0 = "vector.broadcast"(%a) : (tensor<4x4xf32>) -> vector<4xf32>
  return
}
