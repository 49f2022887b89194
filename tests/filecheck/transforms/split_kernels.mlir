// RUN: %hwc-opt "%s" -p 'convert-linalg-to-kernel,split-kernels{target=tiny}' | %filecheck

// Five special functions in turn are more phases than a kernel has: each operation is a kernel.
// What is computed from the row alone has fewer points, so its readers compute it.

// CHECK-LABEL: func.func @many_phases
// CHECK: [[t0:%.*]] = kernel.apply ({{%.*}} = %a : tensor<?x?xf32>) -> tensor<?x?xf32> [s0, s1] from "linalg.generic" {
// CHECK-NEXT: math.tanh
// CHECK-NEXT: kernel.yield
// CHECK: [[s0:%.*]] = kernel.apply ({{%.*}} = %b : tensor<?xf32>, {{%.*}} = [[t0]] : tensor<?x?xf32>)
// CHECK-NEXT: arith.constant 5.000000e-01
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: kernel.yield
// CHECK: kernel.apply ({{%.*}} = [[s0]] : tensor<?x?xf32>)
// CHECK-NEXT: math.tanh
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @many_phases(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %bias = arith.mulf %y, %half : f32
    %t0 = math.tanh %x : f32
    %s0 = arith.addf %t0, %bias : f32
    %t1 = math.tanh %s0 : f32
    %t2 = math.exp %t1 : f32
    %s2 = arith.addf %t2, %bias : f32
    %t3 = math.tanh %s2 : f32
    %s3 = arith.addf %t3, %bias : f32
    %t4 = math.tanh %s3 : f32
    %s4 = arith.addf %t4, %bias : f32
    %t5 = math.tanh %s4 : f32
    %s5 = arith.addf %t5, %bias : f32
    linalg.yield %s5 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What fits stays as it is.

// CHECK-LABEL: func.func @fits
// CHECK: kernel.apply
// CHECK-NEXT: math.tanh
// CHECK-NEXT: arith.addf
// CHECK-NOT: kernel.apply
func.func @fits(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t0 = math.tanh %x : f32
    %s0 = arith.addf %t0, %y : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What nothing reads does not count.

// CHECK-LABEL: func.func @unread
// CHECK: kernel.apply
// CHECK: math.exp
// CHECK: kernel.yield
// CHECK-NOT: kernel.apply
func.func @unread(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%b : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t0 = math.tanh %x : f32
    %t1 = math.exp %x : f32
    linalg.yield %t1 : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// A kernel that is split may read the result of one that was split before.

// CHECK-LABEL: func.func @in_a_row
// CHECK: %r = kernel.apply
// CHECK: kernel.apply{{.*}}%r
// CHECK-NEXT: math.tanh
// CHECK: return
func.func @in_a_row(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t0 = math.tanh %x : f32
    %s0 = arith.addf %t0, %y : f32
    %t1 = math.tanh %s0 : f32
    %s1 = arith.addf %t1, %y : f32
    %t2 = math.tanh %s1 : f32
    %s2 = arith.addf %t2, %y : f32
    %t3 = math.tanh %s2 : f32
    %s3 = arith.addf %t3, %y : f32
    %t4 = math.tanh %s3 : f32
    linalg.yield %t4 : f32
  } -> tensor<?x?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t0 = math.tanh %x : f32
    %s0 = arith.addf %t0, %y : f32
    %t1 = math.tanh %s0 : f32
    %s1 = arith.addf %t1, %y : f32
    %t2 = math.tanh %s1 : f32
    %s2 = arith.addf %t2, %y : f32
    %t3 = math.tanh %s2 : f32
    %s3 = arith.addf %t3, %y : f32
    %t4 = math.tanh %s3 : f32
    linalg.yield %t4 : f32
  } -> tensor<?x?xf32>
  return %q : tensor<?x?xf32>
}
