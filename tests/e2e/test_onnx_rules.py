"""Each rule of an ONNX operator on the host, broken: refused before ONNX Runtime runs.

A row is an operator, its attributes, its inputs, and what the message says. Inputs are sizes of
floats, or integers as arrays. Each row is a model with sizes and one without.
"""

import re

import numpy as np
import pytest
from e2e.support.onnx_models import expected
from e2e.support.onnx_node import Case, floats, ints
from e2e.support.onnx_sizes import MAKERS

import hwc
from hwc.errors import DispatchError, SourceError, UserError
from hwc.runtime import engines


def row(operator, inputs, message, constant=(), version=21, results=1, **attributes):
    arrays = tuple(floats(*each) if isinstance(each, tuple) else each for each in inputs)
    return Case(operator, arrays, attributes, frozenset(constant), version, results), message


def bytes_of(*shape):
    return np.ones(shape, np.uint8)


NONE = bytes_of()
QUANTISED = (bytes_of(1, 2, 4), (), NONE, bytes_of(3, 2, 2))
IMAGE = (1, 2, 5, 5)
STATE = ((3, 2, 4), (1, 20, 4), (1, 20, 5))
KERNEL = {"kernel_shape": [2, 2]}
HALVES = np.array([1, 1, 0.5, -2], np.float32)

