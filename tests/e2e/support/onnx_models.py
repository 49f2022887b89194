"""ONNX models for tests, and ONNX Runtime as their judge."""

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NUMPY = {
    np.dtype("f4"): TensorProto.FLOAT,
    np.dtype("f2"): TensorProto.FLOAT16,
    np.dtype("f8"): TensorProto.DOUBLE,
    np.dtype("i8"): TensorProto.INT64,
    np.dtype("i4"): TensorProto.INT32,
    np.dtype("i2"): TensorProto.INT16,
    np.dtype("i1"): TensorProto.INT8,
    np.dtype("?"): TensorProto.BOOL,
}


def node(operator, inputs, outputs, **attributes):
    """A node; names are separated by spaces."""
    return helper.make_node(operator, inputs.split(" "), outputs.split(" "), **attributes)


def model(nodes, inputs, outputs, constants=None, version=20):
    """The bytes of a model; inputs and outputs are (dtype, sizes) by name."""
    values = [
        [
            helper.make_tensor_value_info(name, NUMPY[np.dtype(dtype)], sizes)
            for name, (dtype, sizes) in side.items()
        ]
        for side in (inputs, outputs)
    ]
    weights = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "net", *values, weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=9)
    onnx.checker.check_model(made)
    return made.SerializeToString()


def expected(content, feeds):
    """What ONNX Runtime computes."""
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def network():
    """A convolution and a pooling between element-wise parts; three sizes are free."""
    rng = np.random.default_rng(1)
    return model(
        [
            node("Mul", "x x", "square"),
            node("Add", "square x", "sum"),
            node("Gelu", "sum", "gelu"),
            node("Conv", "gelu w", "conv", strides=[2, 2], pads=[1, 1, 1, 1]),
            node("Add", "conv b", "biased"),
            node("HardSwish", "biased", "swish"),
            node("GlobalAveragePool", "swish", "pool"),
            node("Sigmoid", "pool", "gate"),
            node("Mul", "gate swish", "y"),
        ],
        {"x": ("f4", ["batch", 3, "height", "width"])},
        {"y": ("f4", ["batch", 4, "h", "w"])},
        {
            "w": rng.standard_normal((4, 3, 3, 3)).astype(np.float32),
            "b": rng.standard_normal((4, 1, 1)).astype(np.float32),
        },
    )


def data(*shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)
