// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel --split-input-file --verify-diagnostics

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tosa.dim' of a tensor of rank 1 has axis = 1 : i32}}
  %0 = tosa.dim %a {axis = 1 : i32} : (tensor<?xf32>) -> !tosa.shape<1>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tosa.dim' of a tensor of rank 1 has no axis}}
  %0 = tosa.dim %a : (tensor<?xf32>) -> !tosa.shape<1>
  return
}

// -----

func.func @f() {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{operand 0 of 'tosa.dim' is !tosa.shape<1>}}
  %1 = tosa.dim %0 {axis = 0 : i32} : (!tosa.shape<1>) -> !tosa.shape<1>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tosa.dim' holds 1 size but its result is !tosa.shape<2>}}
  %0 = tosa.dim %a {axis = 0 : i32} : (tensor<?xf32>) -> !tosa.shape<2>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.concat_shape' has no operands}}
  %0 = tosa.concat_shape : () -> !tosa.shape<0>
  return
}

// -----

func.func @f() {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %1 = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // expected-error @+1 {{'tosa.add_shape' has shapes of 1 and 2 values}}
  %2 = tosa.add_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<2>) -> !tosa.shape<2>
  return
}

// -----

func.func @f(%a: tensor<1xi32>) {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{operand 1 of 'tosa.add_shape' is tensor<1xi32>}}
  %1 = tosa.add_shape %0, %a : (!tosa.shape<1>, tensor<1xi32>) -> !tosa.shape<1>
  return
}

// -----

func.func @f() {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{'tosa.exp2_shape' has 2 operands}}
  %1 = tosa.exp2_shape %0, %0 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  return
}

// -----

func.func @f() {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %s = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  // expected-error @+1 {{'tosa.slice_shape' takes 1 value from position 1, and the shape has 1}}
  %1 = tosa.slice_shape %0, %s, %s : (!tosa.shape<1>, tensor<1xi32>, tensor<1xi32>) -> !tosa.shape<1>
  return
}

// -----

func.func @f(%s: tensor<1xi32>) {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{the start of 'tosa.slice_shape' is not a constant}}
  %1 = tosa.slice_shape %0, %s, %s : (!tosa.shape<1>, tensor<1xi32>, tensor<1xi32>) -> !tosa.shape<1>
  return
}

// -----

func.func @f() {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %s = "tosa.const"() {values = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  // expected-error @+1 {{the start of 'tosa.slice_shape' is 1.0}}
  %1 = tosa.slice_shape %0, %s, %s : (!tosa.shape<1>, tensor<1xf32>, tensor<1xf32>) -> !tosa.shape<1>
  return
}

// -----

func.func @f(%a: tensor<4x?xf32>) {
  %0 = tosa.dim %a {axis = 0 : i32} : (tensor<4x?xf32>) -> !tosa.shape<1>
  %1 = tosa.const_shape {values = dense<[0]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{'tosa.mod_shape': division by zero}}
  %2 = tosa.mod_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %3 = tosa.reshape %a, %2 : (tensor<4x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  return
}

// -----

// A size of -1 that is computed is a mistake, even where the compiler computes it.
func.func @f(%a: tensor<4x?xf32>) -> tensor<?xf32> {
  %0 = tosa.dim %a {axis = 0 : i32} : (tensor<4x?xf32>) -> !tosa.shape<1>
  %1 = tosa.const_shape {values = dense<[5]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %2 = tosa.sub_shape %0, %1 : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  // expected-error @+1 {{'tosa.reshape' got the computed size -1, expected 0 to 2147483647}}
  %3 = tosa.reshape %a, %2 : (tensor<4x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tosa.reshape' has the new size -2}}
  %0 = tosa.reshape %a {new_shape = array<i64: -2>} : (tensor<?xf32>) -> tensor<?xf32>
  return
}
