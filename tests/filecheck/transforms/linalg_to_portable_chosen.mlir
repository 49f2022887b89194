// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,linalg-to-portable{branches=false} | %filecheck

// CHECK-NOT: scf.if

// Size 1 or 5: each element is read by an index that is 0 if the size is 1.
// CHECK-LABEL: func.func @dynamic_to_static
// CHECK: [[one:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[zero:%.*]] = arith.constant 0 : index
// CHECK: [[size:%.*]] = tensor.dim %b
// CHECK-NEXT: [[is_one:%.*]] = arith.cmpi eq, [[size]], [[one]] : index
// CHECK: [[empty:%.*]] = tensor.empty({{%.*}}) : tensor<?x5xf32>
// CHECK-NEXT: [[copy:%.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>]{{.*}} outs([[empty]] : tensor<?x5xf32>)
// CHECK:        [[row:%.*]] = linalg.index 0 : index
// CHECK-NEXT:   [[column:%.*]] = linalg.index 1 : index
// CHECK-NEXT:   [[chosen:%.*]] = arith.select [[is_one]], [[zero]], [[column]] : index
// CHECK-NEXT:   [[element:%.*]] = tensor.extract %b{{\[}}[[row]], [[chosen]]] : tensor<?x?xf32>
// CHECK-NEXT:   linalg.yield [[element]] : f32
// CHECK: [[cast:%.*]] = tensor.cast [[copy]] : tensor<?x5xf32> to tensor<?x?xf32>
// CHECK: linalg.generic {{.*}} ins(%a, [[cast]] : tensor<1x5xf32>, tensor<?x?xf32>)
func.func @dynamic_to_static(%a: tensor<1x5xf32>, %b: tensor<?x?xf32>) -> tensor<?x5xf32> {
  %0 = tosa.add %a, %b : (tensor<1x5xf32>, tensor<?x?xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
