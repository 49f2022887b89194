// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics | %filecheck

// CHECK-LABEL: func.func @views
func.func @views(%a: tensor<?x1xf32>, %b: tensor<5xi8>, %c: tensor<?xf32>) {
  // CHECK: "hwc.broadcast"(%a, %b) : (tensor<?x1xf32>, tensor<5xi8>) -> (tensor<?x5xf32>, tensor<?x5xi8>)
  %0, %1 = "hwc.broadcast"(%a, %b) : (tensor<?x1xf32>, tensor<5xi8>) -> (tensor<?x5xf32>, tensor<?x5xi8>)
  // CHECK: "hwc.reshape"(%c) : (tensor<?xf32>) -> tensor<2x?xf32>
  %2 = "hwc.reshape"(%c) : (tensor<?xf32>) -> tensor<2x?xf32>
  // CHECK: [[n:%.*]] = arith.constant 3 : index
  %n = arith.constant 3 : index
  // CHECK: "hwc.reshape"(%c, [[n]]) <{inferred = 2 : i64}> : (tensor<?xf32>, index) -> tensor<2x?x?xf32>
  %3 = "hwc.reshape"(%c, %n) <{inferred = 2 : i64}> : (tensor<?xf32>, index) -> tensor<2x?x?xf32>
  // CHECK: [[p:%.*]] = "hwc.exp2"([[n]]) : (index) -> index
  %p = "hwc.exp2"(%n) : (index) -> index
  // CHECK: "hwc.log2_floor"([[p]]) : (index) -> index
  %q = "hwc.log2_floor"(%p) : (index) -> index
  // CHECK: "hwc.log2_ceil"([[p]]) : (index) -> index
  %r = "hwc.log2_ceil"(%p) : (index) -> index
  return
}

// CHECK-LABEL: func.func @scalars
func.func @scalars(%f: f32, %h: f16, %i: i8, %w: i32) {
  // CHECK: "hwc.sigmoid"(%f) : (f32) -> f32
  %0 = "hwc.sigmoid"(%f) : (f32) -> f32
  // CHECK: "hwc.reciprocal"(%f) : (f32) -> f32
  %1 = "hwc.reciprocal"(%f) : (f32) -> f32
  // CHECK: "hwc.fptosi"(%f) : (f32) -> i16
  %2 = "hwc.fptosi"(%f) : (f32) -> i16
  // CHECK: "hwc.shift_right_round"(%i, %i) : (i8, i8) -> i8
  %3 = "hwc.shift_right_round"(%i, %i) : (i8, i8) -> i8
  // CHECK: "hwc.mul_shift"(%w, %w, %w) : (i32, i32, i32) -> i32
  %4 = "hwc.mul_shift"(%w, %w, %w) : (i32, i32, i32) -> i32
  // CHECK: "hwc.sigmoid"(%h) : (f16) -> f16
  %5 = "hwc.sigmoid"(%h) : (f16) -> f16
  return
}

// -----

func.func @f(%h: f16) {
  // expected-error @+1 {{'hwc.reciprocal': result 'result' at position 0 does not verify}}
  %0 = "hwc.reciprocal"(%h) : (f16) -> f32
  return
}

// -----

func.func @f(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{inputs do not broadcast in dimension 0}}
  %0, %1 = "hwc.broadcast"(%a, %b) : (tensor<3xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<1xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{tensor<1xf32> is not the common shape of the inputs}}
  %0, %1 = "hwc.broadcast"(%a, %b) : (tensor<1xf32>, tensor<4xf32>) -> (tensor<1xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{gives one view per input}}
  %0, %1 = "hwc.broadcast"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{a view has the element type of its input}}
  %0 = "hwc.broadcast"(%a) : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%a: tensor<4xf32>) {
  // expected-error @+1 {{a reshape keeps the number of elements}}
  %0 = "hwc.reshape"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{a reshape has an operand for each dynamic size; at most one size is inferred}}
  %0 = "hwc.reshape"(%a) : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>, %n: index) {
  // expected-error @+1 {{the inferred size of a reshape is a dynamic one}}
  %0 = "hwc.reshape"(%a, %n) <{inferred = 0 : i64}> : (tensor<?xf32>, index) -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%a: tensor<?xf32>) {
  // expected-error @+1 {{a view has the element type of its input}}
  %0 = "hwc.reshape"(%a) : (tensor<?xf32>) -> tensor<?xi8>
  return
}

// -----

func.func @f(%a: i8, %b: i32) {
  // expected-error @+1 {{value, shift and result have the same type}}
  %0 = "hwc.shift_right_round"(%a, %b) : (i8, i32) -> i8
  return
}

// -----

// CHECK-LABEL: func.func @tables
func.func @tables(%t: tensor<513xi16>, %e: i16, %x: i16) {
  // CHECK: "hwc.table"(%t) : (tensor<513xi16>) -> tensor<i16>
  %0 = "hwc.table"(%t) : (tensor<513xi16>) -> tensor<i16>
  // CHECK: "hwc.interpolate"(%e, %x) : (i16, i16) -> i32
  %1 = "hwc.interpolate"(%e, %x) : (i16, i16) -> i32
  return
}

// -----

func.func @f(%t: tensor<512xi16>) {
  // expected-error @+1 {{a table is tensor<256xi8> or tensor<513xi16>}}
  %0 = "hwc.table"(%t) : (tensor<512xi16>) -> tensor<i16>
  return
}

// -----

func.func @f(%e: i8, %x: i16) {
  // expected-error @+1 {{table and value have the same type}}
  %0 = "hwc.lookup"(%e, %x) : (i8, i16) -> i8
  return
}
