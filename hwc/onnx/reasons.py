"""Why the machine does not compute an ONNX operator: the kind of each operator without a rule."""

from __future__ import annotations

from collections.abc import Mapping

_CONTRACTS = "it sums products (a contraction)"
_REDUCES = "it reduces a dimension"
_WINDOWS = "it reads a window for each element"
_MOVES = "it moves elements"
_INDEXES = "it moves elements to places that data decides"
_REPEATS = "it repeats a step along a sequence"
_CONTROLS = "it has a subgraph"
_SIZES = "it computes sizes, not elements"
_SEARCHES = "it sorts or searches elements"
_SPECTRAL = "it is a transform along a dimension"
_RANDOM = "it draws random numbers"
_CREATES = "it makes elements without an operand"
_SEQUENCES = "it works on sequences or optional values"
_STRINGS = "it works on text"

_FAMILIES: Mapping[str, str] = {
    _CONTRACTS: "MatMul MatMulInteger QLinearMatMul Gemm Conv ConvInteger ConvTranspose DeformConv "
    "QLinearConv Einsum Attention Det com.microsoft.FusedConv com.microsoft.FusedMatMul "
    "com.microsoft.QGemm com.microsoft.MatMulNBits",
    _REDUCES: "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
    "ReduceProd ReduceSum ReduceSumSquare ArgMax ArgMin CumSum CumProd Softmax LogSoftmax Hardmax "
    "LayerNormalization InstanceNormalization GroupNormalization RMSNormalization "
    "LpNormalization MeanVarianceNormalization DynamicQuantizeLinear GlobalAveragePool "
    "GlobalLpPool GlobalMaxPool NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss "
    "com.microsoft.QLinearGlobalAveragePool com.microsoft.QLinearSoftmax "
    "com.microsoft.QLinearReduceMean com.microsoft.SkipLayerNormalization",
    _WINDOWS: "AveragePool LpPool MaxPool MaxRoiPool RoiAlign LRN com.microsoft.QLinearAveragePool",
    _MOVES: "Transpose Concat Split Slice Pad Tile Expand Resize Upsample DepthToSpace "
    "SpaceToDepth Trilu ReverseSequence CenterCropPad Col2Im com.microsoft.QLinearConcat",
    _INDEXES: "Gather GatherElements GatherND Scatter ScatterElements ScatterND Compress "
    "GridSample OneHot MaxUnpool TensorScatter AffineGrid",
    _REPEATS: "RNN GRU LSTM",
    _CONTROLS: "If Loop Scan",
    _SIZES: "Shape Size",
    _SEARCHES: "TopK NonZero NonMaxSuppression Unique",
    _SPECTRAL: "DFT STFT MelWeightMatrix",
    _RANDOM: "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Bernoulli Multinomial",
    _CREATES: "Constant ConstantOfShape Range EyeLike BlackmanWindow HannWindow HammingWindow",
    _SEQUENCES: "SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert "
    "SequenceLength SequenceMap ConcatFromSequence SplitToSequence Optional OptionalGetElement "
    "OptionalHasElement",
    _STRINGS: "StringConcat StringNormalizer StringSplit RegexFullMatch TfIdfVectorizer",
}

_REASONS = {name: reason for reason, names in _FAMILIES.items() for name in names.split()}


def reason(operator: str) -> str:
    """Return why the machine does not compute an operator without a rule."""
    if operator in _REASONS:
        return _REASONS[operator]
    if "." in operator:
        return "hwc has no rule for it: it is not an operator of ONNX itself"
    return "hwc has no rule for it"
