// RUN: %hwc-opt "%s" | %hwc-opt | %filecheck

// What xDSL lacks of mlir-opt 22.

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?xf32>, %s: f32) {
  // CHECK-NEXT: math.isnan %x : tensor<?xf32>
  %0 = math.isnan %x : tensor<?xf32>
  // CHECK-NEXT: math.isinf %s fastmath<nsz> : f32
  %1 = math.isinf %s fastmath<nsz> : f32
  // CHECK-NEXT: math.isfinite %s : f32
  %2 = math.isfinite %s : f32
  // CHECK-NEXT: math.isnormal %s : f32
  %3 = math.isnormal %s : f32
  // CHECK-NEXT: math.clampf %x to[%x, %x] fastmath<fast> : tensor<?xf32>
  %4 = math.clampf %x to [%x, %x] fastmath<fast> : tensor<?xf32>
  // CHECK-NEXT: math.sincos %x : tensor<?xf32>
  %5, %6 = math.sincos %x : tensor<?xf32>
  return
}
