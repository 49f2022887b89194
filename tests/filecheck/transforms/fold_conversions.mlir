// RUN: %hwc-opt "%s" -p fold-conversions,verify-tosa --split-input-file --print-debuginfo | %filecheck

// A constant of a type that the machine does not have is read to be converted, also through what
// leaves its elements as they are. The result has the place of the conversion.

// CHECK-LABEL: func.func @weights
// CHECK-NEXT: "tosa.const"() <{values = dense<{{\[\[}}1.500000e+00, -2.000000e+00], [1.000000e-01, 0x7f800000]]> : tensor<2x2xf32>}> {{.*}}:14:8)
// CHECK-NOT: f64
// CHECK: tosa.add
func.func @weights(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %h = "tosa.const"() {values = dense<[1.5, -2.0, 0.1, 0x7FF0000000000000]> : tensor<4xf64>} : () -> tensor<4xf64>
  %i = tosa.identity %h : (tensor<4xf64>) -> tensor<4xf64>
  %r = tosa.reshape %i {new_shape = array<i64: 2, -1>} : (tensor<4xf64>) -> tensor<2x2xf64>
  %c = tosa.cast %r : (tensor<2x2xf64>) -> tensor<2x2xf32>
  %y = tosa.add %x, %c : (tensor<?x?xf32>, tensor<2x2xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Every type, and equal elements as one: f64 is rounded once, an integer keeps its low bits, and a
// type that another conversion removes may be a result. What is unused needs nothing.

// CHECK-LABEL: func.func @types
// CHECK: dense<1.000000e-01> : tensor<70000xf32>
// CHECK: dense<[-1, 5]> : tensor<2xi32>
// CHECK: dense<[-3, 127]> : tensor<2xi8>
// CHECK-NEXT: func.return
func.func @types() -> (tensor<70000xf32>, tensor<2xi32>, tensor<2xi8>) {
  %d = "tosa.const"() {values = dense<0.1> : tensor<70000xf64>} : () -> tensor<70000xf64>
  %0 = tosa.cast %d : (tensor<70000xf64>) -> tensor<70000xf32>
  %l = "tosa.const"() {values = dense<"0xFFFFFFFFFFFF050000000080"> : tensor<2xi48>} : () -> tensor<2xi48>
  %1 = tosa.cast %l : (tensor<2xi48>) -> tensor<2xi32>
  %m = "tosa.const"() {values = dense<[-2.5001, 1.0e30]> : tensor<2xf64>} : () -> tensor<2xf64>
  %2 = tosa.cast %m : (tensor<2xf64>) -> tensor<2xi8>
  %unused = "tosa.const"() {values = dense<[1, 2]> : tensor<2xi4>} : () -> tensor<2xi4>
  return %0, %1, %2 : tensor<70000xf32>, tensor<2xi32>, tensor<2xi8>
}

// -----

// Conversions of `arith`, on tensors and on scalars; sizes stay as they are.

// CHECK-LABEL: func.func @upstream
// CHECK: %n = arith.constant 3 : i64
// CHECK: [[t:%.*]] = arith.constant 1.000000e-01 : f32
// CHECK: arith.trunci %n : i64 to i32
// CHECK: arith.constant dense<[2.500000e+00, -2.500000e+00]> : tensor<2xf32>
// CHECK: arith.constant dense<[2, -2]> : tensor<2xi32>
// CHECK: arith.constant dense<[255, 0]> : tensor<2xi32>
// CHECK: tensor.splat [[t]]
func.func @upstream() -> (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<3xf32>, i32) {
  %e = arith.constant 0.1 : f64
  %n = arith.constant 3 : i64
  %t = arith.truncf %e : f64 to f32
  %k = arith.trunci %n : i64 to i32
  %h = arith.constant dense<[2.5, -2.5]> : tensor<2xf64>
  %0 = arith.truncf %h : tensor<2xf64> to tensor<2xf32>
  %1 = arith.fptosi %h : tensor<2xf64> to tensor<2xi32>
  %w = arith.constant dense<[255, 0]> : tensor<2xi64>
  %2 = arith.trunci %w : tensor<2xi64> to tensor<2xi32>
  %s = tensor.splat %t : tensor<3xf32>
  return %0, %1, %2, %s, %k : tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<3xf32>, i32
}

// -----

// A result whose type does not tell its sizes keeps its type.

// CHECK-LABEL: func.func @dynamic
// CHECK: [[c:%.*]] = "tosa.const"() <{values = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}>
// CHECK-NEXT: [[d:%.*]] = tosa.identity [[c]] : (tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT: tosa.exp [[d]]
// CHECK-NEXT: [[e:%.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: [[f:%.*]] = tensor.cast [[e]] : tensor<2xf32> to tensor<?xf32>
// CHECK-NEXT: math.exp [[f]]
func.func @dynamic() -> (tensor<?xf32>, tensor<?xf32>) {
  %h = "tosa.const"() {values = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %i = tosa.identity %h : (tensor<2xf64>) -> tensor<?xf64>
  %c = tosa.cast %i : (tensor<?xf64>) -> tensor<?xf32>
  %y = tosa.exp %c : (tensor<?xf32>) -> tensor<?xf32>
  %d = arith.truncf %i : tensor<?xf64> to tensor<?xf32>
  %z = math.exp %d : tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// -----

// What the machine converts stays: it reads these weights in 2 bytes each.

// CHECK-LABEL: func.func @narrow
// CHECK: dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf16>
// CHECK: tosa.cast {{.*}} : (tensor<2xf16>) -> tensor<2xf32>
func.func @narrow(%x: tensor<?xf32>) -> tensor<?xf32> {
  %h = "tosa.const"() {values = dense<[1.5, -2.0]> : tensor<2xf16>} : () -> tensor<2xf16>
  %c = tosa.cast %h : (tensor<2xf16>) -> tensor<2xf32>
  %y = tosa.add %x, %c : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
