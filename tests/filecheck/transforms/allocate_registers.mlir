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

// Special instructions write result registers; a result register that lanes read is written again in
// the next phase only.

// CHECK-LABEL: func.func @result_registers
// CHECK: attributes {copies = 4 : i32}
// CHECK: strip.exp.f32 {{.*}} : t0
// CHECK: strip.add.f32 {{.*}} : v0
// CHECK: strip.exp.f32 {{.*}} : t1
// CHECK: strip.mul.f32 {{.*}} : v0
// CHECK: strip.exp.f32 {{.*}} : t0
// CHECK: strip.sub.f32 {{.*}} : o0
func.func @result_registers(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = strip.kernel (%x = %a : tensor<?xf32> [s0]) -> tensor<?xf32> [s0] {
    %1 = strip.exp.f32 %x
    %2 = strip.add.f32 %1, %x
    %3 = strip.exp.f32 %2
    %4 = strip.mul.f32 %3, %x
    %5 = strip.exp.f32 %4
    %6 = strip.sub.f32 %5, %x
    strip.yield %6
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @seventeen_alive(%a: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error @+1 {{the kernel needs more than the 16 vector registers and 16 result registers of target tiny, or more than 4 phases}}
  %0 = strip.kernel (%x = %a : tensor<?xi32> [s0]) -> tensor<?xi32> [s0] {
    %1 = strip.add.i32 %x, %x
    %2 = strip.add.i32 %x, %x
    %3 = strip.add.i32 %x, %x
    %4 = strip.add.i32 %x, %x
    %5 = strip.add.i32 %x, %x
    %6 = strip.add.i32 %x, %x
    %7 = strip.add.i32 %x, %x
    %8 = strip.add.i32 %x, %x
    %9 = strip.add.i32 %x, %x
    %10 = strip.add.i32 %x, %x
    %11 = strip.add.i32 %x, %x
    %12 = strip.add.i32 %x, %x
    %13 = strip.add.i32 %x, %x
    %14 = strip.add.i32 %x, %x
    %15 = strip.add.i32 %x, %x
    %16 = strip.add.i32 %x, %x
    %17 = strip.add.i32 %x, %x
    %18 = strip.add.i32 %1, %2
    %19 = strip.add.i32 %18, %3
    %20 = strip.add.i32 %19, %4
    %21 = strip.add.i32 %20, %5
    %22 = strip.add.i32 %21, %6
    %23 = strip.add.i32 %22, %7
    %24 = strip.add.i32 %23, %8
    %25 = strip.add.i32 %24, %9
    %26 = strip.add.i32 %25, %10
    %27 = strip.add.i32 %26, %11
    %28 = strip.add.i32 %27, %12
    %29 = strip.add.i32 %28, %13
    %30 = strip.add.i32 %29, %14
    %31 = strip.add.i32 %30, %15
    %32 = strip.add.i32 %31, %16
    %33 = strip.add.i32 %32, %17
    strip.yield %33
  }
  return %0 : tensor<?xi32>
}

// -----

func.func @five_phases(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{or more than 4 phases}}
  %0 = strip.kernel (%x = %a : tensor<?xf32> [s0]) -> tensor<?xf32> [s0] {
    %1 = strip.exp.f32 %x
    %2 = strip.add.f32 %1, %x
    %3 = strip.exp.f32 %2
    %4 = strip.add.f32 %3, %x
    %5 = strip.exp.f32 %4
    %6 = strip.add.f32 %5, %x
    %7 = strip.exp.f32 %6
    %8 = strip.add.f32 %7, %x
    strip.yield %8
  }
  return %0 : tensor<?xf32>
}
