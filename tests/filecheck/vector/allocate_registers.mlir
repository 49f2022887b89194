// RUN: %hwc-opt %s -p 'allocate-registers{target=tiny}' --split-input-file --verify-diagnostics | %filecheck

// A result takes the register of an operand read for the last time; outputs are written in place.

// CHECK-LABEL: func.func @reuse
// CHECK: [[a:%.*]] = "strip.add.i32"({{.*}}) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"v0">
// CHECK: [[b:%.*]] = "strip.mul.i32"([[a]], {{.*}} -> !strip.reg<"v1">
// CHECK: [[c:%.*]] = "strip.sub.i32"([[a]], [[b]]) {{.*}} -> !strip.reg<"v0">
// CHECK: "strip.abs.i32"([[c]]) : (!strip.reg<"v0">) -> !strip.reg<"o0">
func.func @reuse(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "strip.kernel"(%a) <{input_sizes = [["s0"]], output_sizes = [["s0"]], source = []}> ({
  ^bb0(%x: !strip.reg<"s0">):
    %1 = "strip.add.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %2 = "strip.mul.i32"(%1, %x) : (!strip.reg<"">, !strip.reg<"s0">) -> !strip.reg<"">
    %3 = "strip.sub.i32"(%1, %2) : (!strip.reg<"">, !strip.reg<"">) -> !strip.reg<"">
    %4 = "strip.abs.i32"(%3) : (!strip.reg<"">) -> !strip.reg<"">
    "strip.yield"(%4) : (!strip.reg<"">) -> ()
  }) : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// An immediate needs no register, a result that nobody reads needs one for its instruction.

// CHECK-LABEL: func.func @immediate
// CHECK: [[i:%.*]] = "strip.imm"() <{value = 5 : i32}> : () -> !strip.reg<"imm">
// CHECK: "strip.mov"([[i]]) : (!strip.reg<"imm">) -> !strip.reg<"v0">
// CHECK: "strip.mov"([[i]]) : (!strip.reg<"imm">) -> !strip.reg<"o0">
func.func @immediate() -> tensor<4xi32> {
  %0 = "strip.kernel"() <{input_sizes = [], output_sizes = [[4 : i64]], source = []}> ({
    %i = "strip.imm"() <{value = 5 : i32}> : () -> !strip.reg<"imm">
    %1 = "strip.mov"(%i) : (!strip.reg<"imm">) -> !strip.reg<"">
    %2 = "strip.mov"(%i) : (!strip.reg<"imm">) -> !strip.reg<"">
    "strip.yield"(%2) : (!strip.reg<"">) -> ()
  }) : () -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @nine_alive(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "strip.kernel"(%a) <{input_sizes = [["s0"]], output_sizes = [["s0"]], source = []}> ({
  ^bb0(%x: !strip.reg<"s0">):
    %1 = "strip.add.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %2 = "strip.mul.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %3 = "strip.sub.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %4 = "strip.max.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %5 = "strip.min.i32"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %6 = "strip.and"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %7 = "strip.or"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    %8 = "strip.xor"(%x, %x) : (!strip.reg<"s0">, !strip.reg<"s0">) -> !strip.reg<"">
    // expected-error @+1 {{the kernel needs more than 8 vector registers}}
    %9 = "strip.not"(%x) : (!strip.reg<"s0">) -> !strip.reg<"">
    %10 = "strip.sel"(%1, %2, %3) : (!strip.reg<"">, !strip.reg<"">, !strip.reg<"">) -> !strip.reg<"">
    %11 = "strip.sel"(%4, %5, %6) : (!strip.reg<"">, !strip.reg<"">, !strip.reg<"">) -> !strip.reg<"">
    %12 = "strip.sel"(%7, %8, %9) : (!strip.reg<"">, !strip.reg<"">, !strip.reg<"">) -> !strip.reg<"">
    %13 = "strip.sel"(%10, %11, %12) : (!strip.reg<"">, !strip.reg<"">, !strip.reg<"">) -> !strip.reg<"">
    "strip.yield"(%13) : (!strip.reg<"">) -> ()
  }) : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
