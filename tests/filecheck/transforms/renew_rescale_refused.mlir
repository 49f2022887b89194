// RUN: %hwc-opt "%s" -p renew-rescale,verify-tosa --split-input-file --verify-diagnostics

func.func @no_shift(%a: tensor<?xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' has no shift}}
  %0 = tosa.rescale %a {input_zp = 0 : i32, output_zp = 0 : i32, multiplier = array<i32: 1>, scale32 = true, double_round = false, per_channel = false} : (tensor<?xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

func.func @kind(%a: tensor<?xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' has multiplier = "one"}}
  %0 = tosa.rescale %a {input_zp = 0 : i32, output_zp = 0 : i32, multiplier = "one", shift = array<i8: 2>, scale32 = true, double_round = false, per_channel = false} : (tensor<?xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

func.func @range(%a: tensor<?xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' has input_zp = 128}}
  %0 = tosa.rescale %a {input_zp = 128 : i32, output_zp = 0 : i32, multiplier = array<i32: 1>, shift = array<i8: 2>, scale32 = true, double_round = false, per_channel = false} : (tensor<?xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

func.func @rounding(%a: tensor<?xi8>, %m: tensor<1xi32>, %s: tensor<1xi8>, %i: tensor<1xi8>, %o: tensor<1xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' has rounding_mode and double_round}}
  %0 = tosa.rescale %a, %m, %s, %i, %o {rounding_mode = SINGLE_ROUND, scale32 = true, double_round = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<?xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

func.func @twice(%a: tensor<?xi8>, %m: tensor<1xi32>, %s: tensor<1xi8>) -> tensor<?xi8> {
  // expected-error@+1 {{'tosa.rescale' has shift as an operand and as an attribute}}
  %0 = tosa.rescale %a, %m, %s {input_zp = 0 : i32, output_zp = 0 : i32, shift = array<i8: 2>, scale32 = true, double_round = false, per_channel = false} : (tensor<?xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
