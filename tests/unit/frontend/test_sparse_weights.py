"""Sparse weights of TFLite models become dense constants."""

import re

import numpy as np
import pytest

from hwc.errors import SourceError
from hwc.frontend.sparse_weights import with_dense_weights

DENSE = "<format =  DENSE, dense_size = {}, segments = [], indices = []>"
SPARSE = "<format =  SPARSE_CSR, dense_size = 0, segments = {}, indices = {}>"


def program(data, type_, order, dimensions, shape, blocks="[]"):
    count = 3
    tensor = f"tensor<{'x'.join(map(str, shape))}x{type_}>"
    return (
        "func.func @main() {\n"
        f'    %1 = "tfl.pseudo_sparse_const"() <{{compressed_data = dense<{data}> : '
        f"tensor<{count}x{type_}>, s_param = #tfl.sparsity_parameter<traversal_order = {order}, "
        f"block_map = {blocks}, dim_metadata = {', '.join(dimensions)}>, value = dense<0.0> : "
        f"{tensor}}}> : () -> {tensor}\n"
        f'    %2 = "tfl.densify"(%1) : ({tensor}) -> {tensor}\n'
        "}\n"
    )


def elements(text, dtype, shape):
    digits = re.findall(r'"tosa\.const"\(\) <\{values = dense<"0x([0-9A-F]*)"> : tensor<', text)
    assert len(digits) == 1
    assert "tfl." not in text
    return np.frombuffer(bytes.fromhex(digits[0]), dtype).reshape(shape).tolist()


ROWS = [DENSE.format(2), SPARSE.format([0, 2, 3], [0, 2, 1])]


@pytest.mark.parametrize(
    ("data", "type_", "dtype"),
    [
        ("[1.5, -2.000000e+00, 0.25]", "f16", "<f2"),
        ('"0x003E00C00034"', "f16", "<f2"),
        ('"0x0000C03F000000C00000803E"', "f32", "<f4"),
    ],
)
def test_rows(data, type_, dtype):
    text = with_dense_weights(program(data, type_, [0, 1], ROWS, (2, 3)), "m.tflite")
    assert elements(text, dtype, (2, 3)) == [[1.5, 0.0, -2.0], [0.0, 0.25, 0.0]]
    assert '%2 = "tosa.const"()' in text


def test_columns():
    dimensions = [DENSE.format(3), SPARSE.format([0, 1, 2, 3], [0, 1, 0])]
    text = with_dense_weights(program("[1, 2, 3]", "i8", [1, 0], dimensions, (2, 3)), "m.tflite")
    assert elements(text, "i1", (2, 3)) == [[1, 0, 3], [0, 2, 0]]


def test_equal_elements():
    text = with_dense_weights(program("0.5", "f32", [0, 1], ROWS, (2, 3)), "m.tflite")
    assert elements(text, "<f4", (2, 3)) == [[0.5, 0.0, 0.5], [0.0, 0.5, 0.0]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"blocks": "[0]"}, "blocks are not known"),
        ({"dimensions": ROWS[:1]}, "1 dimensions for the shape"),
        ({"dimensions": [DENSE.format(2), SPARSE.format([0, 2], [0, 2])]}, "out of range"),
        ({"type_": "f64"}, "f64"),
    ],
)
def test_another_form_is_one_error(change, said):
    given = {"data": "[1.5, -2.0, 0.25]", "type_": "f32", "order": [0, 1], "dimensions": ROWS}
    with pytest.raises(SourceError, match=rf"m\.tflite: error: sparse weights .*{said}"):
        with_dense_weights(program(**{**given, **change}, shape=(2, 3)), "m.tflite")


def test_other_programs_stay_as_they_are():
    text = '%2 = "tfl.densify"(%1) : (tensor<2xf32>) -> tensor<2xf32>\n'
    assert with_dense_weights(text, "m.tflite") == text
