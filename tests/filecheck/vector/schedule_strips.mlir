// RUN: %hwc-opt %s -p 'schedule-strips{target=accel}' | %filecheck

// Two long instructions follow each other; the short ones come before, so that none waits for them.

// CHECK-LABEL: func.func @special_functions
// CHECK: "strip.add.f32"
// CHECK-NEXT: "strip.mul.f32"
// CHECK-NEXT: "strip.exp.f32"
// CHECK-NEXT: "strip.log.f32"
// CHECK-NEXT: "strip.yield"
func.func @special_functions(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0, %1 = "strip.kernel"(%a, %b) <{input_sizes = [["s0"], ["s0"]], output_sizes = [["s0"], ["s0"]], source = []}> ({
  ^bb0(%x: !strip.reg<"s0">, %y: !strip.reg<"s1">):
    %2 = "strip.add.f32"(%x, %y) : (!strip.reg<"s0">, !strip.reg<"s1">) -> !strip.reg<"">
    %3 = "strip.exp.f32"(%2) : (!strip.reg<"">) -> !strip.reg<"">
    %4 = "strip.mul.f32"(%x, %y) : (!strip.reg<"s0">, !strip.reg<"s1">) -> !strip.reg<"">
    %5 = "strip.log.f32"(%4) : (!strip.reg<"">) -> !strip.reg<"">
    "strip.yield"(%3, %5) : (!strip.reg<"">, !strip.reg<"">) -> ()
  }) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// A chain stays as it is.

// CHECK-LABEL: func.func @chain
// CHECK: strip.add.i32
// CHECK-NEXT: strip.mul.i32
// CHECK-NEXT: strip.sub.i32
func.func @chain(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "strip.kernel"(%a) <{input_sizes = [["s0"]], output_sizes = [["s0"]], source = []}> ({
  ^bb0(%x: !strip.reg<"s0">):
    %1 = "strip.add.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %2 = "strip.mul.i32"(%1, %1) : (!strip.reg<"">, !strip.reg<"">) -> !strip.reg<"">
    %3 = "strip.sub.i32"(%2, %x) : (!strip.reg<"">, !strip.reg<"s0">) -> !strip.reg<"">
    "strip.yield"(%3) : (!strip.reg<"">) -> ()
  }) : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