ROWS = [
    row("Add", [(3,), (4,)], "in dimension 0 of the result: sizes 3 .* and 4 "),
    row("Where", [np.ones(3, bool), (3,), (4,)], "in dimension 0 of the result: sizes 3 .* and 4 "),
    row("Sum", [(2, 3), (3,), (2, 4)], "in dimension 1 of the result: sizes 3 .* and 4 "),
    row("PRelu", [(1, 3), (5, 3)], "in dimension 0 of input 1: size 5 .*1"),
    row("PRelu", [(3,), (1, 3)], "input 1 has rank 2, expected a rank from 0 to 1"),
    row("Clip", [(3,), (2,)], "in the size of the minimum: sizes 2 .* and 1 "),
    row("QuantizeLinear", [(2, 3), (2,)], "in the size of the scale: size 2 .*3"),
    row("DequantizeLinear", [bytes_of(2, 3), (3,), bytes_of(2)], "dimension 0 .*: sizes 3 .* 2 "),
    row("QuantizeLinear", [(4, 6), (4, 2)], "1 of the scale: sizes 2 .* and 3 ", block_size=2),
    row("MatMul", [(2, 6), (3, 2)], "in the inner dimension: sizes 6 .* and 3 "),
    row("MatMul", [(5, 2, 3), (4, 3, 2)], "in dimension 0 of the result: sizes 5 .* 4 "),
    row("MatMulInteger", [bytes_of(2, 3), bytes_of(4, 2)], "in the inner .*: sizes 3 .* and 4 "),
    row(
        *("MatMulInteger", [bytes_of(2, 3), bytes_of(3, 2), NONE, bytes_of(4)]),
        "in the size of the zero point of B: size 4 .*2",
    ),
    row(
        *("QLinearMatMul", [bytes_of(2, 3), (), NONE, bytes_of(4, 2), (), NONE, (), NONE]),
        "in the inner dimension: sizes 3 .* and 4 ",
    ),
    row("Gemm", [(2, 3), (4, 5)], "in the inner dimension: sizes 3 .* and 4 "),
    row("Gemm", [(2, 3), (3, 4), (5,)], "in dimension -1 of C: .*5"),
    row("Conv", [(1, 4, 8), (2, 3, 3)], "in the input channels: sizes 4 .* and 3 "),
    row("Conv", [(1, 4, 8), (3, 2, 3)], "in the output channels: .*3", group=2),
    row("Conv", [(1, 3, 8), (2, 3, 3), (5,)], "in the output channels: sizes 5 .* and 2 "),
    row("Conv", [(1, 3, 2), (2, 3, 3)], "in the window of dimension 2: .*3.*2"),
    row("Conv", [(1, 3, 8), (2, 3, 3)], "in dimension 0 of the kernel: .*5.* 3", kernel_shape=[5]),
    row("ConvInteger", [bytes_of(1, 2, 4), bytes_of(3, 3, 2)], "the input channels: sizes 2 .* 3 "),
    row("QLinearConv", [*QUANTISED, (2,), bytes_of(3), (), NONE], "scale of the weights: size 2"),
    row("QLinearConv", [*QUANTISED, (), bytes_of(2), (), NONE], "of the weights: size 2 .*3"),
    row("ConvTranspose", [(1, 3, 4), (2, 1, 2)], "in the input channels: sizes 3 .* and 2 "),
    row("ConvTranspose", [(1, 3, 4), (3, 1, 2)], "in the input channels: .*3", group=2),
    row("ConvTranspose", [(1, 3, 4), (3, 2, 2), (3,)], "in the output channels: sizes 3 .* and 2 "),
    row("ConvTranspose", [(1, 1, 2), (1, 1, 1)], "in dimension 2 of the result", pads=[2, 2]),
    row("ConvTranspose", [(1, 1, 0), (1, 1, 1)], "in dimension 2 of the image: size 0"),
    row("ConvTranspose", [(1, 1, 2), (1, 1, 1)], "output_shape in dimension 2", output_shape=[9]),
    row("Einsum", [(2, 3), (4, 5)], "in dimension 0 .*sizes 3 .* and 4 ", equation="ij,jk->ik"),
    row("Einsum", [(0, 3)], "in dimension 0 of input 0: size 0", equation="b...->..."),
    row("Einsum", [(2, 3), (3,)], "'...' is 0 dimensions of input 1", equation="...a,...a->..."),
    row("MaxPool", [(1, 2, 5, 1)], "in the window of dimension 3: got 1 .*at least 2", **KERNEL),
    row(
        "AveragePool", [(1, 2, 1, 5)], "in the window of dimension 2: got 1 .*at least 2", **KERNEL
    ),
    row("LpPool", [(1, 2, 1, 5)], "in the window of dimension 2: got 1 .*at least 2", **KERNEL),
    row("MaxPool", [(1, 2, 0, 5)], "in dimension 2 of the image: size 0", **KERNEL),
    row("MaxUnpool", [IMAGE, np.zeros((1, 2, 5, 4), np.int64)], "dimension 3 .* 5 .* 4 ", **KERNEL),
    row("MaxRoiPool", [IMAGE, (3, 4)], "dimension 1 of the regions: .*4", pooled_shape=[1, 1]),
    row("RoiAlign", [IMAGE, (3, 4), ints(0, 0)], "in the size of batch_indices: sizes 2 .* and 3 "),
    row("RoiAlign", [IMAGE, (2, 4), ints(0, 9)], "index 9 at .1. of %x2|highest index, plus 1"),
    row("Concat", [(2, 3), (2, 4)], "in dimension 1 of the result: sizes 3 .* and 4 ", axis=0),
    row("Reshape", [(2, 3), ints(4)], "cannot reshape 6 elements, .*4"),
    row("Reshape", [(2, 3), ints(4)], "cannot reshape 6 elements, .*4", [1]),
    row("Reshape", [(2, 3), ints(4, -1)], "6 elements .* do not divide into rows of 4", [1]),
    row("Squeeze", [(2, 3), ints(0)], "in dimension 0, which goes: sizes 2 .* and 1 ", [1]),
    row("Expand", [(2, 3), ints(2)], "in dimension 1 of the result: sizes 3 .* and 2 "),
    row("Tile", [(2, 3), ints(2)], "in the number of repeats: .*1.*2", [1]),
    row("Tile", [(2,), ints(-2)], "in a size of its result: got the computed size -2"),
    row("Slice", [(4,), ints(0), ints(2), ints(0), ints(0)], "a step of 0", [3, 4]),
    row("Split", [(6,), ints(2, 3)], "in the sum of its results' sizes: .*6.*5", results=2),
    row("Split", [(5,)], "of 2 results along axis 0: .*5", version=13, results=2),
    row("Pad", [(3,), ints(-2, -2)], "in dimension 0 of the result: got the computed size -1"),
    row(
        "Pad",
        [(2,), ints(2, 0)],
        "in the size to pad, mode reflect: got 2 .*at least 3",
        [1],
        mode="reflect",
    ),
    row("Pad", [(2, 2), ints(1, 1)], "in the number of pads: .*2.*4", [1]),
    row("DepthToSpace", [(1, 6, 2, 2)], "in the channels: .*6", blocksize=2),
    row("SpaceToDepth", [(1, 1, 2, 3)], "in dimension 3: .*3", blocksize=2),
    row("ConstantOfShape", [ints(2, -2)], "in a size of its result: got the computed size -2"),
    row("ReverseSequence", [(4, 3), ints(1, 1)], "in the size of sequence_lens: sizes 2 .* and 3 "),
    row("Gather", [(3,), ints(3)], "index 3 at .0. of %x1|highest index, plus 1"),
    row("Gather", [(3,), ints(-4)], "index -4 at .0. of %x1|lowest index", [1]),
    row("GatherElements", [(3, 2), np.full((3, 3), 1)], "in dimension 1 of the indices: .*3.*2"),
    row("GatherElements", [(3,), np.full(40, 3)], "index 3 at .0. of %x1|plus 1"),
    row("GatherND", [(3, 2), np.array([[2, 2]])], "plus 1", [1]),
    row("GatherND", [(3, 2), np.array([[0, 0, 0]])], "in the last dimension .*3.*2", [1]),
    row("ScatterElements", [(3,), ints(0), (2,)], "in dimension 0 .*: sizes 1 .* and 2 "),
    row("ScatterElements", [(3,), ints(5), (1,)], "index 5 at .0. of %x1|highest index"),
    row("ScatterND", [(3, 2), np.array([[1]]), (1, 3)], "dimension 1 of the updates: .*3.*2", [1]),
    row("ScatterND", [(3, 2), np.array([[-4]]), (1, 2)], "lowest index", [1]),
    row("OneHot", [ints(1), np.array(-1), (2,)], "in its depth: got the computed size -1"),
    row("OneHot", [ints(1), np.array(3), (3,)], "in the number of values: sizes 3 .* and 2 "),
    row("TopK", [(3,), ints(5)], "for k, along dimension 0: .*5.*3", results=2),
    row("TopK", [(3,), ints(-1)], "in k: got the computed size -1", results=2),
    row(
        *("NegativeLogLikelihoodLoss", [(3, 5), ints(1, 2)], "dimension 0 of the labels: .*2.*3"),
        version=13,
    ),
    row(
        *("SoftmaxCrossEntropyLoss", [(3, 5), ints(1, 2, 0), (4,)], "size of the weights: .*4.*5"),
        version=13,
    ),
    row("NonMaxSuppression", [(1, 3, 4), (1, 1, 7)], "in the number of boxes: sizes 3 .* and 7 "),
    row("ReduceSum", [(2, 3), ints(2)], "axis = 2", [1]),
    row("ArgMax", [(0, 3)], "along dimension 0: size 0"),
    row("CumSum", [(2, 3), np.array(2)], "axis = 2", [1]),
    row("BatchNormalization", [(2, 3), (3,), (2,), (3,), (3,)], "the bias: .*2.*3", version=15),
    row("InstanceNormalization", [(2, 3, 4), (2,), (3,)], "in the size of the scale: .*2.*3"),
    row("GroupNormalization", [(2, 4, 4), (4,), (4,)], "in the channels: .*4", num_groups=3),
    row("LayerNormalization", [(2, 3), (2,)], "in dimension 0 of input 1: size 2 .*3", version=17),
    row("RMSNormalization", [(2, 3), (2,)], "in dimension 0 of input 1: size 2 .*3", version=23),
    row("LSTM", [*STATE[:2], (1, 20, 6)], "in the hidden size: .*5.*6", hidden_size=5),
    row("LSTM", [STATE[0], (1, 20, 3), STATE[2]], "in dimension 2 of W: .*3.*4", hidden_size=5),
    row("GRU", [(3, 2, 4), (1, 15, 4), (1, 15, 5), (1, 9)], "of B: .*9.*30", hidden_size=5),
    row(
        "GRU", [(3, 0, 4), (1, 15, 4), (1, 15, 5)], "in the batch of its .*: size 0", hidden_size=5
    ),
    row(
        "RNN",
        [(3, 2, 4), (1, 5, 4), (1, 5, 5), None, None, (1, 3, 5)],
        "1 of initial_h: .*3.*2",
        hidden_size=5,
    ),
    row(
        *("Attention", [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 6, 4)], "lengths of K and V: .*5.*6"),
        version=23,
    ),
    row(
        *("Attention", [(1, 3, 3, 4), (1, 3, 5, 7), (1, 3, 5, 4)], "last dimension of Q .*4.*7"),
        version=23,
    ),
    row("DeformConv", [IMAGE, (1, 2, 2, 2), (1, 8, 3, 4)], "2 of offset: .*3.*4", version=22),
    row("Det", [(2, 3)], "in the rows and columns: sizes 2 .* and 3 "),
    row("HannWindow", [ints(-2)], "in a size of its result: got the computed size -2"),
    row(
        *("RotaryEmbedding", [(1, 2, 3, 4), (5, 2), (5, 2), np.array([[0, 1, 9]])]),
        "index 9 at .0, 2. of %x3",
        version=23,
    ),
    row(
        *("TensorScatter", [(1, 2, 5, 4), (1, 2, 3, 5), ints(0)], "3 of the update: .*5.*4"),
        version=24,
    ),
    row("Resize", [IMAGE, None, HALVES], "the scale -2.0", [2]),
    row("Resize", [IMAGE, None, None, ints(1, 2, 3)], "in the size of the sizes: .*3.*4", [3]),
    row("GridSample", [IMAGE, (2, 3, 3, 2)], "in dimension 0 of the result: .*1.*2", version=20),
    row("AffineGrid", [(1, 2, 3), ints(2, 1, 4, 4)], "in the batches of theta", version=20),
    row("Col2Im", [(1, 4, 5), ints(3, 3), ints(2, 2)], "in the number of blocks: .*5.*4", [1, 2]),
]


