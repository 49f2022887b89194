// RUN: %hwc-opt "%s" -p verify-tosa --split-input-file --verify-diagnostics | %filecheck

// The examples of the Broadcastable trait's documentation, and the rows of its tables.

// CHECK-LABEL: func.func @correct
func.func @correct(%a: tensor<1x2xi32>, %d: tensor<?xi32>, %e: tensor<?xi32>, %o: tensor<1xi32>,
                   %f: tensor<4xi32>, %g: tensor<2x3x4xi32>, %b: tensor<2xi1>, %h: tensor<2xi32>,
                   %s: tensor<i32>) {
  // Exact match of static sizes.
  %0 = tosa.add %a, %a : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<1x2xi32>
  // Dynamic sizes.
  %1 = tosa.add %d, %e : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
  // One static size broadcast to the other.
  %2 = tosa.add %o, %f : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
  // The declared result may say less than the operands do.
  %3 = tosa.abs %f : (tensor<4xi32>) -> tensor<?xi32>
  // Ranks are padded on the left.
  %4 = tosa.add %f, %g : (tensor<4xi32>, tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  %5 = tosa.add %s, %g : (tensor<i32>, tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
  // The trait does not concern element types.
  %6 = tosa.select %b, %h, %h : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %7 = tosa.greater %h, %h : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  // A dynamic size meets 1: dynamic; meets another: that one.
  %8 = tosa.add %d, %o : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
  %9 = tosa.add %d, %f : (tensor<?xi32>, tensor<4xi32>) -> tensor<4xi32>
  // The operands leave the size open, the result fixes it: checked at dispatch.
  %10 = tosa.add %d, %e : (tensor<?xi32>, tensor<?xi32>) -> tensor<4xi32>
  %11 = tosa.add %d, %o : (tensor<?xi32>, tensor<1xi32>) -> tensor<4xi32>
  return
}

// Size 0 is a size like any other.
// CHECK-LABEL: func.func @zero
func.func @zero(%a: tensor<0x5xi32>, %b: tensor<1x5xi32>, %c: tensor<?x5xi32>) {
  %0 = tosa.add %a, %b : (tensor<0x5xi32>, tensor<1x5xi32>) -> tensor<0x5xi32>
  %1 = tosa.add %a, %c : (tensor<0x5xi32>, tensor<?x5xi32>) -> tensor<0x5xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>, %b: tensor<2xi32>) {
  // expected-error @+1 {{the operands of 'tosa.add' do not broadcast: dimension 0 is 3 in operand 0 (3) and 2 in operand 1 (2)}}
  %0 = tosa.add %a, %b : (tensor<3xi32>, tensor<2xi32>) -> tensor<?xi32>
  return
}

// -----

func.func @f(%a: tensor<3xi32>) {
  // expected-error @+1 {{the result of 'tosa.add' has rank 2 (1x3), but the operands give rank 1 (3)}}
  %0 = tosa.add %a, %a : (tensor<3xi32>, tensor<3xi32>) -> tensor<1x3xi32>
  return
}

// -----

func.func @f(%a: tensor<2xi32>) {
  // expected-error @+1 {{dimension 0 of the result of 'tosa.add' is 4, but the operands give 2}}
  %0 = tosa.add %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%a: tensor<1xi32>) {
  // expected-error @+1 {{dimension 0 of the result of 'tosa.add' is 4, but the operands give 1}}
  %0 = tosa.add %a, %a : (tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%a: tensor<0xi32>, %b: tensor<5xi32>) {
  // expected-error @+1 {{dimension 0 is 0 in operand 0 (0) and 5 in operand 1 (5)}}
  %0 = tosa.add %a, %b : (tensor<0xi32>, tensor<5xi32>) -> tensor<5xi32>
  return
}

// -----

// The sizes that clash need not be neighbours, nor of operands of one rank.
func.func @f(%c: tensor<4x1xi1>, %a: tensor<?x?xf32>, %b: tensor<3x7x2xf32>) {
  // expected-error @+1 {{dimension 1 is 4 in operand 0 (4x1) and 7 in operand 2 (3x7x2)}}
  %0 = tosa.select %c, %a, %b : (tensor<4x1xi1>, tensor<?x?xf32>, tensor<3x7x2xf32>) -> tensor<3x7x2xf32>
  return
}

// -----

func.func @f(%a: tensor<4xi32>) {
  // expected-error @+1 {{dimension 0 of the result of 'tosa.abs' is 5, but the operands give 4}}
  %0 = tosa.abs %a : (tensor<4xi32>) -> tensor<5xi32>
  return
}

// -----

// expected-error @+1 {{result 0 of function @f is the unranked tensor tensor<*xi32>, and machine code is made for one rank}}
func.func @f(%a: tensor<2xi32>) -> tensor<*xi32> {
  %0 = tosa.abs %a : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// expected-error @+1 {{argument 0 (%a) of function @f is the unranked tensor tensor<*xi32>}}
func.func @f(%a: tensor<*xi32>) {
  %0 = tosa.add %a, %a : (tensor<*xi32>, tensor<*xi32>) -> tensor<2xi32>
  return
}
