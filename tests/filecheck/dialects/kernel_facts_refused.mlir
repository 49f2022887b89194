// RUN: %hwc-opt %s -p simplify-kernels --split-input-file --verify-diagnostics

func.func @undefined(%a: tensor<?xf32>) {
  "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 0 : i64}> : () -> ()
  // expected-error @+1 {{symbol 's9' is not defined by a step before}}
  "kernel.equal_sizes"() <{operands = ["s0", "s9"], source = "tosa.add"}> : () -> ()
  return
}

// -----

func.func @no_dimension(%a: tensor<?xf32>) {
  // expected-error @+1 {{argument 0 has no dimension 1}}
  "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 1 : i64}> : () -> ()
  return
}

// -----

func.func @no_argument(%a: tensor<?xf32>) {
  // expected-error @+1 {{the function has no argument 1}}
  "kernel.dim_size"() <{symbol = "s0", argument = 1 : i64, dimension = 0 : i64}> : () -> ()
  return
}

// -----

// expected-error @+1 {{dimension 0 of argument 0 has no symbol}}
func.func @no_symbol(%a: tensor<?xf32>) {
  return
}

// -----

func.func @contradiction(%a: tensor<?xf32>) {
  "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 0 : i64}> : () -> ()
  "kernel.equal_sizes"() <{operands = ["s0", 3 : i64], source = "tosa.add"}> : () -> ()
  // expected-error @+1 {{the steps require a size to be both 3 and 4}}
  "kernel.equal_sizes"() <{operands = ["s0", 4 : i64], source = "tosa.add"}> : () -> ()
  return
}

// -----

func.func @no_sizes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'hwc.reshape' has no attribute 'sizes'}}
  %0 = "hwc.reshape"(%a) : (tensor<4xf32>) -> tensor<2x2xf32>
  return
}
