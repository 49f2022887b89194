// RUN: %hwc-opt "%s" -p simplify-kernels --split-input-file --verify-diagnostics

func.func @undefined(%a: tensor<?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 0)
  // expected-error @+1 {{symbol 's9' is used before it is defined}}
  kernel.size equal(s0, s9) of "tosa.add"
  return
}

// -----

func.func @no_dimension(%a: tensor<?xf32>) {
  // expected-error @+1 {{argument 0 has no dimension 1}}
  kernel.size s0 = dim(argument 0, dimension 1)
  return
}

// -----

func.func @no_argument(%a: tensor<?xf32>) {
  // expected-error @+1 {{there is no argument 1}}
  kernel.size s0 = dim(argument 1, dimension 0)
  return
}

// -----

// expected-error @+1 {{dimension 0 of argument 0 has no symbol}}
func.func @no_symbol(%a: tensor<?xf32>) {
  return
}

// -----

func.func @contradiction(%a: tensor<?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 0)
  kernel.size equal(s0, 3) of "tosa.add"
  // expected-error @+1 {{the steps require a size to be both 3 and 4}}
  kernel.size equal(s0, 4) of "tosa.add"
  return
}

// -----

func.func @twice(%a: tensor<?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 0)
  // expected-error @+1 {{symbol 's0' is defined again}}
  kernel.size s0 = broadcast(s0, 4) of "tosa.add"
  return
}

// -----

func.func @undefined_value(%a: tensor<?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 0)
  // expected-error @+1 {{symbol 's9' is not defined by any step}}
  %0 = kernel.host tensor<2xi32> [2] = [s0, s9]
  return
}
