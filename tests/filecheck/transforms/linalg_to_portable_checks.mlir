// RUN: %hwc-opt "%s" -p verify-tosa,convert-tosa-to-linalg,linalg-to-portable{checks=true} | %filecheck

// The checks come first, in the order of the operators.
// CHECK-LABEL: func.func @broadcast
// CHECK: [[a:%.*]] = tensor.dim %a
// CHECK: [[b:%.*]] = tensor.dim %b
// CHECK: [[a_is_one:%.*]] = arith.cmpi eq, [[a]], [[one:%.*]] : index
// CHECK-NEXT: [[b_is_one:%.*]] = arith.cmpi eq, [[b]], [[one]]
// CHECK-NEXT: [[equal:%.*]] = arith.cmpi eq, [[b]], [[a]]
// CHECK-NEXT: [[either:%.*]] = arith.ori [[a_is_one]], [[b_is_one]]
// CHECK-NEXT: [[fits:%.*]] = arith.ori [[either]], [[equal]]
// CHECK-NEXT: cf.assert [[fits]], "{{.*}}linalg_to_portable_checks.mlir:27:8: error: 'tosa.add' in dimension 0 of the result: sizes do not broadcast: they have to be equal, or one of them 1"
// CHECK: [[size:%.*]] = arith.select [[a_is_one]], [[b]], [[a]]
// CHECK: cf.assert {{.*}}:28:8: error: 'tosa.exp' in dimension 0 of the result: sizes have to be equal"
// CHECK: [[count:%.*]] = arith.muli
// CHECK: cf.assert {{.*}}:29:8: error: 'tosa.reshape': the elements do not divide into the sizes that are given"
// CHECK: arith.remui [[count]]
// CHECK: cf.assert {{.*}}:29:8: error: 'tosa.reshape': the elements do not divide into the sizes that are given"
// CHECK: arith.divui [[count]]
// CHECK: cf.assert {{.*}}:29:8: error: 'tosa.reshape': a reshape keeps the number of elements"
// CHECK: cf.assert {{.*}}:30:8: error: 'tosa.sub' in dimension 0 of the result: the operands do not broadcast to size 4"
// CHECK: linalg.generic
// CHECK-NOT: cf.assert
// CHECK: func.return
func.func @broadcast(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?x?xf32>, %d: tensor<4xf32>)
    -> (tensor<?xf32>, tensor<7xf32>, tensor<2x?xf32>, tensor<4xf32>) {
  %0 = tosa.add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = tosa.exp %a : (tensor<?xf32>) -> tensor<7xf32>
  %2 = tosa.reshape %c {new_shape = array<i64: 2, -1>} : (tensor<?x?xf32>) -> tensor<2x?xf32>
  %3 = tosa.sub %b, %d : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<7xf32>, tensor<2x?xf32>, tensor<4xf32>
}
