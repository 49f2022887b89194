// RUN: %hwc-opt "%s" -p fold-conversions,verify-tosa --split-input-file --verify-diagnostics

// A constant that is not only converted: the operator that needs the type is refused.

func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %h = "tosa.const"() {values = dense<[1.5, -2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  // expected-error @+1 {{operand 0 of 'tosa.exp' has element type f64, which is not supported; supported are i1, i8, i16, i32, f32, f16, bf16, f8E4M3FN, f8E5M2}}
  %e = tosa.exp %h : (tensor<2xf64>) -> tensor<2xf64>
  %c = tosa.cast %e : (tensor<2xf64>) -> tensor<2xf32>
  %z = tosa.add %x, %c : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

func.func @f() -> tensor<2xf64> {
  %h = "tosa.const"() {values = dense<[1.5, -2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  // expected-error @+1 {{result 0 of function @f has element type f64, which is not supported}}
  return %h : tensor<2xf64>
}

// -----

func.func @f(%x: f32) -> f32 {
  %a = arith.constant 0.1 : f64
  // expected-error @+1 {{operand 0 of 'arith.addf' has element type f64, which is not supported}}
  %b = arith.addf %a, %a : f64
  return %x : f32
}

// -----

// What a call passes is not folded.

// expected-error @+1 {{argument 0 (%x) of function @f has element type f64, which is not supported}}
func.func @f(%x: tensor<2xf64>) -> tensor<2xf32> {
  %c = tosa.cast %x : (tensor<2xf64>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// Malformed operators are refused as they are with any other type, and so are other roundings.

func.func @f() -> tensor<3xf32> {
  %a = "tosa.const"() {values = dense<[1.5, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  // expected-error @+1 {{operand 0 of 'tosa.cast' has element type f64}}
  %c = tosa.cast %a : (tensor<2xf64>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}

// -----

func.func @f() -> tensor<3xf32> {
  %a = "tosa.const"() {values = dense<[1.5, 2.0]> : tensor<2xf16>} : () -> tensor<2xf16>
  // expected-error @+1 {{'tosa.reshape' cannot turn 2 (2 elements) into 3}}
  %b = tosa.reshape %a {new_shape = array<i64: 3>} : (tensor<2xf16>) -> tensor<3xf16>
  %c = tosa.cast %b : (tensor<3xf16>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}

// -----

func.func @f() -> tensor<2xf32> {
  %a = "tosa.const"() {values = dense<[1.5, 2.0]> : tensor<2xf16>} : () -> tensor<2xf16>
  // expected-error @+1 {{'tosa.cast' has an unknown attribute 'rounding'}}
  %b = tosa.cast %a {rounding = 1 : i32} : (tensor<2xf16>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

func.func @f() -> f32 {
  %a = arith.constant 0.1 : f64
  // expected-error @+1 {{'arith.extf' is malformed: f32 is not wider than f64}}
  %b = arith.extf %a : f64 to f32
  return %b : f32
}

// -----

func.func @f() -> f32 {
  %a = arith.constant 0.1 : f16
  // expected-error @+1 {{'arith.truncf' is malformed: f32 is not narrower than f16}}
  %b = arith.truncf %a : f16 to f32
  return %b : f32
}

// -----

func.func @f() -> tensor<2xi32> {
  %a = arith.constant dense<[1, 2]> : tensor<2xi4>
  // expected-error @+1 {{'arith.trunci' is malformed: tensor<2xi32> is not narrower than tensor<2xi4>}}
  %b = arith.trunci %a : tensor<2xi4> to tensor<2xi32>
  return %b : tensor<2xi32>
}

// -----

func.func @f() -> f32 {
  %a = arith.constant 0.1 : f64
  // expected-error @+1 {{operand 0 of 'arith.truncf' has element type f64, which is not supported}}
  %b = arith.truncf %a upward : f64 to f32
  return %b : f32
}
