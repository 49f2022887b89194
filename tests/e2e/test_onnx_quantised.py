"""Quantised operators of ONNX and ONNX Runtime on the machine, with the bits of ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import hwc
from hwc.errors import DispatchError

TYPES = {name: getattr(TensorProto, name.upper()) for name in ("uint8", "int8", "uint16", "int16")}
BYTES = ("uint8", "int8")
PARAMETERS = ("sa", "za", "sb", "zb", "sc", "zc")


def model(node, feeds, result, constants=(), version=21):
    """A model of one node, with dynamic sizes; `result` is the type and the rank of its result."""
    inputs = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(array.dtype),
            [f"{name}{number}" for number in range(array.ndim)],
        )
        for name, array in feeds.items()
        if name not in constants
    ]
    type_, rank = result
    output = helper.make_tensor_value_info("y", type_, [f"y{n}" for n in range(rank)])
    weights = [numpy_helper.from_array(feeds[name], name) for name in constants]
    graph = helper.make_graph([node], "net", inputs, [output], weights)
    opsets = [helper.make_opsetid("", version), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.checker.check_model(made)
    return made.SerializeToString()


def on_machine(content, feeds, constants=()):
    """The result on the machine, and the arguments."""
    program = hwc.compile(content)
    assert [step.kind for step in program.package.steps] == ["machine"]
    given = {name: array for name, array in feeds.items() if name not in constants}
    (result,) = program(*given.values()).outputs
    return result, given


def assert_equals_onnxruntime(node, feeds, result, constants=(), version=21):
    content = model(node, feeds, result, constants, version)
    got, given = on_machine(content, feeds, constants)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    (wanted,) = onnxruntime.InferenceSession(content, options).run(None, given)
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


def random_of(rng, dtype, shape=()):
    limits = np.iinfo(dtype)
    return np.array(rng.integers(limits.min, limits.max + 1, shape), dtype)


def every(dtype):
    limits = np.iinfo(dtype)
    return np.arange(limits.min, limits.max + 1).astype(dtype)


@pytest.mark.parametrize("constants", [(), ("s", "z")], ids=["inputs", "constants"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", TYPES)
def test_quantize_and_dequantize(dtype, axis, constants):
    rng = np.random.default_rng(7)
    x = (rng.standard_normal((2, 3, 4)) * 40).astype(np.float32)
    x[0, 0, :3] = np.nan, np.inf, -np.inf
    sizes = () if axis is None else (x.shape[axis],)
    scale = np.array(rng.uniform(0.1, 1, sizes), np.float32)
    attributes = {} if axis is None else {"axis": axis}
    feeds = {"x": x, "s": scale, "z": random_of(rng, dtype, sizes)}
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], **attributes)
    assert_equals_onnxruntime(node, feeds, (TYPES[dtype], 3), constants)
    feeds["x"] = random_of(rng, dtype, x.shape)
    node = helper.make_node("DequantizeLinear", ["x", "s", "z"], ["y"], **attributes)
    assert_equals_onnxruntime(node, feeds, (TensorProto.FLOAT, 3), constants)


@pytest.mark.parametrize("version", [10, 13, 19, 21, 23, 24])
def test_every_version_rounds_halves_to_even_and_saturates(version):
    x = np.array([-300, -1.5, -0.5, 0.5, 1.5, 2.5, 250.5, 300], np.float32)
    feeds = {"x": x, "s": np.float32(1), "z": np.uint8(3)}
    feeds = {name: np.asarray(value) for name, value in feeds.items()}
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"])
    content = model(node, feeds, (TensorProto.UINT8, 1), version=version)
    got, _ = on_machine(content, feeds)
    np.testing.assert_array_equal(got, np.array([0, 1, 3, 3, 5, 5, 253, 255], np.uint8))


def test_without_zero_point_the_result_is_uint8():
    feeds = {"x": np.array([-1, 4, 999], np.float32), "s": np.array(2, np.float32)}
    node = helper.make_node("QuantizeLinear", ["x", "s"], ["y"])
    assert_equals_onnxruntime(node, feeds, (TensorProto.UINT8, 1))


def test_int32_is_dequantised():
    x = np.array([-(2**31), -1, 0, 16777217, 2**31 - 1], np.int32)
    feeds = {"x": x, "s": np.array(0.5, np.float32)}
    node = helper.make_node("DequantizeLinear", ["x", "s"], ["y"])
    assert_equals_onnxruntime(node, feeds, (TensorProto.FLOAT, 1))


@pytest.mark.parametrize("domain", ["", "com.microsoft"])
@pytest.mark.parametrize("operator", ["QuantizeLinear", "DequantizeLinear"])
def test_a_scale_for_each_of_another_number_of_channels_is_refused(operator, domain):
    node = helper.make_node(operator, ["x", "s", "z"], ["y"], axis=0, domain=domain)
    types = (np.float32, np.int8) if operator == "QuantizeLinear" else (np.int8, np.float32)
    feeds = {"x": np.ones((1, 2), types[0]), "s": np.full(3, 0.5, np.float32)}
    feeds["z"] = np.zeros(3, np.int8)
    result = helper.np_dtype_to_tensor_dtype(np.dtype(types[1]))
    program = hwc.compile(model(node, feeds, (result, 2)))
    with pytest.raises(DispatchError, match=f"{operator}' in the size of the scale: size 3 "):
        program(*feeds.values())
    feeds |= {name: feeds[name][:1] for name in ("s", "z")}  # its size is 1 in this call only
    wanted = 2.0 if operator == "QuantizeLinear" else 0.5
    assert program(*feeds.values()).outputs[0].tolist() == [[wanted] * 2]


@pytest.mark.parametrize("constants", [(), PARAMETERS], ids=["inputs", "constants"])
@pytest.mark.parametrize("operator", ["QLinearAdd", "QLinearMul"])
@pytest.mark.parametrize("dtype", BYTES)
def test_of_two_operands(dtype, operator, constants):
    rng = np.random.default_rng(11)
    scales = {name: np.array(rng.uniform(0.01, 0.1), np.float32) for name in ("sa", "sb", "sc")}
    zeros = {name: random_of(rng, dtype) for name in ("za", "zb", "zc")}
    values = every(dtype)
    feeds = {"a": np.repeat(values, 256), "b": np.tile(values, 256), **scales, **zeros}
    names = ["a", "sa", "za", "b", "sb", "zb", "sc", "zc"]
    node = helper.make_node(operator, names, ["y"], domain="com.microsoft")
    assert_equals_onnxruntime(node, feeds, (TYPES[dtype], 1), constants)


@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("operator", ["QLinearSigmoid", "QLinearLeakyRelu"])
@pytest.mark.parametrize("dtype", BYTES)
def test_of_one_operand(dtype, operator, zeros):
    rng = np.random.default_rng(13)
    scales = {"sa": np.array(0.05, np.float32), "sc": np.array(1 / 256, np.float32)}
    own = {name: random_of(rng, dtype) for name in (("za", "zc") if zeros else ())}
    names = ["a", "sa", "za" if zeros else "", "sc", "zc" if zeros else ""]
    attributes = {"alpha": 0.3} if operator == "QLinearLeakyRelu" else {}
    node = helper.make_node(operator, names, ["y"], domain="com.microsoft", **attributes)
    constants = tuple(scales | own)  # ONNX Runtime needs them for its tables
    assert_equals_onnxruntime(
        node, {"a": every(dtype), **scales, **own}, (TYPES[dtype], 1), constants
    )


@pytest.mark.parametrize("dtype", BYTES)
def test_where(dtype):
    rng = np.random.default_rng(17)
    scales = {name: np.array(rng.uniform(0.01, 0.1), np.float32) for name in ("sa", "sb", "sc")}
    zeros = {name: random_of(rng, dtype) for name in ("za", "zb", "zc")}
    feeds = {"c": rng.integers(0, 2, 256).astype(bool), "a": every(dtype), "b": every(dtype)[::-1]}
    feeds = {**{name: array.copy() for name, array in feeds.items()}, **scales, **zeros}
    names = ["c", "a", "sa", "za", "b", "sb", "zb", "sc", "zc"]
    node = helper.make_node("QLinearWhere", names, ["y"], domain="com.microsoft")
    constants = tuple(scales | zeros)
    assert_equals_onnxruntime(node, feeds, (TYPES[dtype], 1), constants)


def test_a_quantised_chain_is_one_region():
    names = ["x", "s", "z"]
    nodes = [
        helper.make_node("QuantizeLinear", names, ["q"]),
        helper.make_node("Reshape", ["q", "shape"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "s", "z"], ["d"]),
        helper.make_node("Relu", ["d"], ["y"]),
    ]
    weights = {"s": np.float32(0.25), "z": np.uint8(128), "shape": np.array([-1])}
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "m"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["k"])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    x = np.array([[-100, -1, 0.3], [0.4, 20, 1000]], np.float32)
    got, _ = on_machine(made.SerializeToString(), {"x": x})
    np.testing.assert_array_equal(got, np.array([0, 0, 0.25, 0.5, 20, 31.75], np.float32))


@pytest.mark.parametrize("constants", [(), ("s", "b", "m", "v")], ids=["inputs", "constants"])
@pytest.mark.parametrize("version", [7, 9, 14, 15])
def test_batch_normalization(version, constants):
    rng = np.random.default_rng(version)
    feeds = {name: rng.uniform(0.2, 2, 5).astype(np.float32) for name in ("s", "b", "m", "v")}
    feeds = {"x": rng.standard_normal((2, 5, 3, 3)).astype(np.float32), **feeds}
    node = helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"])
    got, _ = on_machine(model(node, feeds, (1, 4), constants, version), feeds, constants)
    scale, bias, mean, variance = (
        feeds[name].astype(np.float64).reshape(5, 1, 1) for name in ("s", "b", "m", "v")
    )
    wanted = (feeds["x"] - mean) / np.sqrt(variance + 1e-5) * scale + bias
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)
