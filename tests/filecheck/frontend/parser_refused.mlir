// RUN: %hwc-opt %s -p verify-tosa --split-input-file --verify-diagnostics

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{operand is used with type tensor<4xf32>}}
  %0 = tosa.abs %x : (tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{%y is used before it is defined}}
  %0 = tosa.add %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %y = tosa.abs %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{SSA value %x is already defined}}
  %x = tosa.abs %x : (tensor<3xf32>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tosa.conv2d' is not compiled: it is not element-wise}}
  %0 = tosa.conv2d %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{'tosa.reduce_sum' is not compiled: it reduces a dimension}}
  %0 = "tosa.reduce_sum"(%x) <{axis = 0 : i32}> : (tensor<3xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @f(%x: tensor<3xf32>, %c: tensor<i1>) -> tensor<3xf32> {
  // expected-error @+1 {{'tosa.cond_if' is not compiled: it is control flow}}
  %0 = tosa.cond_if %c : tensor<i1> -> (tensor<3xf32>) {
    tosa.yield %x : tensor<3xf32>
  } else {
    tosa.yield %x : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tosa.transpose' is not compiled: it moves elements to other places}}
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// expected-error @+1 {{'tosa.variable' is not compiled: it keeps state between calls}}
tosa.variable @v = dense<0.0> : tensor<3xf32>

// -----

func.func @f(%x: tensor<3xi8>) -> tensor<3xi8> {
  // expected-error @+1 {{'tosa.rescale' is not compiled: it is not implemented}}
  %0 = tosa.rescale %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tosa.sqrt' is no TOSA operator that hwc knows}}
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
  // expected-error @+1 {{'arith.addf' is not compiled}}
  %0 = arith.addf %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @g(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'func.call' is not compiled}}
  %0 = func.call @g(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'cf.br' is not compiled: it is control flow}}
  cf.br ^bb1
^bb1:
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{function @f has 2 blocks}}
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
^bb1:
  return %x : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{does not fit i8}}
  %0 = "tosa.const"() <{values = dense<300> : tensor<3xi8>}> : () -> tensor<3xi8>
  return %x : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{bit pattern is wider than f32}}
  %0 = "tosa.const"() <{values = dense<0x7F80000000> : tensor<3xf32>}> : () -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// -----

func.func @f() {
  // expected-error @+1 {{Dense literal attribute should have a static shape}}
  %0 = "tosa.const"() <{values = dense<0.0> : tensor<?xf32>}> : () -> tensor<?xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{a constant of more than 16777216 elements; pass it as argument}}
  %0 = "tosa.const"() <{values = dense<0.0> : tensor<65536x4096xf32>}> : () -> tensor<65536x4096xf32>
  return
}

// -----

// expected-error @+1 {{has element type f8E4M3FN, which is not compiled}}
func.func @f(%a: tensor<3xf8E4M3FN>) {
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{8 bits for 10 elements}}
  %0 = "tosa.const"() <{values = dense<"0x0F"> : tensor<10xi1>}> : () -> tensor<10xi1>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const' holds 'dense_resource', which is not compiled}}
  %0 = "tosa.const"() <{values = dense_resource<blob> : tensor<10xf32>}> : () -> tensor<10xf32>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{attribute 'round' is given twice}}
  %0 = tosa.arithmetic_right_shift %x, %x {round = true, round = false} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// -----

func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{the type or attribute 'quant.uniform' is not compiled}}
  %0 = tosa.abs %x : (tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{Could not parse entire input}}
42
