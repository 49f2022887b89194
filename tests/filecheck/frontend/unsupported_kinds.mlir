// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

// One error for each kind, at its first operation, with the number of operations.
func.func @f(%x: tensor<3x2xf32>, %c: tensor<i1>) -> tensor<3x2xf32> {
  %0 = tosa.abs %x : (tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{'tosa.reduce_sum' is not supported: it reduces a dimension (3 operations)}}
  %1 = "tosa.reduce_sum"(%0) <{axis = 0 : i32}> : (tensor<3x2xf32>) -> tensor<1x2xf32>
  %2 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<3x2xf32>) -> tensor<3x1xf32>
  // expected-error @+1 {{'tosa.cond_if' is not supported: it is control flow}}
  %3:2 = tosa.cond_if %c : tensor<i1> -> (tensor<3x1xf32>, tensor<3x2xf32>) {
    %4 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<3x2xf32>) -> tensor<3x1xf32>
    tosa.yield %4, %0 : tensor<3x1xf32>, tensor<3x2xf32>
  } else {
    // expected-error @+1 {{'math.cosh' is not supported: the machine has no instruction for it}}
    %5 = math.cosh %2 : tensor<3x1xf32>
    tosa.yield %5, %0 : tensor<3x1xf32>, tensor<3x2xf32>
  }
  // expected-error @+1 {{'func.call' is not supported: a function cannot call another one}}
  %6 = call @g(%x) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{'linalg.matmul' is not supported: it is not element-wise}}
  %7 = linalg.matmul ins(%0, %6 : tensor<3x2xf32>, tensor<3x2xf32>) outs(%x : tensor<3x2xf32>) -> tensor<3x2xf32>
  // expected-error @+1 {{'tensor.pad' is not supported: it moves elements, or is unknown}}
  %8 = tensor.pad %7 low[0, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %k : f32
  } : tensor<3x2xf32> to tensor<3x2xf32>
  // expected-error @+1 {{unknown operation 'stablehlo.add'}}
  %9 = stablehlo.add %8, %8 : tensor<3x2xf32>
  return %9 : tensor<3x2xf32>
}

// -----

// What looks like an operation in a comment, a string or an attribute is none.
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> attributes {
    llvm.note = "\" %1 = tosa.matmul %x",
    llvm.unit,
    llvm.last
} {
  // %0 = tosa.matmul %x
  // expected-error @+1 {{'tosa.argmax' is not supported: it reduces a dimension}}
  %0 = tosa.argmax %x {axis = 0 : i32} : (tensor<3xf32>) -> tensor<i32> // %1 = tosa.gather
  return %x : tensor<3xf32>
}

// -----

// The end of a region that belongs to no operation.
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tosa.yield' is not supported: it is control flow}}
  tosa.yield %x : tensor<3xf32>
}

// -----

// Operations that the compiler can read, but not compile.
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'math.sinh' is not supported: the machine has no instruction for it, and a sequence would round more than once (2 operations)}}
  %0 = math.sinh %x : tensor<3xf32>
  // expected-error @+1 {{'math.acos' is not supported: the machine has no instruction for it}}
  %1 = math.acos %0 : tensor<3xf32>
  %2 = math.sinh %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
