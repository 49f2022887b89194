// RUN: %hwc-opt "%s" -p convert-linalg-to-kernel --split-input-file | %filecheck

// Without a broadcast, operands and destination of an element-wise operation have equal sizes.

// CHECK-LABEL: func.func @equal
// CHECK: kernel.size equal(s0, s1, s2) in dimension 0 of "linalg.generic"
// CHECK: kernel.apply ({{%.*}} = %a : tensor<?xf32>, {{%.*}} = %b : tensor<?xf32>) -> tensor<?xf32> [s0]
#id = affine_map<(d0) -> (d0)>
func.func @equal(%a: tensor<?xf32>, %b: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %1 = arith.mulf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Without inputs the destination gives the sizes; a constant from outside moves in.

// CHECK-LABEL: func.func @fill
// CHECK: kernel.apply () -> tensor<?x3xf32> [s0, 3]
// CHECK-NEXT: [[two:%.*]] = arith.constant 2.{{0*}}e+00 : f32
// CHECK-NEXT: kernel.yield [[two]]
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @fill(%a: tensor<?xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<?x3xf32>) {
  ^bb0(%z: f32):
    linalg.yield %two : f32
  } -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
