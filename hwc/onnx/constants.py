"""ONNX nodes that are constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import onnx


def constant_of(onnx: Any, node: onnx.NodeProto) -> onnx.TensorProto | None:
    """Return the tensor of a `Constant` node, whose value is dense; None for any other node."""
    if node.op_type != "Constant" or node.domain:
        return None
    attribute = node.attribute[0]
    value = onnx.helper.get_attribute_value(attribute)
    if attribute.name == "value":
        tensor = onnx.TensorProto()
        tensor.CopyFrom(value)
    elif attribute.name in {"value_float", "value_floats"}:
        tensor = onnx.numpy_helper.from_array(np.array(value, np.float32))
    elif attribute.name in {"value_int", "value_ints"}:
        tensor = onnx.numpy_helper.from_array(np.array(value, np.int64))
    else:  # value_string or value_strings
        strings = [value] if isinstance(value, bytes) else value
        sizes = [] if isinstance(value, bytes) else [len(strings)]
        tensor = onnx.helper.make_tensor("", onnx.TensorProto.STRING, sizes, strings)
    tensor.name = node.output[0]
    return tensor
