// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @not_a_tensor(%a: tensor<4xf32>) {
  // expected-error @+1 {{f32 is not a ranked tensor}}
  %0 = kernel.apply (%x = %a : f32) -> tensor<4xf32> [4] {
    kernel.yield %x : f32
  }
  return
}

// -----

func.func @undefined() {
  // expected-error @+1 {{%a is used before it is defined}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
    kernel.yield %x : f32
  }
  return
}

// -----

func.func @no_sizes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'[' expected}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> {
    kernel.yield %x : f32
  }
  return
}

// -----

func.func @negative_size(%a: tensor<4xf32>) {
  // expected-error @+1 {{as a size}}
  %0 = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [-4] {
    kernel.yield %x : f32
  }
  return
}

// -----

func.func @no_such_register(%a: tensor<4xi32>) {
  %0 = strip.kernel (%x = %a : tensor<4xi32> [4]) -> tensor<4xi32> [4] {
    // expected-error @+1 {{there is no register 'q7'}}
    %1 = strip.mov %x : q7
    strip.yield %1
  }
  return
}

// -----

func.func @undefined_register(%a: tensor<4xi32>) {
  %0 = strip.kernel (%x = %a : tensor<4xi32> [4]) -> tensor<4xi32> [4] {
    // expected-error @+1 {{%y is used before it is defined}}
    %1 = strip.mov %y : v0
    strip.yield %1
  }
  return
}

// -----

func.func @wide_immediate() {
  %0 = strip.kernel () -> tensor<4xi32> [4] {
    // expected-error @+1 {{4294967296 does not fit 32 bits}}
    %1 = strip.imm 0x100000000
    %2 = strip.mov %1
    strip.yield %2
  }
  return
}

// -----

func.func @reshape_without_sizes(%a: tensor<4xf32>) {
  // expected-error @+2 {{'[' expected}}
  %0 = kernel.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_from_no_operation(%a: tensor<4xf32>) {
  // expected-error @+2 {{string literal expected after 'from'}}
  %0 = kernel.reshape %a : tensor<4xf32> -> tensor<4xf32> [4] from
  return
}
