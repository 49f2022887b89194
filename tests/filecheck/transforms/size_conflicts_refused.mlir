// RUN: %hwc-opt "%s" -p verify-tosa,convert-elementwise-to-linalg,convert-tosa-to-linalg,convert-linalg-to-kernel --split-input-file --verify-diagnostics

// A contradiction names the dimension, and what asks for each of the two sizes.

func.func @results(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<16xi32>, tensor<1xi32>) {
  %0 = tosa.intdiv %x, %y : (tensor<?xi32>, tensor<?xi32>) -> tensor<16xi32>
  // expected-error @+1 {{'tosa.intdiv' requires dimension 0 of its result to be both 16 ('tosa.intdiv' in line 6) and 1 (as its type says)}}
  %1 = tosa.intdiv %x, %y : (tensor<?xi32>, tensor<?xi32>) -> tensor<1xi32>
  return %0, %1 : tensor<16xi32>, tensor<1xi32>
}

// -----

func.func @unary(%x: tensor<?x?xf32>) -> (tensor<?x16xf32>, tensor<?x8xf32>) {
  %0 = tosa.abs %x : (tensor<?x?xf32>) -> tensor<?x16xf32>
  // expected-error @+1 {{'tosa.exp' requires dimension 1 of its result to be both 16 ('tosa.abs' in line 15) and 8 (as its type says)}}
  %1 = tosa.exp %x : (tensor<?x?xf32>) -> tensor<?x8xf32>
  return %0, %1 : tensor<?x16xf32>, tensor<?x8xf32>
}

// -----

func.func @reshape(%x: tensor<?xf32>) -> (tensor<2x4xf32>, tensor<7xf32>) {
  %0 = tosa.reshape %x {new_shape = array<i64: 2, 4>} : (tensor<?xf32>) -> tensor<2x4xf32>
  // expected-error @+1 {{'tosa.exp' requires dimension 0 of its result to be both 8 ('tosa.reshape' in line 24) and 7 (as its type says)}}
  %1 = tosa.exp %x : (tensor<?xf32>) -> tensor<7xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<7xf32>
}

// -----

func.func @fact(%x: tensor<?xf32>) -> tensor<8xf32> attributes {hwc.assume = ["16 <= x.0 <= 20"]} {
  // expected-error @+1 {{'tosa.exp' requires dimension 0 of its result to be both 16 to 20 (the fact '16 <= x.0 <= 20') and 8 (as its type says)}}
  %0 = tosa.exp %x : (tensor<?xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @broadcast(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {hwc.assume = ["x.0 == 4", "y.0 == 3"]} {
  // expected-error @+1 {{'tosa.add' requires dimension 0 of its result to be both 3 (the fact 'y.0 == 3') and 4 (the fact 'x.0 == 4')}}
  %0 = tosa.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @+1 {{the fact 'y.0 <= 3' of function @facts requires dimension 0 of %y to be both 4 (the fact 'x.0 == 4') and 0 to 3}}
func.func @facts(%x: tensor<?xf32>, %y: tensor<?xf32>) attributes {hwc.assume = ["x.0 == y.0", "x.0 == 4", "y.0 <= 3"]} {
  return
}

// -----

// expected-error @+1 {{the fact 'm == n' of function @names requires 'm', dimension 1 of %y, to be both 3 (the fact 'm == 3') and 4 (the fact 'n == 4')}}
func.func @names(%x: tensor<?xf32> {hwc.symbols = ["n"]}, %y: tensor<2x?xf32> {hwc.symbols = ["", "m"]}) attributes {hwc.assume = ["n == 4", "m == 3", "m == n"]} {
  return
}

// -----

// The size that the broadcast gives turns out to be one of those that it is made of.

#first = affine_map<(i, j) -> (i, 0)>
#id = affine_map<(i, j) -> (i, j)>
func.func @broadcast_of_itself(%a: tensor<?x?xf32>, %b: tensor<2xf32>) -> tensor<?x?xf32> {
  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %m = tosa.mul %a, %b, %s : (tensor<?x?xf32>, tensor<2xf32>, tensor<1xi8>) -> tensor<?x?xf32>
  // expected-error @+1 {{'linalg.generic' requires the broadcast of dimension 1 of %a and 2 to be both 2 ('tosa.mul' in line}}
  %r = linalg.generic {indexing_maps = [#first, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %m : tensor<?x?xf32>, tensor<?x?xf32>) outs(%m : tensor<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %d = arith.subf %p, %q : f32
    linalg.yield %d : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// The size that a reshape works out is declared, so the count contradicts a size that is known.

// expected-error @+1 {{the operations of '@worked_out' require a size to be both 7 and 8}}
func.func @worked_out(%x: tensor<?xf32>) -> (tensor<2x4xf32>, tensor<7xf32>) {
  %0 = tosa.reshape %x {new_shape = array<i64: 2, -1>} : (tensor<?xf32>) -> tensor<2x4xf32>
  %1 = tosa.exp %x : (tensor<?xf32>) -> tensor<7xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<7xf32>
}
