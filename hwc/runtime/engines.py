"""Engines compute parts of models on the host. Each engine is an optional extra."""

from __future__ import annotations

import ctypes
import importlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hwc.errors import PackageError, UserError
from hwc.package import HostStep, Weight
from hwc.package.host_types import is_numpys, tensor_type
from hwc.package.onnx_errors import Refusal, refusal
from hwc.package.onnx_types import ONNX_TYPES
from hwc.runtime.host_floats import is_opaque, numbers_dtype, own_elements
from hwc.shapes.steps import show_shape

Array = NDArray[Any]

_QUIET = 4
"""The lowest severity that ONNX Runtime logs to standard error: it raises errors anyway."""


class ReadyPart(Protocol):
    """A part of a model, ready to be computed any number of times, in any thread."""

    def run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        """Return the outputs of the part, in the order of the step.

        Raises:
            UserError: the engine cannot compute them.
        """
        ...


class _OnnxPart:
    """A part of an ONNX model, run by an ONNX Runtime session."""

    def __init__(
        self, step: HostStep, constants: bytes | memoryview, where: str, _: _Modules
    ) -> None:
        runtime = _imported("onnxruntime", where)
        options = runtime.SessionOptions()
        options.log_severity_level = _QUIET
        # The session reads these arrays in place, so they have to stay alive.
        self._weights = [_weight(weight, constants) for weight in step.weights]
        if self._weights:
            names = [weight.name for weight in step.weights]
            values = [runtime.OrtValue.ortvalue_from_numpy(array) for array in self._weights]
            options.add_external_initializers(names, values)
        self._where, self._source = where, step.source
        self._inputs, self._outputs = step.inputs, step.outputs
        self._names = [tensor.name for tensor in step.outputs]
        self._has_own_types = not all(is_numpys(tensor.type) for tensor in step.tensors)
        # Import from the module that defines the class: an application may have replaced
        # `onnxruntime.InferenceSession` with `hwc.onnx.InferenceSession`.
        sessions = _imported("onnxruntime.capi.onnxruntime_inference_collection", where)
        try:
            self._session = sessions.InferenceSession(
                step.model, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's error classes are private
            said = refusal(error)
            raise PackageError(
                f"{said.place_in(where)}: error: onnxruntime cannot run "
                f"{said.operator or step.source}: {said.reason}"
            ) from error

    def run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        """Run the session."""
        try:
            if self._has_own_types:
                return self._run_with_own_types(inputs)
            return self._session.run(self._names, dict(inputs))
        except Exception as error:  # as above
            raise self._refused(refusal(error), inputs) from error

    def _refused(self, said: Refusal, inputs: Mapping[str, Array]) -> UserError:
        """Return the error for a call that the session refuses."""
        who = f"'{said.operator}'" if said.operator else "a part of the model"
        if not said.node:  # a node of a function that ONNX Runtime puts in place of an operator
            who = f"{who}, in a part with {self._source}"
        shapes = [f"%{name} {show_shape(array.shape)}" for name, array in inputs.items()]
        return UserError(
            f"{said.place_in(self._where)}: error: {who}: ONNX Runtime cannot compute it from the "
            f"inputs of its part, {', '.join(shapes) or 'none'}{said.note}"
        )

    def _run_with_own_types(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        """Run the session with tensors of types that NumPy lacks; the session takes their bytes."""
        given = {t.name: _ort_value(t.type, inputs[t.name]) for t in self._inputs}
        made = self._session.run_with_ort_values(self._names, given)
        return [_array_of(t.type, value) for t, value in zip(self._outputs, made, strict=True)]


def _ort_value(type_: str, array: Array) -> Any:
    """Return an array as an ONNX Runtime value, which packs small integers into bytes."""
    runtime = importlib.import_module("onnxruntime")
    if is_numpys(type_):
        return runtime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
    number = ONNX_TYPES[type_].number
    value = runtime.OrtValue.ortvalue_from_shape_and_type([*array.shape], number)
    elements = np.ascontiguousarray(array).reshape(-1).view(_BYTE[array.itemsize])
    bits = tensor_type(type_).bits
    if bits < 8 * array.itemsize:
        together = 8 // bits
        elements = np.pad(elements, (0, -elements.size % together)).reshape(-1, together)
        shifted = (elements & ((1 << bits) - 1)) << (bits * np.arange(together, dtype=np.uint8))
        elements = np.bitwise_or.reduce(shifted, axis=1, dtype=np.uint8)
    ctypes.memmove(value.data_ptr(), elements.ctypes.data, elements.nbytes)
    return value


def _array_of(type_: str, value: Any) -> Array:
    """Return an ONNX Runtime value as an array."""
    if is_numpys(type_):
        return value.numpy()
    known, shape = tensor_type(type_), value.shape()
    together = 8 // known.bits if known.bits < 8 * known.bytes else 1
    count = -(-prod(shape) // together) * known.bytes
    elements = np.frombuffer(ctypes.string_at(value.data_ptr(), count), _BYTE[known.bytes])
    if together > 1:
        places = known.bits * np.arange(together, dtype=np.uint8)
        high = np.left_shift(np.right_shift(elements[:, None], places), 8 - known.bits)
        spread: Array = high.reshape(-1)[: prod(shape)].view(known.dtype)
        return np.right_shift(spread, 8 - known.bits).reshape(shape)  # extends the sign
    return elements.view(known.dtype).reshape(shape)


_Modules: TypeAlias = dict[int, tuple[Any, threading.Lock]]
"""IREE modules of a package that are loaded, by `id` of their bytes, each with its lock."""

_BYTE = {1: np.uint8, 2: np.uint16}
"""NumPy's unsigned type for an element of 1 or 2 bytes whose type NumPy lacks."""


class _IreePart:
    """A part of a TOSA model: a function of an IREE module; a module's calls run one by one."""

    def __init__(
        self, step: HostStep, constants: bytes | memoryview, where: str, modules: _Modules
    ) -> None:
        self._where = where
        self._inputs, self._outputs = step.inputs, step.outputs
        runtime = _imported("iree.runtime", where)
        try:
            if id(step.model) not in modules:
                context = runtime.SystemContext(config=runtime.Config("local-sync"))
                module = runtime.VmModule.copy_buffer(context.instance, step.model)
                context.add_vm_module(module)
                modules[id(step.model)] = context.modules.module, threading.Lock()
            module, self._lock = modules[id(step.model)]
            self._function = module[step.function]
        except Exception as error:  # IREE raises Python's own errors
            raise PackageError(
                f"{where}: error: iree cannot run {step.source}: {_first_line(error)}"
            ) from error

    def run(self, inputs: Mapping[str, Array]) -> Sequence[Array]:
        """Call the module's function."""
        arrays = [_for_iree(tensor.type, inputs[tensor.name]) for tensor in self._inputs]
        with self._lock:
            try:
                made = self._function(*arrays)
            except Exception as error:  # as above
                raise UserError(f"{self._where}: error: iree: {_first_line(error)}") from error
        several = made if isinstance(made, tuple | list) else (made,)
        return [
            own_elements(np.array(each.to_host()), tensor_type(tensor.type))
            for tensor, each in zip(self._outputs, several, strict=True)
        ]


def _for_iree(type_: str, array: Array) -> Array:
    """Return an array in the form that IREE accepts: with the types of ml_dtypes."""
    known, dense = tensor_type(type_), np.ascontiguousarray(array).reshape(array.shape)
    return dense.view(numbers_dtype(known)) if is_opaque(known) else dense


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _imported(name: str, where: str) -> Any:
    """Import an optional package.

    Raises:
        UserError: the package is not installed; the message says what to install.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise UserError(
            f"{where}: error: a part of the program needs {package}: "
            f"pip install 'hwc[{_EXTRAS[package]}]'"
        ) from error


def _weight(weight: Weight, constants: bytes | memoryview) -> Array:
    """Return a weight as an array: a view of the constants, or a copy if they are not aligned."""
    dtype = np.dtype(tensor_type(weight.type).dtype)
    array = np.frombuffer(constants, dtype, prod(weight.shape), weight.offset)
    return np.require(array.reshape(weight.shape), requirements="A")


def open_parts(
    steps: Iterable[HostStep], constants: bytes | memoryview, where: str
) -> list[ReadyPart]:
    """Prepare the parts of a package's steps to run, with their weights from its constants.

    Steps that share a model load it once. Errors name `where`.

    Raises:
        UserError: the engine is not installed.
        PackageError: the engine does not accept a part.
    """
    modules: _Modules = {}
    return [_ENGINES[step.engine](step, constants, where, modules) for step in steps]


_ENGINES = {"iree": _IreePart, "onnxruntime": _OnnxPart}
_EXTRAS = {"iree": "iree", "onnxruntime": "onnx"}
"""The extra of hwc that installs a package."""


def check_output(
    step: HostStep, number: int, array: Array, dtype: str, symbols: Mapping[str, int]
) -> None:
    """Check that an output is as the package declares it; `symbols` are the known sizes.

    Raises:
        PackageError: the type, the rank or a known size differs.
    """
    tensor = step.outputs[number]
    declared = [
        symbols.get(size, found) if isinstance(size, str) else size
        for size, found in zip(tensor.shape, array.shape, strict=False)
    ]
    fits = array.ndim == len(tensor.shape) and declared == [*array.shape]
    if not fits or array.dtype != np.dtype(dtype):
        raise PackageError(
            f"{step.engine} computed %{tensor.name} as an array of {array.dtype} with the shape "
            f"{array.shape}; the package expects {tensor}"
        )
