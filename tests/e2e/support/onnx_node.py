"""A node of ONNX with its inputs, as a model, and changes that may make it a misfit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper


@dataclass(frozen=True)
class Case:
    """A node and its inputs, None for an omitted one; `constant` are the numbers of constants."""

    operator: str
    inputs: tuple[np.ndarray | None, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constant: frozenset[int] = frozenset()
    version: int = 21
    results: int = 1

    def model(self, *, static: bool = False) -> onnx.ModelProto:
        """Return the model; without `static`, no size of an argument is known."""
        names = ["" if array is None else f"x{n}" for n, array in enumerate(self.inputs)]
        outputs = [f"y{n}" for n in range(self.results)]
        domain, _, operator = self.operator.rpartition(".")
        node = helper.make_node(
            operator, names, outputs, "it", domain=domain, **dict(self.attributes)
        )
        values, weights = [], []
        for number, (name, array) in enumerate(zip(names, self.inputs, strict=True)):
            if array is None:
                continue
            if number in self.constant:
                weights.append(numpy_helper.from_array(array, name))
                continue
            type_ = helper.np_dtype_to_tensor_dtype(array.dtype)
            free = [f"{name}_{d}" for d in range(array.ndim)]
            if array.dtype.kind == "i" and array.ndim == 1 and array.size < 9:  # may be a shape
                free = array.shape
            values.append(
                helper.make_tensor_value_info(name, type_, array.shape if static else free)
            )
        made = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph([node], "g", values, made, weights)
        opsets = [helper.make_opsetid("", self.version), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    @property
    def arguments(self) -> dict[str, np.ndarray]:
        """The arguments of the model."""
        return {
            f"x{n}": array
            for n, array in enumerate(self.inputs)
            if array is not None and n not in self.constant
        }


Rng = np.random.Generator


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).uniform(0.1, 1, shape).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def sizes(rng: Rng, rank: int, low: int = 1, high: int = 6) -> list[int]:
    return [int(n) for n in rng.integers(low, high, rank)]


def pick(rng: Rng, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def mutated(case: Case, rng: Rng) -> Case:
    """Return the case with one change that may make it a misfit."""
    given = [n for n, array in enumerate(case.inputs) if array is not None]
    number = int(pick(rng, *given))
    array = case.inputs[number]
    assert array is not None
    kind = pick(rng, "size", "size", "size", "value", "rank")
    if kind == "value" and array.dtype.kind == "i" and array.size:
        array = array.copy()
        array.reshape(-1)[int(rng.integers(array.size))] = int(pick(rng, -7, -1, 0, 1, 2, 3, 99))
    elif kind == "rank":
        array = array[..., None] if rng.random() < 0.5 or not array.ndim else array[0:1].reshape(-1)
    elif array.ndim:
        shape = list(array.shape)
        shape[int(rng.integers(array.ndim))] = int(rng.integers(0, 7))
        array = np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)
    inputs = list(case.inputs)
    inputs[number] = array
    return replace(case, inputs=tuple(inputs))
