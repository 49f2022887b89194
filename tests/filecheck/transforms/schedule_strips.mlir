// RUN: %hwc-opt "%s" -p 'schedule-strips{target=accel}' | %filecheck

// Two special instructions follow each other in one group; the lanes' instructions come before.

// CHECK-LABEL: func.func @special_functions
// CHECK: strip.add.f32
// CHECK-NEXT: strip.mul.f32
// CHECK-NEXT: strip.exp.f32
// CHECK-NEXT: strip.log.f32
// CHECK-NEXT: strip.yield
func.func @special_functions(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1 = strip.kernel (%x = %a : tensor<?xf32> [s0], %y = %b : tensor<?xf32> [s0]) -> (tensor<?xf32> [s0], tensor<?xf32> [s0]) {
    %2 = strip.add.f32 %x, %y
    %3 = strip.exp.f32 %2
    %4 = strip.mul.f32 %x, %y
    %5 = strip.log.f32 %4
    strip.yield %3, %5
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// A chain stays as it is.

// CHECK-LABEL: func.func @chain
// CHECK: strip.add.i32
// CHECK-NEXT: strip.mul.i32
// CHECK-NEXT: strip.sub.i32
func.func @chain(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = strip.kernel (%x = %a : tensor<?xi32> [s0]) -> tensor<?xi32> [s0] {
    %1 = strip.add.i32 %x, %x
    %2 = strip.mul.i32 %1, %1
    %3 = strip.sub.i32 %2, %x
    strip.yield %3
  }
  return %0 : tensor<?xi32>
}

// What the special instruction needs comes first, then what does not need its result.

// CHECK-LABEL: func.func @both_ports
// CHECK: strip.abs.f32
// CHECK-NEXT: strip.add.f32
// CHECK-NEXT: strip.mul.f32
// CHECK-NEXT: strip.exp.f32
// CHECK-NEXT: strip.sub.f32
func.func @both_ports(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = strip.kernel (%x = %a : tensor<?xf32> [s0]) -> tensor<?xf32> [s0] {
    %1 = strip.add.f32 %x, %x
    %2 = strip.mul.f32 %1, %x
    %3 = strip.abs.f32 %x
    %4 = strip.exp.f32 %3
    %5 = strip.sub.f32 %2, %4
    strip.yield %5
  }
  return %0 : tensor<?xf32>
}
