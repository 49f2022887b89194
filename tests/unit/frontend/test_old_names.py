"""Names of operations from earlier versions of MLIR: the message says today's name."""

import pytest

import hwc
from hwc.errors import SourceError
from hwc.frontend.old_names import name_today

TEXT_OF_2019 = """#map0 = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
func @broadcast_test(%arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> tensor<5x5xf32> {
  %0 = linalg.generic {args_in = 2 : i64, args_out = 1 : i64,
                       indexing_maps = [#map0, #map1, #map2],
                       iterator_types = ["parallel", "parallel"]}
        %arg0, %arg1 {
        ^bb0(%arg2: f32, %arg3: f32):  // no predecessors
          %1 = addf %arg2, %arg3 : f32
          linalg.yield %1 : f32
         }: tensor<5xf32>, tensor<5xf32> -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}
"""


def test_text_of_2019():
    with pytest.raises(SourceError) as caught:
        hwc.compile(TEXT_OF_2019)
    said = str(caught.value)
    assert "-:4:1: error: 'func' is an old name: the operation is 'func.func' today" in said
    assert "-:10:16: error: 'addf' is an old name: the operation is 'arith.addf' today" in said
    assert "call" not in said


@pytest.mark.parametrize(
    ("operation", "today"),
    [
        ("std.addf %x, %x : tensor<3xf32>", "arith.addf"),
        ("mulf %x, %x : tensor<3xf32>", "arith.mulf"),
        ("exp %x : tensor<3xf32>", "math.exp"),
        ("constant dense<1.0> : tensor<3xf32>", "arith.constant"),
        ("linalg.init_tensor [3] : tensor<3xf32>", "tensor.empty"),
        ("tensor_cast %x : tensor<3xf32> to tensor<?xf32>", "tensor.cast"),
    ],
)
def test_an_old_name_in_a_program(operation, today):
    old = operation.partition(" ")[0]
    text = f"""func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %0 = {operation}
  return %x : tensor<3xf32>
}}
"""
    with pytest.raises(SourceError) as caught:
        hwc.compile(text)
    expected = f"-:2:8: error: '{old}' is an old name: the operation is '{today}' today"
    assert str(caught.value).startswith(expected)
    assert f"write {today}" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["arith.addf", "tosa.add", "func.func", "my.popcount", "frobnicate"]
)
def test_other_names_are_not_old(name):
    assert name_today(name) is None
