// RUN: %hwc-opt %s -p verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel | %filecheck

// Every `?` is a symbol; what two operands broadcast to is another one, checked once.

// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 0 : i64}>
// CHECK-NEXT: "kernel.dim_size"() <{symbol = "s1", argument = 1 : i64, dimension = 0 : i64}>
// CHECK-NEXT: "kernel.broadcast_size"() <{operands = ["s0", "s1"], source = "tosa.add", dimension = 0 : i64, result = "d0"}>
// CHECK-NEXT: [[sum:%.*]] = kernel.apply ([[x:%.*]] = %a : tensor<?xf32>, [[y:%.*]] = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.add" {
// CHECK-NEXT:   [[r:%.*]] = arith.addf [[x]], [[y]] : f32
// CHECK-NEXT:   kernel.yield [[r]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: kernel.apply ({{%.*}} = [[sum]] : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.sub" {
// CHECK-NOT: broadcast_size
func.func @dynamic(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.sub %0, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Sizes that broadcast together are not equal; equal sets of them are.

// CHECK-LABEL: func.func @associative
// CHECK: operands = ["s0", "s1"], source = "tosa.add", dimension = 0 : i64, result = "d0"
// CHECK: operands = ["d0", "s2"], source = "tosa.add", dimension = 0 : i64, result = "d1"
// CHECK: operands = ["s1", "s2"], source = "tosa.add", dimension = 0 : i64, result = "d2"
// CHECK: operands = ["s0", "d2"], source = "tosa.add", dimension = 0 : i64, result = "[[check:c[0-9]+]]"
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xi32>, {{%.*}} = %b : tensor<?xi32>) -> tensor<?xi32> [d0]
// CHECK: kernel.apply ({{%.*}} = {{%.*}} : tensor<?xi32>, {{%.*}} = %c : tensor<?xi32>) -> tensor<?xi32> [d1]
// CHECK: kernel.apply ({{%.*}} = %b : tensor<?xi32>, {{%.*}} = %c : tensor<?xi32>) -> tensor<?xi32> [d2]
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xi32>, {{%.*}} = {{%.*}} : tensor<?xi32>) -> tensor<?xi32> [d1]
func.func @associative(%a: tensor<?xi32>, %b: tensor<?xi32>, %c: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %0 = tosa.add %a, %b : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %1 = tosa.add %0, %c : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %2 = tosa.add %b, %c : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  %3 = tosa.add %a, %2 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  return %1, %3 : tensor<?xi32>, tensor<?xi32>
}

// A static size that is not 1 is the result; 1 leaves the other as it is.

// CHECK-LABEL: func.func @static_sizes
// CHECK: operands = ["s0", 4 : i64], source = "tosa.add", dimension = 1 : i64, result = 4 : i64
// CHECK-NOT: broadcast_size
// CHECK: kernel.apply ({{%.*}} = %a : tensor<1x?xf32>, {{%.*}} = %b : tensor<?x4xf32>) -> tensor<?x4xf32> [s1, 4]
func.func @static_sizes(%a: tensor<1x?xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.add %a, %b : (tensor<1x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A static result is required, so the symbol is that size wherever it stands.

// CHECK-LABEL: func.func @static_result
// CHECK: "kernel.dim_size"() <{symbol = "s0"
// CHECK-NEXT: "kernel.equal_sizes"() <{operands = ["s0", 7 : i64], source = "tosa.exp", dimension = 0 : i64}>
// CHECK-NEXT: kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<7xf32> [7] from "tosa.abs" {
func.func @static_result(%a: tensor<?xf32>) -> tensor<7xf32> {
  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.exp %0 : (tensor<?xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// A reshape checks the number of elements, and works out the size that it determines.

// CHECK-LABEL: func.func @reshape
// CHECK: "kernel.reshape_sizes"() <{operands = ["s0", 5 : i64], source = "tosa.reshape", result = [4 : i64, 5 : i64]}>
// CHECK: [[view:%.*]] = "hwc.reshape"(%a) {source = "tosa.reshape", sizes = [4 : i64, 5 : i64]}
// CHECK: kernel.apply ({{%.*}} = [[view]] : tensor<4x5xf32>) -> tensor<4x5xf32> [4, 5]
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?x5xf32>) -> tensor<4x5xf32> [4, 5]
func.func @reshape(%a: tensor<?x5xf32>) -> (tensor<4x5xf32>, tensor<?x5xf32>) {
  %s = tosa.const_shape {values = dense<[4, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %a, %s : (tensor<?x5xf32>, !tosa.shape<2>) -> tensor<4x5xf32>
  %1 = tosa.abs %0 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = tosa.abs %a : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %1, %2 : tensor<4x5xf32>, tensor<?x5xf32>
}

// What is not used is still checked.

// CHECK-LABEL: func.func @unused
// CHECK: "kernel.broadcast_size"() <{operands = ["s0", "s1"], source = "tosa.add"
func.func @unused(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}
