// RUN: %hwc-opt "%s" | %hwc-opt | %filecheck

// Every form of mlir-opt 22, on tensors and on scalars, is read and printed.

// CHECK-LABEL: func.func @casts
func.func @casts(%x: tensor<?xf32>, %i: tensor<?xi32>, %b: tensor<?xi8>, %s: i8) {
  // CHECK-NEXT: arith.trunci %i overflow<nsw> : tensor<?xi32> to tensor<?xi8>
  %0 = arith.trunci %i overflow<nsw> : tensor<?xi32> to tensor<?xi8>
  // CHECK-NEXT: arith.extui %b : tensor<?xi8> to tensor<?xi32>
  %1 = arith.extui %b : tensor<?xi8> to tensor<?xi32>
  // CHECK-NEXT: arith.extsi %s : i8 to i32
  %2 = arith.extsi %s : i8 to i32
  // CHECK-NEXT: arith.truncf %x to_nearest_even fastmath<fast> : tensor<?xf32> to tensor<?xf16>
  %3 = arith.truncf %x to_nearest_even fastmath<fast> : tensor<?xf32> to tensor<?xf16>
  // CHECK-NEXT: arith.extf %x fastmath<fast> : tensor<?xf32> to tensor<?xf64>
  %4 = arith.extf %x fastmath<fast> : tensor<?xf32> to tensor<?xf64>
  // CHECK-NEXT: arith.sitofp %i : tensor<?xi32> to tensor<?xf32>
  %5 = arith.sitofp %i : tensor<?xi32> to tensor<?xf32>
  // CHECK-NEXT: arith.uitofp %i : tensor<?xi32> to tensor<?xf32>
  %6 = arith.uitofp %i : tensor<?xi32> to tensor<?xf32>
  // CHECK-NEXT: arith.fptosi %x : tensor<?xf32> to tensor<?xi32>
  %7 = arith.fptosi %x : tensor<?xf32> to tensor<?xi32>
  // CHECK-NEXT: arith.fptoui %x : tensor<?xf32> to tensor<?xi32>
  %8 = arith.fptoui %x : tensor<?xf32> to tensor<?xi32>
  return
}

// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<?xf32>, %i: tensor<?xi32>, %c: tensor<?xi1>, %p: i1, %f: f32) {
  // CHECK-NEXT: arith.cmpf olt, %x, %x fastmath<nnan> : tensor<?xf32>
  %0 = arith.cmpf olt, %x, %x fastmath<nnan> : tensor<?xf32>
  // CHECK-NEXT: arith.cmpf uno, %f, %f : f32
  %1 = arith.cmpf "uno", %f, %f : f32
  // CHECK-NEXT: arith.cmpi slt, %i, %i : tensor<?xi32>
  %2 = arith.cmpi slt, %i, %i : tensor<?xi32>
  // CHECK-NEXT: arith.select %p, %x, %x : tensor<?xf32>
  %3 = arith.select %p, %x, %x : tensor<?xf32>
  // CHECK-NEXT: arith.select %c, %x, %x : tensor<?xi1>, tensor<?xf32>
  %4 = arith.select %c, %x, %x : tensor<?xi1>, tensor<?xf32>
  // CHECK-NEXT: arith.divsi %i, %i exact : tensor<?xi32>
  %5 = arith.divsi %i, %i exact : tensor<?xi32>
  // CHECK-NEXT: arith.divui %i, %i : tensor<?xi32>
  %6 = arith.divui %i, %i : tensor<?xi32>
  // CHECK-NEXT: arith.shrsi %i, %i exact : tensor<?xi32>
  %7 = arith.shrsi %i, %i exact : tensor<?xi32>
  // CHECK-NEXT: arith.shrui %i, %i : tensor<?xi32>
  %8 = arith.shrui %i, %i : tensor<?xi32>
  // CHECK-NEXT: arith.remf %x, %x : tensor<?xf32>
  %9 = arith.remf %x, %x : tensor<?xf32>
  return
}
