"""A drop-in replacement for ONNX Runtime's `InferenceSession`, for applications that try hwc."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError, UserError
from hwc.package import Tensor
from hwc.package.host_types import tensor_type
from hwc.package.onnx_types import ONNX_TYPES
from hwc.runtime.api import DEFAULT_TARGET, compile, load  # noqa: A004 - hwc's own
from hwc.runtime.io_binding import IOBinding, onnxruntime, ort_value
from hwc.runtime.program import DEFAULT_DEVICE
from hwc.runtime.results import Result


@dataclass(frozen=True)
class NodeArg:
    """An argument or a result: name, type such as `tensor(float)`, sizes or their names."""

    name: str
    type: str
    shape: list[int | str]

    @classmethod
    def of(cls, tensor: Tensor) -> NodeArg:
        """Return the description of a tensor of a package."""
        known = ONNX_TYPES.get(tensor.type)
        name = tensor.type if known is None else known.name
        return cls(tensor.name, f"tensor({name})", [*tensor.shape])


@dataclass(frozen=True)
class ModelMetadata:
    """A model's metadata; a package has none."""

    custom_metadata_map: dict[str, str] = field(default_factory=dict)
    description: str = ""
    domain: str = ""
    graph_name: str = ""
    producer_name: str = ""
    version: int = 0


class InferenceSession:
    """Runs an ONNX model, or the package compiled from it, as ONNX Runtime's class does.

    `path_or_bytes` is a file, or the bytes of a model. Options, providers and any other argument of
    ONNX Runtime are accepted and ignored. `target` and `device` are those of `hwc.compile`.
    `result` is the result of the last call, with its cycles.
    """

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: object = None,
        providers: object = None,
        provider_options: object = None,
        *,
        target: str = DEFAULT_TARGET,
        device: str = DEFAULT_DEVICE,
        **_: object,
    ) -> None:
        """Compile the model, or load the package.

        Raises:
            UserError: the file cannot be read, is damaged, or cannot be compiled.
        """
        source = path_or_bytes if isinstance(path_or_bytes, bytes) else Path(path_or_bytes)
        if isinstance(source, Path) and source.suffix == ".hwx":
            self.program = load(source, device)
            self._metadata = ModelMetadata()
        else:
            self.program = compile(source, target, device=device)
            self._metadata = _metadata(source)
        self.result: Result | None = None
        self._options = sess_options

    def get_inputs(self) -> list[NodeArg]:
        """Return the arguments."""
        return [NodeArg.of(tensor) for tensor in self.program.inputs]

    def get_outputs(self) -> list[NodeArg]:
        """Return the results."""
        return [NodeArg.of(tensor) for tensor in self.program.outputs]

    def get_providers(self) -> list[str]:
        """Return the provider that computes: hwc's machine."""
        return ["HwcExecutionProvider"]

    def set_providers(self, providers: object = None, provider_options: object = None) -> None:
        """Do nothing: hwc's machine computes, whatever the providers are."""

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Return the options of each provider: none."""
        return {name: {} for name in self.get_providers()}

    def get_session_options(self) -> Any:
        """Return the options that the session was made with, which have no effect."""
        return onnxruntime().SessionOptions() if self._options is None else self._options

    def enable_fallback(self) -> None:
        """Do nothing: there is no other provider."""

    def disable_fallback(self) -> None:
        """Do nothing: there is no other provider."""

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Return no constants: the constants of a model are not arguments."""
        return []

    def get_tuning_results(self) -> list[Any]:
        """Return no results: hwc tunes nothing while it runs."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """Return the model's metadata."""
        return self._metadata

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, object],
        run_options: object = None,
    ) -> list[NDArray[Any]]:
        """Return the results called `output_names`, or all in the model's order if there are none.

        Raises:
            DispatchError: a name is missing or unknown, or the arguments do not fit.
        """
        outputs = self._check_names(output_names, input_feed)
        self.result = self.program(*(_as_array(t, input_feed[t.name]) for t in self.program.inputs))
        found = dict(zip(outputs, self.result.outputs, strict=True))
        return [found[name] for name in (output_names or outputs)]

    def _check_names(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, object]
    ) -> list[str]:
        """Return the names of all results."""
        inputs = [tensor.name for tensor in self.program.inputs]
        outputs = [tensor.name for tensor in self.program.outputs]
        for what, known, given in (
            ("argument", inputs, input_feed),
            ("result", outputs, output_names or ()),
        ):
            for name in given:
                if name not in known:
                    raise DispatchError(
                        f"there is no {what} '{name}': known are {', '.join(known)}"
                    )
        for name in inputs:
            if name not in input_feed:
                raise DispatchError(f"argument '{name}' is missing: {', '.join(inputs)} are needed")
        return outputs

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, object],
        run_options: object = None,
    ) -> list[Any]:
        """Return results as `run` does, each as an `OrtValue`."""
        return [ort_value(array) for array in self.run(output_names, input_dict_ort_values)]

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, object],
        callback: Callable[[list[NDArray[Any]], Any, str], object],
        user_data: Any,
        run_options: object = None,
    ) -> None:
        """Run in another thread, which then calls `callback` with the results and an error or ''.

        Raises:
            DispatchError: a name is missing or unknown.
        """
        self._check_names(output_names, input_feed)

        def call() -> None:
            try:
                results, error = self.run(output_names, input_feed), ""
            except UserError as refused:
                results, error = [], str(refused)
            callback(results, user_data, error)

        threading.Thread(target=call, name="hwc.onnx.run_async").start()

    def io_binding(self) -> IOBinding:
        """Return an object that holds the arguments and results of `run_with_iobinding`."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: object = None) -> None:
        """Run with the arguments that are bound, and keep the results that are bound.

        Raises:
            DispatchError: an argument is missing, or a result does not fit its memory.
        """
        iobinding.call(self, run_options)

    def __getattr__(self, name: str) -> Any:
        """Refuse what only ONNX Runtime has; `hasattr` returns False for it."""
        raise AttributeError(
            f"hwc.onnx.InferenceSession has no '{name}'; to use ONNX Runtime itself, import "
            "InferenceSession from onnxruntime"
        )


def _as_array(tensor: Tensor, value: object) -> NDArray[Any]:
    """Return an argument as an array. A list has no type and takes that of the argument."""
    if not isinstance(value, (list, tuple)):
        as_numpy = getattr(value, "numpy", None)  # of an OrtValue
        return np.asarray(value if as_numpy is None else as_numpy())
    try:
        return np.array(value, tensor_type(tensor.type).dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise DispatchError(
            f"argument '{tensor.name}': cannot make an array of {tensor.type} from a list: {error}"
        ) from error


def _metadata(source: bytes | Path) -> ModelMetadata:
    """Return the metadata of a model that has just been compiled."""
    import onnx  # noqa: PLC0415 - an optional package

    content = source if isinstance(source, bytes) else source.read_bytes()
    model = onnx.load_model_from_string(content)
    return ModelMetadata(
        {entry.key: entry.value for entry in model.metadata_props},
        model.doc_string,
        model.domain,
        model.graph.name,
        model.producer_name,
        model.model_version,
    )
