// RUN: %hwc-opt "%s" -p 'verify-tosa,specialize{dims="a=4x?,b=3"}' --split-input-file --verify-diagnostics | %filecheck

// Sizes that follow are static, and the function's type says so.
// CHECK-LABEL: func.func @main(%a: tensor<4x?xf32>, %b: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<12xf32>) {
// CHECK-NEXT: tosa.add %a, %b : (tensor<4x?xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: tosa.reshape {{.*}} : (tensor<4x3xf32>) -> tensor<12xf32>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// A size that a result declares stays.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: tosa.exp %a : (tensor<4x?xf32>) -> tensor<4x7xf32>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x7xf32> {
  %0 = tosa.exp %a : (tensor<?x?xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.reshape %b {new_shape = array<i64: -1, 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  // expected-error @+1 {{the operands of 'tosa.add' do not broadcast: dimension 0 is 4 in operand 0 (4x?) and 3 in operand 1 (3x1)}}
  %1 = tosa.add %a, %0 : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{argument %b cannot have the sizes 3: it is declared as 5}}
func.func @main(%a: tensor<?x?xf32>, %b: tensor<5xf32>) -> tensor<?x?xf32> {
  return %a : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{argument %a cannot have the sizes 4x?: it is declared as ?}}
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

// expected-error @+1 {{function @main has no argument %b}}
func.func @main(%a: tensor<?x?xf32>, %0: tensor<?xf32>) -> tensor<?x?xf32> {
  return %a : tensor<?x?xf32>
}

// -----

// The tensors of an operation of arith or math have one shape; a cast is checked at dispatch.
// CHECK-LABEL: func.func @main(%a: tensor<4x?xf32>, %c: tensor<?x3xf32>, %b: tensor<3xf32>, %s: i1) -> tensor<4x3xf32> {
// CHECK-NEXT: tosa.exp %c : (tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: [[a:%.*]] = tensor.cast %a : tensor<4x?xf32> to tensor<4x3xf32>
// CHECK-NEXT: [[c:%.*]] = tensor.cast [[exp:%.*]] : tensor<?x3xf32> to tensor<4x3xf32>
// CHECK-NEXT: [[sum:%.*]] = arith.addf [[a]], [[c]] : tensor<4x3xf32>
// CHECK-NEXT: arith.select %s, [[sum]], [[sum]] : tensor<4x3xf32>
func.func @main(%a: tensor<?x?xf32>, %c: tensor<?x3xf32>, %b: tensor<?xf32>, %s: i1) -> tensor<?x?xf32> {
  %d = tosa.exp %c : (tensor<?x3xf32>) -> tensor<?x?xf32>
  %0 = arith.addf %a, %d : tensor<?x?xf32>
  %1 = arith.select %s, %0, %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

func.func @main(%a: tensor<?x?xf32>, %c: tensor<5x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.exp %c : (tensor<5x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{the tensors of 'arith.addf' have different sizes: dimension 0 is 4 and 5}}
  %1 = arith.addf %a, %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
