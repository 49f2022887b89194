// RUN: %hwc-opt "%s" -p 'allocate-registers{target=tiny}' --split-input-file --verify-diagnostics | %filecheck

// A result takes the register of an operand read for the last time; outputs are written in place.

// CHECK-LABEL: func.func @reuse
// CHECK: [[a:%.*]] = strip.add.i32 {{.*}} : v0
// CHECK: [[b:%.*]] = strip.mul.i32 [[a]], {{.*}} : v1
// CHECK: [[c:%.*]] = strip.sub.i32 [[a]], [[b]] : v0
// CHECK: strip.abs.i32 [[c]] : o0
func.func @reuse(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = strip.kernel (%x = %a : tensor<?xi32> [s0]) -> tensor<?xi32> [s0] {
    %1 = strip.add.i32 %x, %x
    %2 = strip.mul.i32 %1, %x
    %3 = strip.sub.i32 %1, %2
    %4 = strip.abs.i32 %3
    strip.yield %4
  }
  return %0 : tensor<?xi32>
}

// -----

// An immediate needs no register, a result that nobody reads needs one for its instruction.

// CHECK-LABEL: func.func @immediate
// CHECK: [[i:%.*]] = strip.imm 0x5
// CHECK: strip.mov [[i]] : v0
// CHECK: strip.mov [[i]] : o0
func.func @immediate() -> tensor<4xi32> {
  %0 = strip.kernel () -> tensor<4xi32> [4] {
    %i = strip.imm 5
    %1 = strip.mov %i
    %2 = strip.mov %i
    strip.yield %2
  }
  return %0 : tensor<4xi32>
}

// -----

func.func @nine_alive(%a: tensor<?xi32>) -> tensor<?xi32> {
  %0 = strip.kernel (%x = %a : tensor<?xi32> [s0]) -> tensor<?xi32> [s0] {
    %1 = strip.add.i32 %x, %x
    %2 = strip.mul.i32 %x, %x
    %3 = strip.sub.i32 %x, %x
    %4 = strip.max.i32 %x, %x
    %5 = strip.min.i32 %x, %x
    %6 = strip.and %x, %x
    %7 = strip.or %x, %x
    %8 = strip.xor %x, %x
    // expected-error @+1 {{the kernel needs more than 8 vector registers}}
    %9 = strip.not %x
    %10 = strip.sel %1, %2, %3
    %11 = strip.sel %4, %5, %6
    %12 = strip.sel %7, %8, %9
    %13 = strip.sel %10, %11, %12
    strip.yield %13
  }
  return %0 : tensor<?xi32>
}
