// RUN: %hwc-opt "%s" | %filecheck
// RUN: %hwc-opt "%s" --print-op-generic | %hwc-opt | %filecheck
// RUN: %hwc-opt "%s" -p convert-kernel-to-strip,schedule-strips,allocate-registers | %filecheck --check-prefix STRIP

// Two ways to the same result; the regions read values from above.

// CHECK-LABEL: func.func @choose
// CHECK: %0 = kernel.choose -> tensor<?xf32> [d0] "fused" {
// CHECK-NEXT:   %1 = kernel.apply (%x = %a : tensor<?xf32>, %y = %b : tensor<?xf32>) -> tensor<?xf32> [d0] {
// CHECK: kernel.yield %1 : tensor<?xf32>
// CHECK-NEXT: } or "keep-exp" {
// CHECK-NEXT:   %2 = kernel.apply (%x = %a : tensor<?xf32>) -> tensor<?xf32> [s0] {
// CHECK:   %3 = kernel.apply (%x = %2 : tensor<?xf32>, %y = %b : tensor<?xf32>) -> tensor<?xf32> [d0] {
// CHECK: kernel.yield %3 : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %0

// The kernels of every alternative become streams and instructions in registers.

// STRIP-LABEL: func.func @choose
// STRIP: kernel.choose -> tensor<?xf32> [d0] "fused" {
// STRIP: strip.kernel ({{%.*}} = %a : tensor<?xf32> [s0], {{%.*}} = %b : tensor<?xf32> [s1]) -> tensor<?xf32> [d0] attributes {copies = 2 : i32} {
// STRIP: strip.exp.f32 {{%.*}} : t0
// STRIP: strip.add.f32 {{%.*}}, {{%.*}} : o0
// STRIP: } or "keep-exp" {
// STRIP: [[exp:%.*]] = strip.kernel ({{%.*}} = %a : tensor<?xf32> [s0]) -> tensor<?xf32> [s0] attributes {copies = 2 : i32} {
// STRIP: strip.exp.f32 {{%.*}} : o0
// STRIP: strip.kernel ({{%.*}} = [[exp]] : tensor<?xf32> [s0], {{%.*}} = %b : tensor<?xf32> [s1]) -> tensor<?xf32> [d0] attributes {copies = 1 : i32} {
func.func @choose(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  kernel.size s0 = dim(argument 0, dimension 0)
  kernel.size s1 = dim(argument 1, dimension 0)
  kernel.size d0 = broadcast(s0, s1) in dimension 0 of "tosa.add"
  %0 = kernel.choose -> tensor<?xf32> [d0] "fused" {
    %1 = kernel.apply (%x = %a : tensor<?xf32>, %y = %b : tensor<?xf32>) -> tensor<?xf32> [d0] {
      %2 = math.exp %x : f32
      %3 = arith.addf %2, %y : f32
      kernel.yield %3 : f32
    }
    kernel.yield %1 : tensor<?xf32>
  } or "keep-exp" {
    %1 = kernel.apply (%x = %a : tensor<?xf32>) -> tensor<?xf32> [s0] {
      %3 = math.exp %x : f32
      kernel.yield %3 : f32
    }
    %2 = kernel.apply (%x = %1 : tensor<?xf32>, %y = %b : tensor<?xf32>) -> tensor<?xf32> [d0] {
      %3 = arith.addf %x, %y : f32
      kernel.yield %3 : f32
    }
    kernel.yield %2 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// Several results, with sizes of their own.

// CHECK-LABEL: func.func @two_results
// CHECK: %0, %1 = kernel.choose -> (tensor<?xf32> [s0], tensor<?xf32> [s1]) attributes {note} "a" {
func.func @two_results(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  kernel.size s0 = dim(argument 0, dimension 0)
  kernel.size s1 = dim(argument 1, dimension 0)
  %0, %1 = kernel.choose -> (tensor<?xf32> [s0], tensor<?xf32> [s1]) attributes {note} "a" {
    %2 = kernel.apply (%x = %a : tensor<?xf32>) -> tensor<?xf32> [s0] {
      kernel.yield %x : f32
    }
    %3 = kernel.apply (%x = %b : tensor<?xf32>) -> tensor<?xf32> [s1] {
      kernel.yield %x : f32
    }
    kernel.yield %2, %3 : tensor<?xf32>, tensor<?xf32>
  } or "b" {
    %2, %3 = kernel.apply (%x = %a : tensor<?xf32>, %y = %b : tensor<?xf32>) -> (tensor<?xf32> [s0], tensor<?xf32> [s0]) {
      kernel.yield %x, %y : f32, f32
    }
    kernel.yield %2, %3 : tensor<?xf32>, tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
