// RUN: %hwc-opt "%s" -p 'annotate-entry{broadcast=strict ranks=equal conform="1.0" assume="a.0 == 4","a.1 == 5"}' | %filecheck
// RUN: %hwc-opt "%s" -p annotate-entry | %filecheck --check-prefix=NOTHING

// CHECK: func.func @without() attributes {hwc.broadcast = "strict", hwc.ranks = "equal", hwc.conform = "1.0", hwc.assume = ["a.0 == 4", "a.1 == 5"]}
// NOTHING: func.func @without() {
func.func @without() {
  return
}

// CHECK: func.func @with() attributes {hwc.assume = ["a.1 == 3", "a.0 == 4", "a.1 == 5"], hwc.broadcast = "strict", hwc.ranks = "equal", hwc.conform = "1.0"}
// NOTHING: func.func @with() attributes {hwc.assume = ["a.1 == 3"], hwc.broadcast = "numpy"}
func.func @with() attributes {hwc.assume = ["a.1 == 3"], hwc.broadcast = "numpy"} {
  return
}
