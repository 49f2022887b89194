// RUN: %hwc-opt %s --split-input-file --verify-diagnostics

func.func @two_immediates() -> tensor<4xi32> {
  %0 = "strip.kernel"() <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
    %i = "strip.imm"() <{value = 5 : i32}> : () -> !strip.reg<"imm">
    %j = "strip.imm"() <{value = 6 : i32}> : () -> !strip.reg<"imm">
    // expected-error @+1 {{'strip.add.i32' has more than one immediate}}
    %1 = "strip.add.i32"(%i, %j) : (!strip.reg<"imm">, !strip.reg<"imm">) -> !strip.reg<"">
    "strip.yield"(%1) : (!strip.reg<"">) -> ()
  }) : () -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @operands() -> tensor<4xi32> {
  %0 = "strip.kernel"() <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
    %i = "strip.imm"() <{value = 5 : i32}> : () -> !strip.reg<"imm">
    // expected-error @+1 {{'strip.add.i32' takes 2 operands}}
    %1 = "strip.add.i32"(%i) : (!strip.reg<"imm">) -> !strip.reg<"">
    "strip.yield"(%1) : (!strip.reg<"">) -> ()
  }) : () -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @writes_immediate() -> tensor<4xi32> {
  %0 = "strip.kernel"() <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
    %i = "strip.imm"() <{value = 5 : i32}> : () -> !strip.reg<"imm">
    // expected-error @+1 {{'strip.mov' cannot write an immediate}}
    %1 = "strip.mov"(%i) : (!strip.reg<"imm">) -> !strip.reg<"imm">
    %2 = "strip.mov"(%i) : (!strip.reg<"imm">) -> !strip.reg<"">
    "strip.yield"(%2) : (!strip.reg<"">) -> ()
  }) : () -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @stores_immediate() -> tensor<4xi32> {
  // expected-error @+1 {{an output stream cannot take an immediate}}
  %0 = "strip.kernel"() <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
    %i = "strip.imm"() <{value = 5 : i32}> : () -> !strip.reg<"imm">
    "strip.yield"(%i) : (!strip.reg<"imm">) -> ()
  }) : () -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @sizes(%a: tensor<4xi32>) {
  // expected-error @+1 {{one region argument and one shape per input stream}}
  %0 = "strip.kernel"(%a) <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
  ^bb0(%x: !strip.reg<"s0">):
    %1 = "strip.mov"(%x) : (!strip.reg<"s0">) -> !strip.reg<"">
    "strip.yield"(%1) : (!strip.reg<"">) -> ()
  }) : (tensor<4xi32>) -> tensor<4xi32>
  return
}
