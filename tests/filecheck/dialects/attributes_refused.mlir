// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 0 (%a) of function @f has the unknown attribute 'hwc.symbol'}}
func.func @f(%a: tensor<?xf32> {hwc.symbol = ["n"]}) {
  return
}

// -----

// expected-error @+1 {{function @f has the unknown attribute 'hwc.nosuch'}}
func.func @f(%a: tensor<?xf32>) attributes {hwc.nosuch} {
  return
}

// -----

// expected-error @+1 {{result 0 of function @f has the unknown attribute 'hwc.nosuch'}}
func.func @f(%a: tensor<?xf32>) -> (tensor<?xf32> {hwc.nosuch}) {
  return %a : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tosa.exp' has the unknown attribute 'hwc.nosuch'}}
  %0 = tosa.exp %a {hwc.nosuch = 1 : i32} : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'func.return' has the unknown attribute 'hwc.nosuch'}}
  return {hwc.nosuch}
}

// -----

// expected-error @+1 {{the module has the unknown attribute 'hwc.nosuch'}}
module attributes {hwc.nosuch} {
  func.func @f(%a: tensor<?xf32>) {
    return
  }
}

// -----

// expected-error @+1 {{argument 0 (%a) of function @f has the attribute 'hwc.assume', which belongs to a function}}
func.func @f(%a: tensor<?xf32> {hwc.assume = ["a.0 == 1"]}) {
  return
}

// -----

// expected-error @+1 {{function @f has the attribute 'hwc.strict', which belongs to an operation}}
func.func @f(%a: tensor<?xf32>) attributes {hwc.strict} {
  return
}

// -----

// expected-error @+1 {{'hwc.symbols' of argument 0 (%a) of function @f is "n", expected a list of strings, as in ["n", "d"]}}
func.func @f(%a: tensor<?xf32> {hwc.symbols = "n"}) {
  return
}

// -----

// expected-error @+1 {{'hwc.nonexpanding' of argument 0 (%a) of function @f is [0 : i64], expected dimensions, as in array<i64: 0>}}
func.func @f(%a: tensor<?xf32> {hwc.nonexpanding = [0]}) {
  return
}

// -----

// expected-error @+1 {{'hwc.broadcast' of function @f is "none", expected "numpy" or "strict"}}
func.func @f(%a: tensor<?xf32>) attributes {hwc.broadcast = "none"} {
  return
}

// -----

// expected-error @+1 {{'hwc.ranks' of function @f is "none", expected "pad" or "equal"}}
func.func @f(%a: tensor<?xf32>) attributes {hwc.ranks = "none"} {
  return
}

// -----

// expected-error @+1 {{'hwc.assume' of function @f is "a.0 == 1", expected a list of strings, as in ["a.n % 8 == 0"]}}
func.func @f(%a: tensor<?xf32>) attributes {hwc.assume = "a.0 == 1"} {
  return
}

// -----

func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  // expected-error @+1 {{'hwc.strict' of 'tosa.add' is true, expected no value}}
  %0 = tosa.add %a, %b {hwc.strict = true} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.reshape' has the attribute 'hwc.strict', but broadcasts nothing}}
  %0 = tosa.reshape %a {new_shape = array<i64: 1, 3>, hwc.strict} : (tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// expected-error @+1 {{'hwc.symbols' of argument 0 (%a) of function @f is a list of length 1, expected 2: one name for each dimension of tensor<?x?xf32>}}
func.func @f(%a: tensor<?x?xf32> {hwc.symbols = ["n"]}) {
  return
}

// -----

// expected-error @+1 {{'hwc.nonexpanding' of argument 0 (%a) of function @f has dimension 1, but tensor<?xf32> has rank 1}}
func.func @f(%a: tensor<?xf32> {hwc.nonexpanding = array<i64: 1>}) {
  return
}
