// RUN: %hwc-opt "%s" -p verify-tosa | %filecheck

// The elements of constants are at the end of the file, after 4 bytes with their alignment.

// CHECK-LABEL: func.func @main
// CHECK: values = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: values = dense<[true, false, true]> : tensor<3xi1>
// CHECK: values = dense<> : tensor<0xi8>
// CHECK-NOT: dialect_resources
func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<0xi8>) {
  %0 = "tosa.const"() {values = dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = arith.constant dense_resource<torch_tensor_2_torch.float32> : tensor<2xf32>
  %2 = "tosa.const"() {values = dense_resource<"a name"> : tensor<3xi1>} : () -> tensor<3xi1>
  %3 = "tosa.const"() {values = dense_resource<none> : tensor<0xi8>} : () -> tensor<0xi8>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<3xi1>, tensor<0xi8>
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_2_torch.float32: "0x040000000000803F00000040",
      "a name": "0x01000000010001",
      none: "0x01000000",
      unused: "0x0100000000"
    }
  },
  external_resources: {
    mlir_reproducer: { pipeline: "builtin.module(any)", disable_threading: false }
  }
#-}
