"""A drop-in replacement for ONNX Runtime's `IOBinding`: arguments and results given beforehand."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hwc.errors import DispatchError, UserError

if TYPE_CHECKING:
    from hwc.runtime.session import InferenceSession


class IOBinding:
    """Holds the arguments and the places of results for `InferenceSession.run_with_iobinding`.

    All memory is the computer's own: a device type other than `cpu` is refused.
    """

    def __init__(self, session: InferenceSession) -> None:
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, NDArray[Any] | None] = {}
        self._known = {
            "argument": [tensor.name for tensor in session.get_inputs()],
            "result": [tensor.name for tensor in session.get_outputs()],
        }
        self._found: list[NDArray[Any]] = []

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Use an array as an argument."""
        self._check("argument", name)
        self._inputs[name] = arr_on_cpu

    def bind_ortvalue_input(self, name: str, ortvalue: Any) -> None:
        """Use an `OrtValue` as an argument."""
        self.bind_cpu_input(name, ortvalue)

    def bind_input(
        self,
        name: str,
        device_type: str,
        device_id: int,
        element_type: Any,
        shape: Sequence[int],
        buffer_ptr: int,
    ) -> None:
        """Use memory as an argument; a call reads what the memory has then."""
        self.bind_cpu_input(name, _at("bind_input", device_type, element_type, shape, buffer_ptr))

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Ask for a result; a call writes it to the memory at `buffer_ptr`, if that is given."""
        self._check("result", name)
        _check_device("bind_output", device_type)
        self._outputs[name] = None
        if buffer_ptr is not None:
            self._outputs[name] = _at(
                "bind_output", device_type, element_type, shape or (), buffer_ptr
            )

    def bind_ortvalue_output(self, name: str, ortvalue: Any) -> None:
        """Write a result to the memory of an `OrtValue`."""
        self._check("result", name)
        shape, type_ = ortvalue.shape(), ortvalue.numpy().dtype
        self._outputs[name] = _at("bind_ortvalue_output", "cpu", type_, shape, ortvalue.data_ptr())

    def synchronize_inputs(self) -> None:
        """Do nothing: memory of the computer is always complete."""

    def synchronize_outputs(self) -> None:
        """Do nothing: memory of the computer is always complete."""

    def get_outputs(self) -> list[Any]:
        """Return the results of the last call as a list of `OrtValue`."""
        return [ort_value(array) for array in self._found]

    def copy_outputs_to_cpu(self) -> list[NDArray[Any]]:
        """Return the results of the last call as arrays."""
        return [array.copy() for array in self._found]

    def clear_binding_inputs(self) -> None:
        """Forget the arguments."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Forget the results and their places."""
        self._outputs.clear()
        self._found.clear()

    def call(self, session: InferenceSession, run_options: object = None) -> None:
        """Run a session with the arguments, and write the results to their places."""
        names = [*self._outputs]
        self._found = session.run(names, self._inputs, run_options) if names else []
        for name, array in zip(names, self._found, strict=True):
            place = self._outputs[name]
            if place is None:
                continue
            if (place.shape, place.dtype) != (array.shape, array.dtype):
                raise DispatchError(
                    f"result '{name}' has the shape {array.shape} of {array.dtype}, and the memory "
                    f"that is bound to it {place.shape} of {place.dtype}"
                )
            place[...] = array

    def _check(self, what: str, name: str) -> None:
        if name not in self._known[what]:
            raise DispatchError(
                f"there is no {what} '{name}': known are {', '.join(self._known[what])}"
            )


def ort_value(array: NDArray[Any]) -> Any:
    """Return an array as an `OrtValue` of ONNX Runtime."""
    return onnxruntime().OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))


def onnxruntime() -> Any:
    """Return ONNX Runtime.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module("onnxruntime")
    except ImportError as error:
        raise UserError(
            "hwc.onnx: error: this needs onnxruntime: pip install 'hwc[onnx]'"
        ) from error


def _check_device(method: str, device_type: str) -> None:
    if device_type.lower() != "cpu":
        raise UserError(
            f"hwc.onnx.IOBinding.{method}: error: the memory is of the device '{device_type}', "
            "expected 'cpu'"
        )


def _at(
    method: str, device_type: str, element_type: Any, shape: Sequence[int], address: int
) -> NDArray[Any]:
    """Return the memory at an address as an array."""
    _check_device(method, device_type)
    dtype = np.dtype(element_type)
    memory = (ctypes.c_byte * (prod(shape) * dtype.itemsize)).from_address(address)
    return np.frombuffer(memoryview(memory), dtype).reshape(tuple(shape))
