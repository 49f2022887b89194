// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,convert-linalg-to-kernel | %filecheck

// Every `?` is a symbol; what two operands broadcast to is another one, checked once.

// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: kernel.size s0 = dim(argument 0, dimension 0)
// CHECK-NEXT: kernel.size s1 = dim(argument 1, dimension 0)
// CHECK-NEXT: kernel.size d0 = broadcast(s0, s1) in dimension 0 of "tosa.add"
// CHECK-NEXT: [[sum:%.*]] = kernel.apply ([[x:%.*]] = %a : tensor<?xf32>, [[y:%.*]] = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.add" {
// CHECK-NEXT:   [[r:%.*]] = arith.addf [[x]], [[y]] : f32
// CHECK-NEXT:   kernel.yield [[r]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: kernel.apply ({{%.*}} = [[sum]] : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [d0] from "tosa.sub" {
// CHECK-NOT: broadcast(
func.func @dynamic(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.sub %0, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Sizes that broadcast together are not equal; equal sets of them are.

// CHECK-LABEL: func.func @associative
// CHECK: kernel.size d0 = broadcast(s0, s1) in dimension 0 of "tosa.add"
// CHECK: kernel.size d1 = broadcast(d0, s2) in dimension 0 of "tosa.add"
// CHECK: kernel.size d2 = broadcast(s1, s2) in dimension 0 of "tosa.add"
// CHECK: kernel.size [[check:c[0-9]+]] = broadcast(s0, d2) in dimension 0 of "tosa.add"
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
// CHECK: kernel.size 4 = broadcast(s0, 4) in dimension 1 of "tosa.add"
// CHECK-NOT: broadcast(
// CHECK: kernel.apply ({{%.*}} = %a : tensor<1x?xf32>, {{%.*}} = %b : tensor<?x4xf32>) -> tensor<?x4xf32> [s1, 4]
func.func @static_sizes(%a: tensor<1x?xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = tosa.add %a, %b : (tensor<1x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// A static result is required, so the symbol is that size wherever it occurs.

// CHECK-LABEL: func.func @static_result
// CHECK: kernel.size s0 = dim(argument 0, dimension 0)
// CHECK-NEXT: kernel.size equal(s0, 7) in dimension 0 of "tosa.exp"
// CHECK-NEXT: kernel.apply ({{%.*}} = %a : tensor<?xf32>) -> tensor<7xf32> [7] from "tosa.abs" {
func.func @static_result(%a: tensor<?xf32>) -> tensor<7xf32> {
  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.exp %0 : (tensor<?xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// A reshape checks the number of elements, and works out the size that it determines.

// CHECK-LABEL: func.func @reshape
// CHECK: kernel.size [4, 5] = reshape(s0, 5) of "tosa.reshape"
// CHECK: [[view:%.*]] = kernel.reshape %a : {{.*}} [4, 5] from "tosa.reshape"
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
// CHECK: kernel.size {{.*}} = broadcast(s0, s1) in dimension 0 of "tosa.add"
func.func @unused(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}

// Tensors that the host fills; what is known is a constant. A size fits i32, a difference may not.

// CHECK-LABEL: func.func @host
// CHECK: kernel.size [[n:n[0-9]+]] = subi(s0, 2) of "arith.subi"
// CHECK: kernel.size [[m:n[0-9]+]] = fits_i32([[n]]) of "arith.index_cast"
// CHECK: [[sizes:%.*]] = kernel.host tensor<2xi32> [2] = [s0, [[m]]]
// CHECK: [[known:%.*]] = arith.constant dense<2> : tensor<1xi32>
// CHECK: [[positions:%.*]] = kernel.host tensor<?xi32> [s0] = positions
// CHECK: kernel.apply ({{.*}} = [[sizes]] : tensor<2xi32>, {{.*}} = [[known]] : tensor<1xi32>)
// CHECK: kernel.apply ({{.*}} = [[positions]] : tensor<?xi32>)
func.func @host(%a: tensor<?x2xf32>) -> (tensor<2xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.dim %a, %c0 : tensor<?x2xf32>
  %t = tensor.dim %a, %c1 : tensor<?x2xf32>
  %d = arith.subi %s, %t : index
  %i = arith.index_cast %s : index to i32
  %j = arith.index_cast %d : index to i32
  %k = arith.index_cast %t : index to i32
  %sizes = tensor.from_elements %i, %j : tensor<2xi32>
  %known = tensor.from_elements %k : tensor<1xi32>
  %0 = tosa.add %sizes, %known : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  %e = tensor.empty(%s) : tensor<?xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xi32>) {
  ^bb0(%o: i32):
    %x = linalg.index 0 : index
    %y = arith.index_cast %x : index to i32
    linalg.yield %y : i32
  } -> tensor<?xi32>
  %1 = tosa.abs %p : (tensor<?xi32>) -> tensor<?xi32>
  return %0, %1 : tensor<2xi32>, tensor<?xi32>
}
