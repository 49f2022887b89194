// RUN: %hwc-opt "%s" -p convert-linalg-to-kernel --split-input-file --verify-diagnostics

#t = affine_map<(d0, d1) -> (d1, d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @transposed(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.generic' has an indexing map that is no projection: (d0, d1) -> (d1, d0)}}
  %0 = linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) {
  ^bb0(%x: f32, %z: f32):
    linalg.yield %x : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @accumulates(%a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'linalg.generic' reads the output it overwrites}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %z: f32):
    %1 = arith.addf %x, %z : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 1 (%b) of function @scalar is f32, which is not a ranked tensor}}
func.func @scalar(%a: tensor<?xf32>, %b: f32) {
  return
}

// -----

func.func @two_sizes(%a: tensor<?xf32>) {
  %0 = tensor.cast %a : tensor<?xf32> to tensor<4xf32>
  // expected-error @+1 {{'tensor.cast' requires dimension 0 of its result to be both 4 ('tensor.cast' in line 39) and 5 (as its type says)}}
  %1 = tensor.cast %a : tensor<?xf32> to tensor<5xf32>
  return
}

// -----

func.func @never_even(%a: tensor<?x2xf32>) {
  // expected-error @+1 {{'hwc.reshape' requires a size to be both 7 and a multiple of 2}}
  %0 = "hwc.reshape"(%a) : (tensor<?x2xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @view_returned(%a: tensor<?xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0, %1 = "hwc.broadcast"(%a, %b) : (tensor<?xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-error @+1 {{'func.return' needs a broadcast view in memory}}
  return %0 : tensor<3xf32>
}

// -----

func.func @unwritten() -> tensor<3xf32> {
  %0 = tensor.empty() : tensor<3xf32>
  // expected-error @+1 {{'func.return' reads a tensor that nothing has written}}
  return %0 : tensor<3xf32>
}

// -----

func.func @other(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'math.exp' cannot become a kernel}}
  %0 = math.exp %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}
