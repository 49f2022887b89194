"""The methods of ONNX Runtime's `InferenceSession` that applications call."""

import threading

import numpy as np
import onnxruntime
import pytest
from e2e.support.onnx_models import model, node

from hwc.errors import DispatchError, UserError
from hwc.onnx import InferenceSession

X = np.float32([1, 2])


@pytest.fixture(scope="module")
def session():
    return InferenceSession(
        model(
            [node("Add", "x x", "y"), node("Mul", "x x", "z")],
            {"x": ("f4", ["n"])},
            {"y": ("f4", ["n"]), "z": ("f4", ["n"])},
        )
    )


def equal(results, *wanted):
    assert [list(map(float, each)) for each in results] == [list(each) for each in wanted]


def test_no_names_are_all_results(session):
    for names in ([], (), None):
        equal(session.run(names, {"x": X}), [2, 4], [1, 4])
    equal(session.run(["z"], {"x": X}), [1, 4])


def test_options_and_providers(session):
    assert session.set_providers(["CPUExecutionProvider"]) is None
    assert session.get_provider_options() == {"HwcExecutionProvider": {}}
    assert isinstance(session.get_session_options(), onnxruntime.SessionOptions)
    options = onnxruntime.SessionOptions()
    assert InferenceSession(_bytes(), options).get_session_options() is options
    session.disable_fallback()
    session.enable_fallback()
    assert session.get_overridable_initializers() == session.get_tuning_results() == []


def _bytes():
    return model([node("Abs", "x", "y")], {"x": ("f4", ["n"])}, {"y": ("f4", ["n"])})


def test_ort_values(session):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(X)
    equal(session.run(None, {"x": value}), [2, 4], [1, 4])
    results = session.run_with_ort_values(["z"], {"x": value})
    equal([each.numpy() for each in results], [1, 4])


def test_binding(session):
    binding = session.io_binding()
    memory, given = np.zeros(2, np.float32), X.copy()
    binding.bind_input("x", "cpu", 0, np.float32, given.shape, given.ctypes.data)
    binding.bind_output("z")
    binding.bind_output("y", "cpu", 0, np.float32, memory.shape, memory.ctypes.data)
    given[0] = 5  # a call reads the memory
    binding.synchronize_inputs()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    equal(binding.copy_outputs_to_cpu(), [25, 4], [10, 4])
    equal([each.numpy() for each in binding.get_outputs()], [25, 4], [10, 4])
    equal([memory], [10, 4])
    binding.clear_binding_outputs()
    binding.clear_binding_inputs()
    place = onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(2, np.float32))
    binding.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(X))
    binding.bind_ortvalue_output("y", place)
    session.run_with_iobinding(binding)
    equal([place.numpy()], [2, 4])


def test_bindings_that_do_not_fit(session):
    binding = session.io_binding()
    with pytest.raises(DispatchError, match="there is no argument 'q': known are x"):
        binding.bind_cpu_input("q", X)
    with pytest.raises(DispatchError, match="there is no result 'x': known are y, z"):
        binding.bind_output("x")
    with pytest.raises(UserError, match=r"IOBinding\.bind_output: error: .* 'cuda', expected"):
        binding.bind_output("y", "cuda")
    memory = np.zeros(3, np.float32)
    binding.bind_output("y", "cpu", 0, np.float32, (3,), memory.ctypes.data)
    with pytest.raises(DispatchError, match="argument 'x' is missing"):
        session.run_with_iobinding(binding)
    binding.bind_cpu_input("x", X)
    with pytest.raises(DispatchError, match=r"result 'y' has the shape \(2,\) of float32, and the"):
        session.run_with_iobinding(binding)
    assert not memory.any()


def test_a_call_in_another_thread(session):
    told, done = [], threading.Event()

    def callback(results, user_data, error):
        told.append((results, user_data, error))
        done.set()

    session.run_async(["y"], {"x": X}, callback, "mine")
    assert done.wait(60)
    ((results, data, error),) = told
    equal(results, [2, 4])
    assert (data, error) == ("mine", "")
    done.clear()
    session.run_async([], {"x": X.astype(np.int32)}, callback, None)
    assert done.wait(60)
    assert told[1][0] == [] and "int32" in told[1][2]
    with pytest.raises(DispatchError, match="there is no result 'q'"):
        session.run_async(["q"], {"x": X}, callback, None)


def test_every_public_name_of_onnxruntime_works_or_is_named_in_one_error(session):
    names = {name for name in dir(onnxruntime.InferenceSession) if not name.startswith("_")}
    missing = {name for name in names if not hasattr(session, name)}
    assert len(names - missing) >= 16
    for name in missing:
        with pytest.raises(AttributeError, match=f"hwc.onnx.InferenceSession has no '{name}'; to"):
            getattr(session, name)
