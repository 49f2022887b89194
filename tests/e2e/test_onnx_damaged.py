"""Models with random errors in them are refused with a message, or run."""

from random import Random

import numpy as np
import onnx
import pytest
from e2e.support.onnx_models import model, network, node
from onnx import helper

import hwc
from hwc.cli.main import main
from hwc.errors import UserError
from hwc.onnx.operators import RULES
from hwc.package.host_types import tensor_type

OPERATORS = (*RULES, "Conv", "Transpose", "Softmax", "If", "Loop", "Foo", "NonZero", "Split")
ATTRIBUTES = ("axis", "axes", "alpha", "to", "perm", "min", "fmod")
VALUES = (0, 1, 99, 1.5, [0], [1, 7], "x")


def sizes():
    """A model whose constants are sizes, axes and bounds."""
    return model(
        [
            node("Shape", "x", "sizes"),
            node("Exp", "x", "e"),
            node("Reshape", "e sizes", "r"),
            node("Clip", "r low", "c"),
            node("Pow", "c two", "p"),
            node("Cast", "p", "i", to=6),
            node("Unsqueeze", "i axes", "y"),
        ],
        {"x": ("f4", ["n", "m"])},
        {"y": ("i4", ["n", 1, "m"])},
        {"low": np.float32(0), "two": np.int64(2), "axes": np.array([1])},
    )


def edit(rng, made):
    """Change one thing in a model."""
    graph = made.graph
    edited, weight = rng.choice(graph.node), rng.choice(graph.initializer)
    value = rng.choice([*graph.input, *graph.output]).type.tensor_type
    known = [name for n in graph.node for name in (*n.input, *n.output)]
    name = rng.choice([*known, "x", "", "unknown"])

    def resize():
        value.shape.dim[-1].dim_value = rng.choice([0, 1, 2, -1, 1 << 40])

    def add_dimension():
        """Weights of another rank than the convolution's input end the process within onnx 1.21."""
        if weight.name != "w":
            weight.dims.append(rng.choice([0, 1, 2, -1]))

    rng.choice(
        [
            lambda: setattr(edited, "op_type", rng.choice(OPERATORS)),
            lambda: edited.input.append(name),
            lambda: edited.input.__setitem__(0, name),
            lambda: edited.output.__setitem__(0, name),
            edited.input.pop,
            lambda: edited.attribute.append(
                helper.make_attribute(rng.choice(ATTRIBUTES), rng.choice(VALUES))
            ),
            graph.node.pop,
            lambda: setattr(value, "elem_type", rng.randrange(24)),
            resize,
            value.shape.dim.pop,
            lambda: setattr(weight, "data_type", rng.randrange(20)),
            add_dimension,
            lambda: setattr(weight, "raw_data", weight.raw_data[:-1]),
            lambda: setattr(made.opset_import[0], "version", rng.randrange(1, 25)),
        ]
    )()


@pytest.mark.parametrize("content", [network(), sizes()], ids=["network", "sizes"])
def test_random_errors(content):
    accepted = 0
    for seed in range(60):
        rng = Random(seed)
        made = onnx.load_model_from_string(content)
        edit(rng, made)
        try:
            program = hwc.compile(made.SerializeToString())
            shapes = [[4 if isinstance(n, str) else n for n in t.shape] for t in program.inputs]
            if all(np.prod(shape) < 1 << 20 for shape in shapes):
                types = [tensor_type(t.type).dtype for t in program.inputs]
                program(*map(np.ones, shapes, types))
            accepted += 1
        except UserError as error:
            assert "error: " in str(error)
    assert 0 < accepted < 30


def damaged(rng, content):
    """Bytes that are cut off, changed, or moved."""
    data = bytearray(content)
    place, other = rng.randrange(len(data)), rng.randrange(len(data))
    match rng.randrange(4):
        case 0:
            del data[place:]
        case 1:
            data[place] ^= 1 << rng.randrange(8)
        case 2:
            data[place:place] = rng.randbytes(rng.randrange(1, 9))
        case _:
            data[place : place + 16] = data[other : other + 16]
    return bytes(data)


def test_damaged_bytes(tmp_path, capsys):
    """One error, exit code 1, and no file is left."""
    path, package = tmp_path / "m.onnx", tmp_path / "m.hwx"
    refused = 0
    for seed in range(80):
        rng = Random(seed)
        path.write_bytes(damaged(rng, rng.choice([network(), sizes()])))
        code = main(["compile", str(path), "-o", str(package)])
        said = capsys.readouterr().err
        assert code == said.count("error: "), (seed, said)
        assert package.exists() == (not code)
        package.unlink(missing_ok=True)
        assert [each.name for each in tmp_path.iterdir()] == ["m.onnx"]
        refused += code
    assert 20 < refused < 80
