// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics

func.func @f() -> tensor<2xf32> {
  // expected-error @+1 {{there is no resource '__elided__'}}
  %0 = "tosa.const"() {values = dense_resource<__elided__> : tensor<2xf32>} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @f() -> tensor<2xf32> {
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<2xf32>} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{the resource 'w' holds 4 bytes, expected 8 for tensor<2xf32>}}
{-# dialect_resources: { builtin: { w: "0x040000000000803F" } } #-}

// -----

func.func @f() -> tensor<2xf32> {
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<2xf32>} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{the resource 'w' has no data}}
{-# dialect_resources: { builtin: { w: "0x040000" } } #-}

// -----

func.func @f() -> tensor<2xf32> {
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<2xf32>} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{the resource 'w' has no data}}
{-# dialect_resources: { builtin: { w: "04000000ff" } } #-}

// -----

func.func @f() -> tensor<2xf32> {
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<2xf32>} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{the resource 'w' has the alignment 3, which is no power of 2}}
{-# dialect_resources: { builtin: { w: "0x030000000000803F00000040" } } #-}

// -----

func.func @f() -> tensor<2xf32> {
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<2xf32>} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// expected-error @+1 {{there are two resources 'w'}}
{-# dialect_resources: { builtin: { w: "0x01000000", w: "0x01000000" } } #-}

// -----

func.func @f() {
  // expected-error @+1 {{the resource 'w' has the type tensor<?xf32>, whose sizes are not known}}
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<?xf32>} : () -> tensor<?xf32>
  return
}
{-# dialect_resources: { builtin: { w: "0x01000000" } } #-}

// -----

func.func @f() {
  // expected-error @+1 {{the resource 'w' has the type tensor<2xindex>}}
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<2xindex>} : () -> tensor<2xindex>
  return
}
{-# dialect_resources: { builtin: { w: "0x01000000" } } #-}

// -----

func.func @f() {
  // expected-error @+1 {{the resource 'w' has the type tensor<1xf80>}}
  %0 = "tosa.const"() {values = dense_resource<w> : tensor<1xf80>} : () -> tensor<1xf80>
  return
}
{-# dialect_resources: { builtin: { w: "0x0100000000000000000000000000" } } #-}
