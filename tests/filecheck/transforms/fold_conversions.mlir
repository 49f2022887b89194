// RUN: %hwc-opt "%s" -p fold-conversions,verify-tosa --split-input-file --print-debuginfo | %filecheck

// A constant of a type that the machine does not have is read to be converted, also through what
// leaves its elements as they are. The result has the place of the conversion.

// CHECK-LABEL: func.func @weights
// CHECK-NEXT: "tosa.const"() <{values = dense<{{\[\[}}1.500000e+00, -2.000000e+00], [0.0999755859, 0x7f800000]]> : tensor<2x2xf32>}> {{.*}}:14:8)
// CHECK-NOT: f16
// CHECK: tosa.add
func.func @weights(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %h = "tosa.const"() {values = dense<[1.5, -2.0, 0.1, 0x7C00]> : tensor<4xf16>} : () -> tensor<4xf16>
  %i = tosa.identity %h : (tensor<4xf16>) -> tensor<4xf16>
  %r = tosa.reshape %i {new_shape = array<i64: 2, -1>} : (tensor<4xf16>) -> tensor<2x2xf16>
  %c = tosa.cast %r : (tensor<2x2xf16>) -> tensor<2x2xf32>
  %y = tosa.add %x, %c : (tensor<?x?xf32>, tensor<2x2xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Every type, and equal elements as one: f64 is rounded once, an integer keeps its low bits, and a
// type that another conversion removes may be a result. What is unused needs nothing.

// CHECK-LABEL: func.func @types
// CHECK: dense<1.000000e-01> : tensor<70000xf32>
// CHECK: dense<[-1, 5]> : tensor<2xi32>
// CHECK: dense<[4.480000e+02, 0x7fc00000]> : tensor<2xf32>
// CHECK: dense<[1.000000e+00, 0x7f800000]> : tensor<2xf32>
// CHECK: dense<[1.000000e+00, 0x7f800000]> : tensor<2xf32>
// CHECK: dense<[-3, 127]> : tensor<2xi8>
// CHECK-NEXT: func.return
func.func @types() -> (tensor<70000xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>) {
  %d = "tosa.const"() {values = dense<0.1> : tensor<70000xf64>} : () -> tensor<70000xf64>
  %0 = tosa.cast %d : (tensor<70000xf64>) -> tensor<70000xf32>
  %l = "tosa.const"() {values = dense<"0xFFFFFFFFFFFF050000000080"> : tensor<2xi48>} : () -> tensor<2xi48>
  %1 = tosa.cast %l : (tensor<2xi48>) -> tensor<2xi32>
  %e = "tosa.const"() {values = dense<"0x7E7F"> : tensor<2xf8E4M3FN>} : () -> tensor<2xf8E4M3FN>
  %2 = tosa.cast %e : (tensor<2xf8E4M3FN>) -> tensor<2xf32>
  %b = "tosa.const"() {values = dense<"0x803F807F"> : tensor<2xbf16>} : () -> tensor<2xbf16>
  %3 = tosa.cast %b : (tensor<2xbf16>) -> tensor<2xf32>
  %f = "tosa.const"() {values = dense<[1.0, 1.0e6]> : tensor<2xf32>} : () -> tensor<2xf32>
  %h = tosa.cast %f : (tensor<2xf32>) -> tensor<2xf16>
  %4 = tosa.cast %h : (tensor<2xf16>) -> tensor<2xf32>
  %m = "tosa.const"() {values = dense<[-2.5001, 1.0e30]> : tensor<2xf64>} : () -> tensor<2xf64>
  %5 = tosa.cast %m : (tensor<2xf64>) -> tensor<2xi8>
  %unused = "tosa.const"() {values = dense<[1, 2]> : tensor<2xi4>} : () -> tensor<2xi4>
  return %0, %1, %2, %3, %4, %5 : tensor<70000xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>
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
  %h = arith.constant dense<[2.5, -2.5]> : tensor<2xf16>
  %0 = arith.extf %h : tensor<2xf16> to tensor<2xf32>
  %1 = arith.fptosi %h : tensor<2xf16> to tensor<2xi32>
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
  %h = "tosa.const"() {values = dense<[1.0, 2.0]> : tensor<2xf16>} : () -> tensor<2xf16>
  %i = tosa.identity %h : (tensor<2xf16>) -> tensor<?xf16>
  %c = tosa.cast %i : (tensor<?xf16>) -> tensor<?xf32>
  %y = tosa.exp %c : (tensor<?xf32>) -> tensor<?xf32>
  %d = arith.extf %i : tensor<?xf16> to tensor<?xf32>
  %z = math.exp %d : tensor<?xf32>
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
