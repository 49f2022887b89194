// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @unknown_kind(%a: tensor<?xf32>) {
  // expected-error @+1 {{not a step of a shape program: 'guess' is not a kind of step: dim, learned, broadcast, equal, reshape}}
  kernel.size s0 = guess(argument 0)
  return
}

// -----

func.func @no_result(%a: tensor<?xf32>) {
  // expected-error @+1 {{not a step of a shape program: 'broadcast' gives one size}}
  kernel.size broadcast(s0, s1) of "tosa.add"
  return
}

// -----

func.func @negative_dimension(%a: tensor<?xf32>) {
  // expected-error @+1 {{'dimension' is -4 : i64, expected an i64, 0 or more}}
  "kernel.size"() <{step = #kernel.step<s0 = dim(argument 0, dimension 0)>, source = "a", dimension = -4}> : () -> ()
  return
}

// -----

func.func @dimension_of_another_type(%a: tensor<?xf32>) {
  // expected-error @+1 {{'dimension' is 1 : i8, expected an i64, 0 or more}}
  "kernel.size"() <{step = #kernel.step<s0 = dim(argument 0, dimension 0)>, source = "a", dimension = 1 : i8}> : () -> ()
  return
}

// -----

func.func @dimension_of_no_operation(%a: tensor<?xf32>) {
  // expected-error @+1 {{a 'dimension' without the 'source' whose result has it}}
  "kernel.size"() <{step = #kernel.step<s0 = dim(argument 0, dimension 0)>, dimension = 1}> : () -> ()
  return
}
