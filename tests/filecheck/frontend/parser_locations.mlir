// RUN: %hwc-opt "%s" --split-input-file --print-debuginfo | %filecheck

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  // An operation has the location of its name; given locations are ignored.
  // CHECK: tosa.abs %x : (tensor<3xf32>) -> tensor<3xf32> loc("{{.*}}locations.mlir":7:8)
  %0 = tosa.abs %x : (tensor<3xf32>) -> tensor<3xf32> loc("other.mlir":1:2)
  // CHECK: func.return {{.*}} loc("{{.*}}locations.mlir":9:3)
  return %0 : tensor<3xf32> loc(fused[#here, callsite("f" at "g.mlir":3:4)])
} loc(unknown)
#here = loc("elsewhere.mlir":7:9)

// -----

// CHECK-LABEL: func.func @g
func.func @g(%x: tensor<3xf32> loc("a":1:1)) -> tensor<3xf32> {
  // CHECK: "tosa.const"() {{.*}} loc("{{.*}}locations.mlir":18:9)
  %c  = "tosa.const"() <{values = dense<0.0> : tensor<3xf32>}> : () -> tensor<3xf32>
  return %c : tensor<3xf32>
}
