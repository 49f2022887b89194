// RUN: %hwc-opt "%s" -p verify-tosa,convert-elementwise-to-linalg --split-input-file | %filecheck

// All tensors have the same sizes: nothing is broadcast. What a flag allows is not done.

// CHECK-LABEL: func.func @add
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) attrs = {{.*}}source = "arith.addf"
// CHECK: arith.addf {{%.*}}, {{%.*}} : f32
func.func @add(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = arith.addf %x, %y fastmath<reassoc> : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Scalars become tensors of rank 0, also where an argument or a result is one.

// CHECK-LABEL: func.func @scalars(%p: tensor<i1>, %s: tensor<f32>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>)
// CHECK: [[two:%.*]] = arith.constant dense<2.{{0*}}e+00> : tensor<f32>
// CHECK: [[product:%.*]] = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%s, [[two]]
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
// CHECK-SAME: ins(%p, %x, %x : tensor<i1>, tensor<?xf32>, tensor<?xf32>)
// CHECK: arith.select {{%.*}}, {{%.*}}, {{%.*}} : f32
// CHECK: return {{%.*}}, [[product]] : tensor<?xf32>, tensor<f32>
func.func @scalars(%p: i1, %s: f32, %x: tensor<?xf32>) -> (tensor<?xf32>, f32) {
  %two = arith.constant 2.0 : f32
  %0 = arith.mulf %s, %two : f32
  %1 = arith.select %p, %x, %x : tensor<?xf32>
  return %1, %0 : tensor<?xf32>, f32
}

// -----

// The element of a tensor of rank 0 is that tensor.

// CHECK-LABEL: func.func @extract
// CHECK-NOT: tensor.extract
// CHECK: ins(%p, %x, %x : tensor<i1>
func.func @extract(%p: tensor<i1>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tensor.extract %p[] : tensor<i1>
  %1 = arith.select %0, %x, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Each of two results has an operation of its own.

// CHECK-LABEL: func.func @two_results
// CHECK: arith.addi
// CHECK: arith.cmpi ult
func.func @two_results(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi1>) {
  %0, %1 = arith.addui_extended %x, %y : tensor<?xi32>, tensor<?xi1>
  return %0, %1 : tensor<?xi32>, tensor<?xi1>
}

// -----

// A scalar that the host computes is a tensor of rank 0 where elements are computed from it, once.

// CHECK-LABEL: func.func @from_sizes(%x: tensor<?xf32>) -> (tensor<f32>, tensor<i32>)
// CHECK: [[n:%.*]] = arith.index_cast {{%.*}} : index to i32
// CHECK-NEXT: [[t:%.*]] = tensor.from_elements [[n]] : tensor<i32>
// CHECK: [[f:%.*]] = linalg.generic {{.*}} ins([[t]] : tensor<i32>)
// CHECK: arith.sitofp
// CHECK-NOT: tensor.from_elements
// CHECK: return [[f]], [[t]] : tensor<f32>, tensor<i32>
func.func @from_sizes(%x: tensor<?xf32>) -> (f32, i32) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.index_cast %d : index to i32
  %f = arith.sitofp %n : i32 to f32
  return %f, %n : f32, i32
}