def refused(case, static, monkeypatch):
    """The message of the refusal, which comes before ONNX Runtime runs."""
    content = case.model(static=static).SerializeToString()

    def never(*_):
        raise AssertionError("the engine ran")

    monkeypatch.setattr(engines._OnnxPart, "run", never)
    with pytest.raises((SourceError, DispatchError)) as error:
        hwc.compile(content)(*case.arguments.values())
    return str(error.value)


def of(number):
    return f"{number}-{ROWS[number][0].operator}"


@pytest.mark.parametrize("number", range(len(ROWS)), ids=of)
def test_a_misfit_is_refused_before_anything_runs(number, monkeypatch):
    case, message = ROWS[number]
    said = refused(case, False, monkeypatch)
    assert said.startswith(f"-: node it: error: '{case.operator}'"), said
    assert re.search(message, said), said


@pytest.mark.long
@pytest.mark.parametrize("number", range(len(ROWS)), ids=of)
def test_a_misfit_of_static_sizes_is_refused_by_the_compiler(number, monkeypatch):
    case, _ = ROWS[number]
    assert refused(case, True, monkeypatch).startswith("-: node it: error: ")


def test_every_operator_with_random_cases_has_a_row():
    rng = np.random.default_rng(1)
    drawn = {maker(rng).operator for maker in MAKERS.values() for _ in range(20)}
    free = {"Flatten", "Transpose", "Trilu", "EyeLike", "Shape", "Dropout", "Unsqueeze", "Compress"}
    free |= {"ArgMin", "Hardmax", "Softmax", "LogSoftmax", "LRN", "LpNormalization"}
    free |= {"CenterCropPad", "Range"}
    reductions = {name for name in drawn if name.startswith("Reduce")}
    assert drawn - free - reductions <= {case.operator for case, _ in ROWS}


