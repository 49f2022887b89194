// RUN: %hwc-opt "%s" --split-input-file --verify-diagnostics

func.func @one_alternative(%a: tensor<4xf32>) {
  // expected-error @+1 {{a choice has two alternatives or more, and a name for each}}
  %0 = kernel.choose -> tensor<4xf32> [4] "fused" {
    kernel.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @same_name(%a: tensor<4xf32>) {
  // expected-error @+1 {{two alternatives have the same name}}
  %0 = kernel.choose -> tensor<4xf32> [4] "fused" {
    kernel.yield %a : tensor<4xf32>
  } or "fused" {
    kernel.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @sizes(%a: tensor<4xf32>) {
  // expected-error @+1 {{'sizes' holds one shape per result}}
  %0 = "kernel.choose"() <{sizes = [], names = ["a", "b"]}> ({
    kernel.yield %a : tensor<4xf32>
  }, {
    kernel.yield %a : tensor<4xf32>
  }) : () -> tensor<4xf32>
  return
}

// -----

func.func @rank(%a: tensor<4xf32>) {
  // expected-error @+1 {{'sizes' and the result's type differ in rank}}
  %0 = kernel.choose -> tensor<4xf32> [1, 4] "a" {
    kernel.yield %a : tensor<4xf32>
  } or "b" {
    kernel.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @no_yield(%a: tensor<4xf32>) {
  // expected-error @+1 {{an alternative has no arguments and ends in kernel.yield}}
  %0 = kernel.choose -> tensor<4xf32> [4] "a" {
    kernel.yield %a : tensor<4xf32>
  } or "b" {
    %1 = arith.constant 1 : i32
  }
  return
}

// -----

func.func @other_type(%a: tensor<4xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{an alternative does not yield the types of the results}}
  %0 = kernel.choose -> tensor<4xf32> [4] "a" {
    kernel.yield %a : tensor<4xf32>
  } or "b" {
    kernel.yield %b : tensor<4xi32>
  }
  return
}

// -----

func.func @no_word(%a: tensor<4xf32>) {
  // expected-error @+1 {{the name of an alternative is a word without commas}}
  %0 = kernel.choose -> tensor<4xf32> [4] "fused" {
    kernel.yield %a : tensor<4xf32>
  } or "keep,exp" {
    kernel.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @argument(%a: tensor<4xf32>) {
  // expected-error @+1 {{an alternative yields results of its own kernels, each of them once}}
  %0 = kernel.choose -> tensor<4xf32> [4] "a" {
    %k = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
      %1 = math.exp %x : f32
      kernel.yield %1 : f32
    }
    kernel.yield %k : tensor<4xf32>
  } or "b" {
    kernel.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @kernel_above(%a: tensor<4xf32>) {
  %k = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
    %1 = math.exp %x : f32
    kernel.yield %1 : f32
  }
  // expected-error @+1 {{an alternative yields results of its own kernels, each of them once}}
  %0 = kernel.choose -> tensor<4xf32> [4] "a" {
    kernel.yield %k : tensor<4xf32>
  } or "b" {
    %j = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
      %1 = math.exp %x : f32
      kernel.yield %1 : f32
    }
    kernel.yield %j : tensor<4xf32>
  }
  return
}

// -----

func.func @twice(%a: tensor<4xf32>) {
  // expected-error @+1 {{an alternative yields results of its own kernels, each of them once}}
  %0:2 = kernel.choose -> (tensor<4xf32> [4], tensor<4xf32> [4]) "a" {
    %k = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
      %1 = math.exp %x : f32
      kernel.yield %1 : f32
    }
    kernel.yield %k, %k : tensor<4xf32>, tensor<4xf32>
  } or "b" {
    %j = kernel.apply (%x = %a : tensor<4xf32>) -> tensor<4xf32> [4] {
      %1 = math.exp %x : f32
      kernel.yield %1 : f32
    }
    kernel.yield %j, %j : tensor<4xf32>, tensor<4xf32>
  }
  return
}
