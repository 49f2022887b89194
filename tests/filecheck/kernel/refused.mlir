// RUN: %hwc-opt %s -p simplify-kernels,fuse-kernels --split-input-file --verify-diagnostics

func.func @undefined(%a: tensor<?xf32>) {
  "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 0 : i64}> : () -> ()
  // expected-error @+1 {{symbol 's9' is not defined by a step before}}
  "kernel.equal_sizes"() <{operands = ["s0", "s9"], source = "tosa.add"}> : () -> ()
  return
}

// -----

func.func @no_dimension(%a: tensor<?xf32>) {
  // expected-error @+1 {{argument 0 has no dimension 1}}
  "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 1 : i64}> : () -> ()
  return
}

// -----

func.func @no_argument(%a: tensor<?xf32>) {
  // expected-error @+1 {{the function has no argument 1}}
  "kernel.dim_size"() <{symbol = "s0", argument = 1 : i64, dimension = 0 : i64}> : () -> ()
  return
}

// -----

// expected-error @+1 {{dimension 0 of argument 0 has no symbol}}
func.func @no_symbol(%a: tensor<?xf32>) {
  return
}

// -----

func.func @contradiction(%a: tensor<?xf32>) {
  "kernel.dim_size"() <{symbol = "s0", argument = 0 : i64, dimension = 0 : i64}> : () -> ()
  "kernel.equal_sizes"() <{operands = ["s0", 3 : i64], source = "tosa.add"}> : () -> ()
  // expected-error @+1 {{the steps require a size to be both 3 and 4}}
  "kernel.equal_sizes"() <{operands = ["s0", 4 : i64], source = "tosa.add"}> : () -> ()
  return
}

// -----

func.func @no_sizes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'hwc.reshape' has no attribute 'sizes'}}
  %0 = "hwc.reshape"(%a) : (tensor<4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @yields_nothing(%a: tensor<4xf32>) {
  // expected-error @+1 {{a kernel has at least one result}}
  "kernel.apply"(%a) <{sizes = [], source = []}> ({
  ^bb0(%x: f32):
    "kernel.yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @yields_other(%a: tensor<4xf32>) {
  // expected-error @+1 {{kernel.yield does not give the element types of the results}}
  %0 = "kernel.apply"(%a) <{sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: f32):
    "kernel.yield"(%x) : (f32) -> ()
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @takes_other(%a: tensor<4xf32>) {
  // expected-error @+1 {{the region's arguments are not the element types of the inputs}}
  %0 = "kernel.apply"(%a) <{sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: i32):
    "kernel.yield"(%x) : (i32) -> ()
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @unequal(%a: tensor<4xf32>) {
  // expected-error @+1 {{all results of a kernel have equal sizes}}
  %0, %1 = "kernel.apply"(%a) <{sizes = [[4 : i64], [5 : i64]], source = []}> ({
  ^bb0(%x: f32):
    "kernel.yield"(%x, %x) : (f32, f32) -> ()
  }) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

func.func @no_instruction(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "kernel.apply"(%a) <{sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: f32):
    // expected-error @+1 {{'math.tan' has no instruction on this machine}}
    %1 = math.tan %x : f32
    "kernel.yield"(%1) : (f32) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_type(%a: tensor<4xi64>) -> tensor<4xi64> {
  %0 = "kernel.apply"(%a) <{sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: i64):
    // expected-error @+1 {{'arith.addi' has a value of type i64}}
    %1 = arith.addi %x, %x : i64
    "kernel.yield"(%1) : (i64) -> ()
  }) : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
