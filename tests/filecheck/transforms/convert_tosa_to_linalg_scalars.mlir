// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg | %filecheck

// What an operator computes for one point, where it is more than one operation of the same name.

// CHECK-LABEL: func.func @negate
func.func @negate(%b: tensor<3xi8>, %h: tensor<3xi16>, %w: tensor<3xi32>, %f: tensor<3xf32>) {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: ^bb0([[x:%.*]]: i8, {{%.*}}: i8):
  // CHECK-NEXT: [[points:%.*]] = arith.constant -2 : i32
  // CHECK-NEXT: [[wide:%.*]] = arith.extsi [[x]] : i8 to i32
  // CHECK-NEXT: [[result:%.*]] = "hwc.subtract_saturate"([[points]], [[wide]]) : (i32, i32) -> i8
  // CHECK-NEXT: linalg.yield [[result]] : i8
  %0 = tosa.negate %b, %z, %o : (tensor<3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<3xi8>
  // CHECK: arith.constant 0 : i32
  // CHECK: "hwc.subtract_saturate"({{%.*}}, {{%.*}}) : (i32, i32) -> i16
  %1 = tosa.negate %h : (tensor<3xi16>) -> tensor<3xi16>
  // CHECK: ^bb0([[x:%.*]]: i32, {{%.*}}: i32):
  // CHECK-NEXT: [[zero:%.*]] = arith.constant 0 : i32
  // CHECK-NEXT: [[result:%.*]] = arith.subi [[zero]], [[x]] : i32
  // CHECK-NEXT: linalg.yield [[result]] : i32
  %2 = tosa.negate %w : (tensor<3xi32>) -> tensor<3xi32>
  // CHECK: arith.negf
  %3 = tosa.negate %f : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func.func @mul
func.func @mul(%b: tensor<3xi8>, %w: tensor<3xi32>, %f: tensor<3xf32>) {
  // CHECK: arith.extsi {{%.*}} : i8 to i32
  // CHECK-NEXT: arith.extsi {{%.*}} : i8 to i32
  // CHECK-NEXT: arith.muli {{%.*}} : i32
  %0 = tosa.mul %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi32>
  // CHECK: arith.muli {{%.*}} : i8
  %1 = tosa.mul %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: arith.muli {{%.*}} : i32
  %2 = tosa.mul %w, %w : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: ^bb0([[x:%.*]]: i32, [[y:%.*]]: i32, {{%.*}}: i32):
  // CHECK-NEXT: [[shift:%.*]] = arith.constant 63 : i32
  // CHECK-NEXT: "hwc.mul_shift"([[x]], [[y]], [[shift]]) : (i32, i32, i32) -> i32
  %3 = tosa.mul %w, %w {shift = 63 : i8} : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: arith.mulf {{%.*}} : f32
  %4 = tosa.mul %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func.func @clamp
func.func @clamp(%b: tensor<3xi8>, %f: tensor<3xf32>) {
  // CHECK: ^bb0([[x:%.*]]: f32, {{%.*}}: f32):
  // CHECK-NEXT: [[low:%.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: [[high:%.*]] = arith.constant 6.000000e+00 : f32
  // CHECK-NEXT: [[above:%.*]] = arith.maximumf [[x]], [[low]] : f32
  // CHECK-NEXT: arith.minimumf [[above]], [[high]] : f32
  %0 = tosa.clamp %f {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.maxnumf
  // CHECK-NEXT: arith.minnumf
  %1 = tosa.clamp %f {min_val = 0.0 : f32, max_val = 6.0 : f32, nan_mode = IGNORE} : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.constant -1 : i8
  // CHECK-NEXT: arith.constant 6 : i8
  // CHECK-NEXT: arith.maxsi
  // CHECK-NEXT: arith.minsi
  %2 = tosa.clamp %b {min_val = -1 : i8, max_val = 6 : i8} : (tensor<3xi8>) -> tensor<3xi8>
  // Bounds of older text have 64 bits.
  // CHECK: arith.constant -128 : i8
  // CHECK-NEXT: arith.constant 6 : i8
  %3 = tosa.clamp %b {min_int = -300 : i64, max_int = 6 : i64, min_fp = 0.0 : f32, max_fp = 0.0 : f32} : (tensor<3xi8>) -> tensor<3xi8>
  return
}

// CHECK-LABEL: func.func @extremes
func.func @extremes(%b: tensor<3xi8>, %f: tensor<3xf32>) {
  // CHECK: arith.maximumf
  %0 = tosa.maximum %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.maxnumf
  %1 = tosa.maximum %f, %f {nan_mode = IGNORE} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.minimumf
  %2 = tosa.minimum %f, %f {nan_mode = PROPAGATE} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.minnumf
  %3 = tosa.minimum %f, %f {nan_mode = IGNORE} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.maxsi {{%.*}} : i8
  %4 = tosa.maximum %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: arith.minsi {{%.*}} : i8
  %5 = tosa.minimum %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  return
}

// CHECK-LABEL: func.func @comparisons
func.func @comparisons(%b: tensor<3xi8>, %f: tensor<3xf32>, %c: tensor<3xi1>) {
  // CHECK: arith.cmpf oeq, {{.*}} : f32
  %0 = tosa.equal %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK: arith.cmpf ogt, {{.*}} : f32
  %1 = tosa.greater %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK: arith.cmpf oge, {{.*}} : f32
  %2 = tosa.greater_equal %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK: arith.cmpi eq, {{.*}} : i1
  %3 = tosa.equal %c, %c : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  // CHECK: arith.cmpi sgt, {{.*}} : i8
  %4 = tosa.greater %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  // CHECK: arith.cmpi sge, {{.*}} : i8
  %5 = tosa.greater_equal %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi1>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%b: tensor<3xi8>, %c: tensor<3xi1>) {
  // CHECK: arith.constant -1 : i8
  // CHECK-NEXT: arith.xori
  %0 = tosa.bitwise_not %b : (tensor<3xi8>) -> tensor<3xi8>
  // CHECK: arith.constant true
  // CHECK-NEXT: arith.xori {{.*}} : i1
  %1 = tosa.logical_not %c : (tensor<3xi1>) -> tensor<3xi1>
  // CHECK: arith.shrsi {{.*}} : i8
  %2 = tosa.arithmetic_right_shift %b, %b {round = false} : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: "hwc.shift_right_round"({{.*}}) : (i8, i8) -> i8
  %3 = tosa.arithmetic_right_shift %b, %b {round = true} : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: arith.shrui {{.*}} : i8
  %4 = tosa.logical_right_shift %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: arith.shli {{.*}} : i8
  %5 = tosa.logical_left_shift %b, %b : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: math.ctlz {{.*}} : i8
  %6 = tosa.clz %b : (tensor<3xi8>) -> tensor<3xi8>
  return
}

// CHECK-LABEL: func.func @casts
func.func @casts(%c: tensor<3xi1>, %b: tensor<3xi8>, %w: tensor<3xi32>, %f: tensor<3xf32>) {
  // CHECK: ^bb0([[x:%.*]]: i8, {{%.*}}: i8):
  // CHECK-NEXT: linalg.yield [[x]] : i8
  %0 = tosa.cast %b : (tensor<3xi8>) -> tensor<3xi8>
  // CHECK: arith.extsi {{%.*}} : i8 to i32
  %1 = tosa.cast %b : (tensor<3xi8>) -> tensor<3xi32>
  // CHECK: arith.trunci {{%.*}} : i32 to i16
  %2 = tosa.cast %w : (tensor<3xi32>) -> tensor<3xi16>
  // CHECK: arith.extui {{%.*}} : i1 to i8
  %3 = tosa.cast %c : (tensor<3xi1>) -> tensor<3xi8>
  // CHECK: arith.constant 0 : i32
  // CHECK-NEXT: arith.cmpi ne, {{.*}} : i32
  %4 = tosa.cast %w : (tensor<3xi32>) -> tensor<3xi1>
  // CHECK: arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: arith.cmpf une, {{.*}} : f32
  %5 = tosa.cast %f : (tensor<3xf32>) -> tensor<3xi1>
  // CHECK: arith.sitofp {{%.*}} : i8 to f32
  %6 = tosa.cast %b : (tensor<3xi8>) -> tensor<3xf32>
  // CHECK: [[wide:%.*]] = arith.extui {{%.*}} : i1 to i32
  // CHECK-NEXT: arith.sitofp [[wide]] : i32 to f32
  %7 = tosa.cast %c : (tensor<3xi1>) -> tensor<3xf32>
  // CHECK: "hwc.fptosi"({{%.*}}) : (f32) -> i16
  %8 = tosa.cast %f : (tensor<3xf32>) -> tensor<3xi16>
  return
}

// CHECK-LABEL: func.func @functions
func.func @functions(%f: tensor<3xf32>, %w: tensor<3xi32>) {
  // CHECK: "hwc.reciprocal"({{%.*}}) : (f32) -> f32
  %0 = tosa.reciprocal %f : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: "hwc.sigmoid"({{%.*}}) : (f32) -> f32
  %1 = tosa.sigmoid %f : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: math.powf {{%.*}} : f32
  %2 = tosa.pow %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: math.rsqrt {{%.*}} : f32
  %3 = tosa.rsqrt %f : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK: arith.divsi {{%.*}} : i32
  %4 = tosa.intdiv %w, %w : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: math.absi {{%.*}} : i32
  %5 = tosa.abs %w : (tensor<3xi32>) -> tensor<3xi32>
  return
}
