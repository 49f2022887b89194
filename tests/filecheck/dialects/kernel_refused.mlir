// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @yields_nothing(%a: tensor<4xf32>) {
  // expected-error @+1 {{a kernel has at least one result}}
  kernel.apply (%x = %a : tensor<4xf32>) -> () {
    kernel.yield
  }
  return
}

// -----

func.func @yields_other(%a: tensor<4xf32>) {
  // expected-error @+1 {{kernel.yield does not give the element types of the results}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xi32> [4] {
    kernel.yield %x : f32
  }
  return
}

// -----

func.func @takes_other(%a: tensor<4xf32>) {
  // expected-error @+1 {{the region's arguments are not the element types of the inputs}}
  %0 = "kernel.apply"(%a) <{sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: i32):
    kernel.yield %x : i32
  }) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @unequal(%a: tensor<4xf32>) {
  // expected-error @+1 {{all results of a kernel have equal sizes}}
  %0, %1 = kernel.apply (%x = %a : tensor<4xf32>) -> (tensor<4xf32> [4], tensor<5xf32> [5]) {
    kernel.yield %x, %x : f32, f32
  }
  return
}

// -----

func.func @no_yield(%a: tensor<4xf32>) {
  // expected-error @+1 {{the region does not end in kernel.yield}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
    %1 = arith.addf %x, %x : f32
  }
  return
}

// -----

func.func @rank(%a: tensor<4xf32>) {
  // expected-error @+1 {{'sizes' and the result's type differ in rank}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [1, 4] {
    kernel.yield %x : f32
  }
  return
}

// -----

func.func @shapes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'sizes' holds one shape per result}}
  %0 = "kernel.apply"(%a) <{sizes = [], source = []}> ({
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @negative(%a: tensor<4xf32>) {
  // expected-error @+1 {{an entry of 'sizes' is an array of symbols (strings) and static sizes (i64, 0 to 2147483647)}}
  %0 = "kernel.apply"(%a) <{sizes = [[-4 : i64]], source = []}> ({
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @not_a_size(%a: tensor<4xf32>) {
  // expected-error @+1 {{an entry of 'sizes' is an array of symbols (strings) and static sizes (i64, 0 to 2147483647)}}
  %0 = "kernel.apply"(%a) <{sizes = [[4 : i32]], source = []}> ({
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reshape_of_another_type(%a: tensor<4xf32>) {
  // expected-error @+1 {{a view has the element type of its input}}
  %0 = kernel.reshape %a : tensor<4xf32> -> tensor<4xi32> [4]
  return
}

// -----

func.func @reshape_of_another_rank(%a: tensor<?xf32>) {
  // expected-error @+1 {{'sizes' and the result's type differ in rank}}
  %0 = kernel.reshape %a : tensor<?xf32> -> tensor<?x1xf32> [s0]
  return
}

// -----

func.func @reshape_to_more_elements(%a: tensor<4xf32>) {
  // expected-error @+1 {{a reshape keeps the number of elements}}
  %0 = kernel.reshape %a : tensor<4xf32> -> tensor<5xf32> [5]
  return
}

// -----

func.func @reshape_to_what_is_not_a_size(%a: tensor<4xf32>) {
  // expected-error @+1 {{'sizes' is an array of symbols (strings) and static sizes (i64, 0 to 2147483647)}}
  %0 = "kernel.reshape"(%a) <{sizes = [4 : i8]}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reshape_to_more_than_a_size_can_be(%a: tensor<0xf32>) {
  // expected-error @+1 {{static sizes (i64, 0 to 2147483647)}}
  %0 = kernel.reshape %a : tensor<0xf32> -> tensor<?x0xf32> [2147483648, 0]
  return
}

// -----

func.func @table_of_f32(%a: tensor<256xf32>) {
  // expected-error @+1 {{a table is tensor<256xi8> or tensor<513xi16>}}
  %0 = kernel.table %a : tensor<256xf32> -> tensor<f32>
  return
}

// -----

func.func @table_of_255(%a: tensor<255xi8>) {
  // expected-error @+1 {{a table is tensor<256xi8> or tensor<513xi16>}}
  %0 = kernel.table %a : tensor<255xi8> -> tensor<i8>
  return
}

// -----

func.func @table_as_a_list(%a: tensor<256xi8>) {
  // expected-error @+1 {{a table gives a scalar of its element type}}
  %0 = kernel.table %a : tensor<256xi8> -> tensor<1xi8>
  return
}