def test_what_only_onnx_runtime_checks_is_one_located_error():
    case = Case("Mod", (ints(*range(99)), ints(*[0] * 99)))
    program = hwc.compile(case.model().SerializeToString())
    with pytest.raises(UserError) as error:
        program(*case.arguments.values())
    assert str(error.value) == (
        "-: node it: error: 'Mod': ONNX Runtime cannot compute it from the inputs of its part, "
        "%x0 (99,), %x1 (99,)\nnote: ONNX Runtime says: Integer modulo by zero"
    )


def test_the_least_integer_divided_by_minus_1_ends_no_process():
    for dtype in (np.int64, np.int32):
        least = np.iinfo(dtype).min
        case = Case("Div", (np.array([least, 7, -7], dtype), np.array([-1, 2, -2], dtype)))
        made = hwc.compile(case.model().SerializeToString())(*case.arguments.values())
        np.testing.assert_array_equal(made.outputs[0], np.array([least, 3, 3], dtype))


def test_what_onnx_runtime_does_not_load_is_one_located_error():
    """Its message names no node: the part has two, and the second lacks its `hidden_size`."""
    model = Case("RNN", (floats(3, 2, 4), floats(1, 5, 4), floats(1, 5, 5))).model()
    before = model.graph.node.add()
    before.op_type, before.name = "LpNormalization", "before"
    before.input.append("x0")
    before.output.append("normal")
    model.graph.node[0].input[0] = "normal"
    model.graph.node.reverse()
    with pytest.raises(SourceError) as error:
        hwc.compile(model.SerializeToString())
    assert str(error.value).startswith("-: node it: error: onnxruntime does not take 'RNN': ")


@pytest.mark.parametrize("operator", ["QuantizeLinear", "DequantizeLinear"])
def test_a_vector_of_one_scale_is_for_all_elements(operator):
    first = floats(2, 3, 4) if operator == "QuantizeLinear" else np.ones((2, 3, 4), np.uint8)
    for size in (3, 1):
        case = Case(operator, (first, floats(size), np.full(size, 2, np.uint8)), {"axis": 1})
        content = case.model().SerializeToString()
        program = hwc.compile(content)
        assert [step.kind for step in program.package.steps] == ["machine"]
        (wanted,) = expected(content, case.arguments)
        np.testing.assert_array_equal(program(*case.arguments.values()).outputs[0], wanted)
