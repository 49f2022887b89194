// RUN: %hwc compile --emit asm "%s" | %filecheck

// CHECK: kernel 0: tosa.add, tosa.clamp
// CHECK-NEXT: base s0, i8, rank=2, p[[a:[0-9]+]], +0
// CHECK-NEXT: size s0, 0, p[[s0:[0-9]+]]
// CHECK-NEXT: size s0, 1, #3
// CHECK-NEXT: base s1, i8, rank=1, p[[k:[0-9]+]], +0
// CHECK-NEXT: size s1, 0, #3
// CHECK-NEXT: base o0, i8, rank=2
// CHECK-NEXT: size o0, 0, p[[s0]]
// CHECK-NEXT: size o0, 1, #3
// CHECK-NEXT: loop
// CHECK-NEXT:   add.i8 v0, s0, s1
// CHECK-NEXT:   max.i32 v0, v0, #0xfffffffb
// CHECK-NEXT:   min.i32 o0, v0, #0x5a
// CHECK-NEXT: end
// CHECK-NEXT: halt
func.func @main(%a: tensor<?x3xi8>) -> tensor<?x3xi8> {
  %k = "tosa.const"() <{values = dense<[1, 2, 3]> : tensor<3xi8>}> : () -> tensor<3xi8>
  %0 = tosa.add %a, %k : (tensor<?x3xi8>, tensor<3xi8>) -> tensor<?x3xi8>
  %1 = tosa.clamp %0 {min_val = -5 : i8, max_val = 90 : i8} : (tensor<?x3xi8>) -> tensor<?x3xi8>
  return %1 : tensor<?x3xi8>
}
