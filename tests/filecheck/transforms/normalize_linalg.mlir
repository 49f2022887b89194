// RUN: %hwc-opt "%s" -p verify-tosa,normalize-linalg --split-input-file | %filecheck

// Every form becomes a generic; the name of the source stays.

// CHECK-LABEL: func.func @named
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
// CHECK-SAME: ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) attrs = {{.*}}source = "linalg.square"
// CHECK-NEXT: ^bb0([[a:%.*]]: f32, {{%.*}}: f32):
// CHECK-NEXT: arith.mulf [[a]], [[a]] : f32
func.func @named(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.square ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Two results: each has what it needs, over loops in the order of its own result. An operand that
// is overwritten and read is an input too, and so is a scalar from outside; a constant is not.

// CHECK-LABEL: func.func @two
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>)
// CHECK: arith.constant 2.{{0*}}e+00 : f32
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%z, %s : tensor<?x?xf32>, f32) outs(%z : tensor<?x?xf32>)
// CHECK: arith.addf
func.func @two(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %s: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %two = arith.constant 2.0 : f32
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x : tensor<?xf32>) outs(%y, %z : tensor<?x?xf32>, tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.mulf %a, %two : f32
    %2 = arith.addf %c, %s : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// What `linalg.index` counts is an operand: 0, 1, 2, ... as long as the loop, once for each loop that
// a result needs. Loops have the order of the result.

// CHECK-LABEL: func.func @count
// CHECK: [[size:%.*]] = tensor.dim %x, %c0 : tensor<?x4xf32>
// CHECK-NEXT: [[empty:%.*]] = tensor.empty([[size]]) : tensor<?xi32>
// CHECK-NEXT: [[counted:%.*]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs([[empty]] : tensor<?xi32>)
// CHECK: linalg.index 0 : index
// CHECK-NEXT: arith.index_cast {{%.*}} : index to i32
// CHECK-NOT: linalg.index
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x, [[counted]] : tensor<?x4xf32>, tensor<?xi32>)
func.func @count(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x : tensor<?x4xf32>) outs(%x : tensor<?x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %1 = arith.index_cast %j : index to i32
    %2 = arith.sitofp %1 : i32 to f32
    %3 = arith.addf %a, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
