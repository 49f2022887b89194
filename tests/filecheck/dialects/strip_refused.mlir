// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @two_immediates() -> tensor<4xi32> {
  %0 = strip.kernel () -> tensor<4xi32> [4] {
    %i = strip.imm 5
    %j = strip.imm 6
    // expected-error @+1 {{'strip.add.i32' has more than one immediate}}
    %1 = strip.add.i32 %i, %j
    strip.yield %1
  }
  return %0 : tensor<4xi32>
}

// -----

func.func @operands() -> tensor<4xi32> {
  %0 = strip.kernel () -> tensor<4xi32> [4] {
    %i = strip.imm 5
    // expected-error @+1 {{'strip.add.i32' takes 2 operands}}
    %1 = strip.add.i32 %i
    strip.yield %1
  }
  return %0 : tensor<4xi32>
}

// -----

func.func @writes_immediate() -> tensor<4xi32> {
  %0 = strip.kernel () -> tensor<4xi32> [4] {
    %i = strip.imm 5
    // expected-error @+1 {{'strip.mov' cannot write an immediate}}
    %1 = strip.mov %i : imm
    %2 = strip.mov %i
    strip.yield %2
  }
  return %0 : tensor<4xi32>
}

// -----

func.func @stores_immediate() -> tensor<4xi32> {
  // expected-error @+1 {{an output stream cannot take an immediate}}
  %0 = strip.kernel () -> tensor<4xi32> [4] {
    %i = strip.imm 5
    strip.yield %i
  }
  return %0 : tensor<4xi32>
}

// -----

func.func @sizes(%a: tensor<4xi32>) {
  // expected-error @+1 {{one region argument and one shape per input stream}}
  %0 = "strip.kernel"(%a) <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: !strip.reg<s0>):
    %1 = strip.mov %x
    strip.yield %1
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @streams_in_order(%a: tensor<4xi32>) {
  // expected-error @+1 {{the region's arguments are the streams s0, s1, ... in order}}
  %0 = "strip.kernel"(%a) <{input_sizes = [[4 : i64]], output_sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: !strip.reg<s1>):
    %1 = strip.mov %x
    strip.yield %1
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @negative(%a: tensor<4xi32>) {
  // expected-error @+1 {{the shape of a stream is an array of symbols (strings) and static sizes}}
  %0 = "strip.kernel"(%a) <{input_sizes = [[-4 : i64]], output_sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: !strip.reg<s0>):
    %1 = strip.mov %x
    strip.yield %1
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return
}
