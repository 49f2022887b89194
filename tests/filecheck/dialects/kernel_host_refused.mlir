// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @floats() {
  // expected-error @+1 {{the host stores integers and booleans}}
  %0 = kernel.host tensor<1xf32> [1] = [3]
  return
}

// -----

func.func @ranks() {
  // expected-error @+1 {{'sizes' and the result's type differ in rank}}
  %0 = kernel.host tensor<1xi32> [1, 1] = [3]
  return
}

// -----

func.func @too_few() {
  // expected-error @+1 {{there is one value for each element}}
  %0 = kernel.host tensor<2xi32> [2] = [3]
  return
}

// -----

func.func @unknown_number(%a: tensor<?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 0)
  // expected-error @+1 {{there is one value for each element}}
  %0 = kernel.host tensor<?xi32> [s0] = [3]
  return
}
