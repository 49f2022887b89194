// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @unknown_kind(%a: tensor<?xf32>) {
  // expected-error @+1 {{not a step of a shape program: 'guess' is not a kind of step: dim, broadcast, equal, reshape}}
  kernel.size s0 = guess(argument 0)
  return
}

// -----

func.func @no_result(%a: tensor<?xf32>) {
  // expected-error @+1 {{not a step of a shape program: 'broadcast' gives one size}}
  kernel.size broadcast(s0, s1) of "tosa.add"
  return
}
