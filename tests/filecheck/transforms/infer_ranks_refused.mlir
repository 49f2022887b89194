// RUN: %hwc-opt "%s" -p infer-ranks,verify-tosa --split-input-file --verify-diagnostics

func.func @f(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{the operands of 'tosa.add' do not broadcast}}
  %0 = tosa.add %a, %b : (tensor<3xf32>, tensor<4xf32>) -> tensor<*xf32>
  return
}

// -----

// expected-error @+1 {{argument 1 (%b) of function @f is the unranked tensor tensor<*xf32>, and machine code is made for one rank}}
func.func @f(%a: tensor<3xf32>, %b: tensor<*xf32>) {
  %0 = tosa.add %a, %b : (tensor<3xf32>, tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{the unranked tensor tensor<*xf32>}}
  %0 = "tosa.const"() {values = dense<1.0> : tensor<3xf32>} : () -> tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{operand 1 of 'tosa.reshape'}}
  %0 = tosa.reshape %a, %s : (tensor<4xf32>, tensor<2xi32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %u: tensor<*xf32>) {
  // expected-error @+1 {{operand 0 of 'tosa.dim' is tensor<*xf32>}}
  %d = tosa.dim %u {axis = 0 : i32} : (tensor<*xf32>) -> !tosa.shape<1>
  %0 = tosa.reshape %a, %d : (tensor<4xf32>, !tosa.shape<1>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>, %t: tensor<1xi32>) {
  %c = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{operand 1 of 'tosa.add_shape' is tensor<1xi32>}}
  %d = "tosa.add_shape"(%c, %t) : (!tosa.shape<1>, tensor<1xi32>) -> !tosa.shape<1>
  %0 = tosa.reshape %a, %d : (tensor<4xf32>, !tosa.shape<1>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  %c = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{'tosa.add_shape' has 1 operand, expected 2}}
  %d = "tosa.add_shape"(%c) : (!tosa.shape<1>) -> !tosa.shape<1>
  %0 = tosa.reshape %a, %d : (tensor<4xf32>, !tosa.shape<1>) -> tensor<*xf32>
  return
}
