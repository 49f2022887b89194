// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

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
  // expected-error @+1 {{the bit pattern is wider than f32}}
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
  // expected-error @+1 {{a constant of more than 16777216 elements}}
  %0 = "tosa.const"() <{values = dense<[0.0]> : tensor<65536x4096xf32>}> : () -> tensor<65536x4096xf32>
  return
}

// -----

// expected-error @+1 {{has element type f8E4M3, which is not supported}}
func.func @f(%a: tensor<3xf8E4M3>) {
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{a string of 1 byte for 10 elements of i1}}
  %0 = "tosa.const"() <{values = dense<"0x0F"> : tensor<10xi1>}> : () -> tensor<10xi1>
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
  // expected-error @+1 {{the type or attribute 'quant.uniform' is not supported}}
  %0 = tosa.abs %x : (tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// -----

// expected-error @+1 {{expected an operation, got '42'}}
42

// -----

%k = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
func.func @f(%x: tensor<3xi8>) -> tensor<3xi8> {
  // expected-error @+1 {{operand 1 of 'tosa.add' is a value from outside 'func.func'}}
  %0 = tosa.add %x, %k : (tensor<3xi8>, tensor<1xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}
