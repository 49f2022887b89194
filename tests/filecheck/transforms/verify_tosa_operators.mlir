// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 0 (%a) of function @f has element type f64, which is not supported; supported are i1, i8, i16, i32, f32, f16, bf16, f8E4M3FN, f8E5M2, i4, i48}}
func.func @f(%a: tensor<3xf64>) {
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{the result of 'tosa.cast' has element type f64, which is not supported}}
  %0 = tosa.cast %a : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

func.func @f(%a: tensor<3xi64>) {
  // expected-error @+1 {{'tosa.abs' takes argument 0 (%a) of function @f, which is tensor<3xi64>: only sizes are computed from index and i64}}
  %0 = tosa.abs %a : (tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

// expected-error @+1 {{has element type si8}}
func.func @f(%a: tensor<3xsi8>) {
  return
}

// -----

// expected-error @+1 {{has element type complex<f32>}}
func.func @f(%a: tensor<3xcomplex<f32>>) {
  return
}

// -----

// expected-error @+1 {{argument 1 (%b) of function @f is f64, which is not a tensor}}
func.func @f(%a: tensor<3xf32>, %b: f64) {
  return
}

// -----

// expected-error @+1 {{has rank 7; the largest rank is 6}}
func.func @f(%a: tensor<1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// expected-error @+1 {{has more than 2147483647 elements}}
func.func @f(%a: tensor<65536x?x32768xf32>) {
  return
}

// -----

// expected-error @+1 {{has a size of 2147483648, expected 2147483647 at most}}
func.func @f(%a: tensor<2147483648x0xf32>) {
  return
}

// -----

// expected-error @+1 {{a tensor with an encoding}}
func.func @f(%a: tensor<3xf32, "sparse">) {
  return
}

// -----

func.func @f(%a: tensor<3xi1>) {
  // expected-error @+1 {{'tosa.add' is not supported for element type i1}}
  %0 = tosa.add %a, %a : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  // expected-error @+1 {{'tosa.exp' is not supported for element type i32}}
  %0 = tosa.exp %a : (tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{the operands of 'tosa.add' have different element types: i32, f32}}
  %0 = tosa.add %a, %b : (tensor<3xi32>, tensor<3xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  // expected-error @+1 {{'tosa.equal' of i32 gives element type i32}}
  %0 = tosa.equal %a, %a : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi16>) {
  // expected-error @+1 {{'tosa.mul' of i16 gives element type i8}}
  %0 = tosa.mul %a, %a : (tensor<3xi16>, tensor<3xi16>) -> tensor<3xi8>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  // expected-error @+1 {{the condition of 'tosa.select' has element type i32}}
  %0 = tosa.select %a, %a, %a : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.add' has 3 operands, expected 2}}
  %0 = tosa.add %a, %a, %a : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.add' has 2 results, expected 1}}
  %0, %1 = tosa.add %a, %a : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.add' has an unknown attribute 'shift'}}
  %0 = tosa.add %a, %a {shift = 3 : i8} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.abs' has a region or a successor}}
  %0 = "tosa.abs"(%a) ({}) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  // expected-error @+1 {{'tosa.mul' has shift 64}}
  %0 = tosa.mul %a, %a {shift = 64 : i32} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  %s = "tosa.const"() <{values = dense<1> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{'tosa.mul' has shift 1}}
  %0 = tosa.mul %a, %a, %s : (tensor<3xf32>, tensor<3xf32>, tensor<1xi8>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  %s = "tosa.const"() <{values = dense<1> : tensor<2xi8>}> : () -> tensor<2xi8>
  // expected-error @+1 {{operand 2 of 'tosa.mul' is tensor<2xi8>, expected tensor<1xi8>}}
  %0 = tosa.mul %a, %a, %s : (tensor<3xi32>, tensor<3xi32>, tensor<2xi8>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  // expected-error @+1 {{'tosa.mul' has shift = [1 : i64]}}
  %0 = tosa.mul %a, %a {shift = [1]} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi16>) {
  %z = "tosa.const"() <{values = dense<1> : tensor<1xi16>}> : () -> tensor<1xi16>
  // expected-error @+1 {{'tosa.negate' on i16 has input1_zp = 1}}
  %0 = tosa.negate %a, %z, %z : (tensor<3xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<3xi16>
  return
}

// -----

func.func @f(%a: tensor<3xi8>) {
  // expected-error @+1 {{'tosa.negate' on i8 has output_zp = 128}}
  %0 = tosa.negate %a {output_zp = 128 : i32} : (tensor<3xi8>) -> tensor<3xi8>
  return
}

// -----

func.func @f(%a: tensor<3xi8>) {
  // expected-error @+1 {{'tosa.negate' has quantization_info = 1 : i64}}
  %0 = tosa.negate %a {quantization_info = 1} : (tensor<3xi8>) -> tensor<3xi8>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.clamp' on f32 has no max_val}}
  %0 = tosa.clamp %a {min_val = 0.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xi8>) {
  // expected-error @+1 {{'tosa.clamp' on i8 has the bound 0.000000e+00 : f32}}
  %0 = tosa.clamp %a {min_val = 0.0 : f32, max_val = 1.0 : f32} : (tensor<3xi8>) -> tensor<3xi8>
  return
}

// -----

func.func @f(%a: tensor<3xi8>) {
  // expected-error @+1 {{'tosa.clamp' has the lower bound 3, which is above its upper bound 2}}
  %0 = tosa.clamp %a {min_val = 3 : i8, max_val = 2 : i8} : (tensor<3xi8>) -> tensor<3xi8>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.clamp' on f32 has the bound 0x7fc00000 : f32}}
  %0 = tosa.clamp %a {min_val = 0x7FC00000 : f32, max_val = 1.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tosa.maximum' has nan_mode = "IGNORE"}}
  %0 = tosa.maximum %a, %a {nan_mode = "IGNORE"} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a: tensor<3xi8>) {
  // expected-error @+1 {{'tosa.arithmetic_right_shift' has round = 1 : i64}}
  %0 = tosa.arithmetic_right_shift %a, %a {round = 1} : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const' holds tensor<2xf32> but its result is tensor<3xf32>}}
  %0 = "tosa.const"() <{values = dense<0.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const' has no values}}
  %0 = "tosa.const"() : () -> tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const_shape' holds 2 sizes but its result is !tosa.shape<3>}}
  %0 = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<3>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const_shape' has no values}}
  %0 = tosa.const_shape : () -> !tosa.shape<3>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const_shape' holds tensor<2xf32>, expected a list of index}}
  %0 = tosa.const_shape {values = dense<[4.0, 5.0]> : tensor<2xf32>} : () -> !tosa.shape<2>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const_shape' holds tensor<2xi32>, expected a list of index}}
  %0 = tosa.const_shape {values = dense<[4, 5]> : tensor<2xi32>} : () -> !tosa.shape<2>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'tosa.const_shape' holds tensor<1x2xindex>, expected a list of index}}
  %0 = tosa.const_shape {values = dense<[[4, 5]]> : tensor<1x2xindex>} : () -> !tosa.shape<2>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tosa.reshape' cannot turn 4 (4 elements) into 5}}
  %0 = tosa.reshape %a {new_shape = array<i64: 5>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tosa.reshape' cannot turn 4 (4 elements) into 3x?}}
  %0 = tosa.reshape %a {new_shape = array<i64: 3, -1>} : (tensor<4xf32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tosa.reshape' has the new shape [-1, -1]}}
  %0 = tosa.reshape %a {new_shape = array<i64: -1, -1>} : (tensor<4xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{'tosa.reshape' has the new shape [0, -1]}}
  %0 = tosa.reshape %a {new_shape = array<i64: 0, -1>} : (tensor<?xf32>) -> tensor<0x?xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tosa.reshape' has no shape}}
  %0 = tosa.reshape %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand 1 of 'tosa.reshape' is tensor<4xf32>}}
  %0 = tosa.reshape %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{'tosa.reshape' of f32 gives element type i32}}
  %0 = tosa.reshape %a {new_shape = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{dimension 0 of the result of 'tosa.reshape' is 5, but the operands give 4}}
  %0 = tosa.reshape %a {new_shape = array<i64: 4>} : (tensor<?xf32>) -> tensor<5xf32>
  return
}

// -----

// expected-error @+1 {{argument 0 (%a) of function @f is !tosa.shape<1>, which is not a tensor}}
func.func @f(%a: !tosa.shape<1>) {
  return
}

// -----

func.func @f() -> !tosa.shape<1> {
  %0 = tosa.const_shape {values = dense<[4]> : tensor<1xindex>} : () -> !tosa.shape<1>
  // expected-error @+1 {{result 0 of function @f is !tosa.shape<1>, which is not a tensor}}
  return %0 : !tosa.shape<1>
}

// -----

func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{function @f returns 0 values, its type has 1}}
  "func.return"() : () -> ()
}

// -----

func.func @f(%a: tensor<3xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{function @f returns tensor<3xf32> as result 0, its type has tensor<?xf32>}}
  "func.return"(%a) : (tensor<3xf32>) -> ()
}

// -----

func.func @f(%a: tensor<3xf32>) {
  return
}
// expected-error @+1 {{function @f is defined twice}}
func.func @f(%a: tensor<3xf32>) {
  return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{function @f does not end with a return}}
  %0 = tosa.abs %a : (tensor<3xf32>) -> tensor<3xf32>
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error @+1 {{function @f goes on after its return}}
  "func.return"() : () -> ()
  %0 = tosa.abs %a : (tensor<3xf32>) -> tensor<3xf32>
}

// -----

// expected-error @+1 {{argument 0 (%a) of function @f is vector<4xf32>, which is not a tensor: the compiler forms the vectors itself}}
func.func @f(%a: vector<4xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 (%a) of function @f is memref<4xf32>, which is not a tensor: the runtime places buffers in memory itself}}
func.func @f(%a: memref<4xf32>) {
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  %s = "tosa.const"() <{values = dense<1> : tensor<i8>}> : () -> tensor<i8>
  // expected-error @+1 {{operand 2 of 'tosa.mul' is tensor<i8>, expected tensor<1xi8>}}
  %0 = tosa.mul %a, %a, %s : (tensor<3xi32>, tensor<3xi32>, tensor<i8>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  %s = "tosa.const"() <{values = dense<1> : tensor<1x1xi8>}> : () -> tensor<1x1xi8>
  // expected-error @+1 {{operand 2 of 'tosa.mul' is tensor<1x1xi8>, expected tensor<1xi8>}}
  %0 = tosa.mul %a, %a, %s : (tensor<3xi32>, tensor<3xi32>, tensor<1x1xi8>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  %s = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  // expected-error @+1 {{operand 2 of 'tosa.mul' is tensor<1xi32>, expected tensor<1xi8>}}
  %0 = tosa.mul %a, %a, %s : (tensor<3xi32>, tensor<3xi32>, tensor<1xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi8>) {
  %z = "tosa.const"() <{values = dense<0.5> : tensor<1xf32>}> : () -> tensor<1xf32>
  // expected-error @+1 {{operand 1 of 'tosa.negate' is tensor<1xf32>, expected tensor<1xi8>}}
  %0 = tosa.negate %a, %z, %z : (tensor<3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xi8>
  return
}
