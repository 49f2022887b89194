// RUN: %hwc-opt "%s" -p narrow-comparisons,verify-tosa --split-input-file --verify-diagnostics

// A number that the narrower type does not have.

func.func @f(%x: tensor<?xf32>) -> tensor<?xi1> {
  %c = "tosa.const"() {values = dense<0.1> : tensor<1xf64>} : () -> tensor<1xf64>
  // expected-error @+1 {{the result of 'tosa.cast' has element type f64, which is not supported}}
  %w = tosa.cast %x : (tensor<?xf32>) -> tensor<?xf64>
  %0 = tosa.greater %w, %c : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

// Numbers of two types.

func.func @f(%n: tensor<?xi32>, %m: tensor<?xi8>) -> tensor<?xi1> {
  // expected-error @+1 {{the result of 'tosa.cast' has element type i64, which is not supported}}
  %i = tosa.cast %n : (tensor<?xi32>) -> tensor<?xi64>
  %j = tosa.cast %m : (tensor<?xi8>) -> tensor<?xi64>
  %0 = tosa.greater %i, %j : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

// A cast from a type of another kind, of booleans, and one that checks a size.

func.func @f(%n: tensor<?xi32>) -> tensor<?xi1> {
  %d = "tosa.const"() {values = dense<1.0> : tensor<1xf64>} : () -> tensor<1xf64>
  // expected-error @+1 {{the result of 'tosa.cast' has element type f64, which is not supported}}
  %f = tosa.cast %n : (tensor<?xi32>) -> tensor<?xf64>
  %0 = tosa.greater %f, %d : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

func.func @f(%b: tensor<?xi1>) -> tensor<?xi1> {
  %d = "tosa.const"() {values = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @+1 {{the result of 'tosa.cast' has element type i64, which is not supported}}
  %t = tosa.cast %b : (tensor<?xi1>) -> tensor<?xi64>
  %0 = tosa.equal %t, %d : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<4xi1> {
  %d = "tosa.const"() {values = dense<1.0> : tensor<1xf64>} : () -> tensor<1xf64>
  // expected-error @+1 {{the result of 'tosa.cast' has element type f64, which is not supported}}
  %s = tosa.cast %x : (tensor<?xf32>) -> tensor<4xf64>
  %0 = tosa.equal %s, %d : (tensor<4xf64>, tensor<1xf64>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// A malformed cast, and a program of TOSA 1.0, which has no such type.

func.func @f(%x: tensor<?xf32>) -> tensor<?xi1> {
  %d = "tosa.const"() {values = dense<1.0> : tensor<1xf64>} : () -> tensor<1xf64>
  // expected-error @+1 {{'tosa.cast' has an unknown attribute 'rounding'}}
  %w = tosa.cast %x {rounding = 1 : i32} : (tensor<?xf32>) -> tensor<?xf64>
  %0 = tosa.greater %w, %d : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}

// -----

func.func @f(%x: tensor<?xf32>) -> tensor<?xi1> attributes {hwc.conform = "1.0"} {
  // expected-error @+1 {{the result of 'tosa.cast' has element type f64, which is not supported}}
  %w = tosa.cast %x : (tensor<?xf32>) -> tensor<?xf64>
  %0 = tosa.greater %w, %w : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}
