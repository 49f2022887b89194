// RUN: %hwc-opt "%s" | %hwc-opt | %filecheck

// The element-wise forms of mlir-opt 22 are read and printed.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?xf32>, %y: tensor<?x?xf32>, %s: f32) {
  // CHECK-NEXT: linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  // CHECK-NEXT: linalg.fill ins(%s : f32) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.fill ins(%s : f32) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK-NEXT: linalg.broadcast ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) dimensions = [0]
  %2 = linalg.broadcast ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) dimensions = [0]
  // CHECK-NEXT: linalg.map { arith.addf } ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>)
  %3 = linalg.map { arith.addf } ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>)
  // CHECK-NEXT: linalg.map ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) ({{%.*}}: f32, {{%.*}}: f32) {
  // CHECK-NEXT: math.exp
  %4 = linalg.map ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) (%a: f32, %o: f32) {
    %e = math.exp %a : f32
    linalg.yield %e : f32
  }
  // CHECK: linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>] ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: -> (tensor<?xf32>, tensor<?xf32>)
  %6:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%x, %x : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    linalg.yield %a, %a : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return
}
