"""A block of a transformer as PyTorch exports it, with random weights; batch and length are free.

    PYTHONPATH=.:tests python -m e2e.support.transformer

writes `tests/e2e/programs/transformer.onnx`. The block is that of today's language models:
RMSNorm, attention with rotary positions and a causal mask, and an MLP gated with SiLU.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from e2e.support.onnx_models import model, node

PATH = Path(__file__).parents[1] / "programs" / "transformer.onnx"
WIDTH, HEADS, HIDDEN = 64, 4, 128
HEAD = WIDTH // HEADS
EPSILON = 1e-5


class _Block:
    def __init__(self) -> None:
        self.nodes = []
        self.constants = {}
        self._rng = np.random.default_rng(47)

    def add(self, operator, inputs, name, **attributes):
        """Add a node, whose result has the name of the node; return the name."""
        self.nodes.append(node(operator, inputs, name, name=f"node_{name}", **attributes))
        return name

    def constant(self, name, value, dtype=np.float32):
        self.constants[name] = np.array(value, dtype)
        return name

    def linear(self, x, name, inner, outer):
        weights = self._rng.standard_normal((inner, outer)) / math.sqrt(inner)
        self.constant(f"{name}.weight", weights)
        return self.add("MatMul", f"{x} {name}.weight", name)

    def norm(self, x, name):
        self.constant(f"{name}.weight", self._rng.uniform(0.5, 1.5, WIDTH))
        square = self.add("Pow", f"{x} two", f"{name}_pow")
        mean = self.add("ReduceMean", f"{square} last_axis", f"{name}_mean", keepdims=1)
        shifted = self.add("Add", f"{mean} epsilon", f"{name}_add")
        root = self.add("Sqrt", shifted, f"{name}_sqrt")
        inverse = self.add("Reciprocal", root, f"{name}_rsqrt")
        scaled = self.add("Mul", f"{x} {inverse}", f"{name}_mul")
        return self.add("Mul", f"{name}.weight {scaled}", name)

    def heads(self, x, name):
        """From batch x length x width to batch x heads x length x head."""
        view = self.add("Reshape", f"{x} by_head", f"{name}_view", allowzero=1)
        return self.add("Transpose", view, f"{name}_heads", perm=[0, 2, 1, 3])

    def rotated(self, x, name):
        first = self.add("Slice", f"{x} zero_1 half last_axis", f"{name}_slice")
        second = self.add("Slice", f"{x} half end last_axis", f"{name}_slice_1")
        negated = self.add("Neg", second, f"{name}_neg")
        turned = self.add("Concat", f"{negated} {first}", f"{name}_cat", axis=-1)
        straight = self.add("Mul", f"{x} cos", f"{name}_mul")
        crossed = self.add("Mul", f"{turned} sin", f"{name}_mul_1")
        return self.add("Add", f"{straight} {crossed}", f"{name}_rope")


def transformer() -> bytes:
    """The bytes of the model."""
    b = _Block()
    b.constant("two", 2.0)
    b.constant("epsilon", EPSILON)
    b.constant("last_axis", [-1], np.int64)
    b.constant("zero", 0, np.int64)
    b.constant("zero_1", [0], np.int64)
    b.constant("one", 1, np.int64)
    b.constant("half", [HEAD // 2], np.int64)
    b.constant("end", [2**63 - 1], np.int64)
    b.constant("heads", [HEADS], np.int64)
    b.constant("head", [HEAD], np.int64)
    b.constant("width", [WIDTH], np.int64)
    b.constant("row", [0], np.int64)
    b.constant("column", [1], np.int64)
    b.constant("scale", HEAD**-0.25)  # PyTorch scales queries and keys
    b.constant("inv_freq", 10000.0 ** -(np.arange(0, HEAD, 2) / HEAD))
    b.constant("masked", -np.inf)
    b.constant("unmasked", 0.0)

    batch = b.add("Shape", "hidden_states", "sym_size_batch", start=0, end=1)
    length = b.add("Shape", "hidden_states", "sym_size_length", start=1, end=2)
    b.add("Concat", f"{batch} {length} heads head", "by_head", axis=0)
    b.add("Concat", f"{batch} {length} width", "by_token", axis=0)

    count = b.add("Squeeze", length, "sym_size_int")
    positions = b.add("Range", f"zero {count} one", "arange")
    floats = b.add("Cast", positions, "to_float", to=1)
    column = b.add("Unsqueeze", f"{floats} column", "unsqueeze")
    angles = b.add("Mul", f"{column} inv_freq", "freqs")
    both = b.add("Concat", f"{angles} {angles}", "emb", axis=-1)
    b.add("Cos", both, "cos")
    b.add("Sin", both, "sin")

    rows = b.add("Unsqueeze", f"{positions} column", "unsqueeze_1")
    columns = b.add("Unsqueeze", f"{positions} row", "unsqueeze_2")
    seen = b.add("LessOrEqual", f"{columns} {rows}", "le")
    mask = b.add("Where", f"{seen} unmasked masked", "causal_mask")

    x = b.norm("hidden_states", "input_norm")
    q, k, v = (b.heads(b.linear(x, f"{n}_proj", WIDTH, WIDTH), n) for n in "qkv")
    q, k = b.rotated(q, "q"), b.rotated(k, "k")
    q = b.add("Mul", f"{q} scale", "q_scaled")
    k = b.add("Transpose", k, "k_transposed", perm=[0, 1, 3, 2])
    k = b.add("Mul", f"{k} scale", "k_scaled")
    scores = b.add("MatMul", f"{q} {k}", "scores")
    scores = b.add("Add", f"{scores} {mask}", "scores_masked")
    weights = b.add("Softmax", scores, "attention_weights", axis=-1)
    heads = b.add("MatMul", f"{weights} {v}", "attention")
    heads = b.add("Transpose", heads, "attention_transposed", perm=[0, 2, 1, 3])
    merged = b.add("Reshape", f"{heads} by_token", "attention_view", allowzero=1)
    out = b.linear(merged, "o_proj", WIDTH, WIDTH)
    x = b.add("Add", f"hidden_states {out}", "residual")

    y = b.norm(x, "post_norm")
    gate = b.linear(y, "gate_proj", WIDTH, HIDDEN)
    up = b.linear(y, "up_proj", WIDTH, HIDDEN)
    sigmoid = b.add("Sigmoid", gate, "sigmoid")
    silu = b.add("Mul", f"{gate} {sigmoid}", "silu")
    product = b.add("Mul", f"{silu} {up}", "gated")
    down = b.linear(product, "down_proj", HIDDEN, WIDTH)
    b.add("Add", f"{x} {down}", "output")

    tensor = ("f4", ["batch", "length", WIDTH])
    return model(b.nodes, {"hidden_states": tensor}, {"output": tensor}, b.constants)


if __name__ == "__main__":
    PATH.write_bytes(transformer())
