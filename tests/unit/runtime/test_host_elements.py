"""Elements that the host works out have the buffer's type; what does not fit is refused."""

import numpy as np
import pytest

from hwc.errors import DispatchError
from hwc.package import Buffer
from hwc.runtime.host_elements import host_elements


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("i32", np.int32), ("i16", np.int16), ("i8", np.int8), ("i1", np.bool_)],
)
def test_values(kind, expected):
    buffer = Buffer("v", "values", kind, (3,), values=(0, "n", 1))
    found = host_elements(buffer, {"n": 1})
    np.testing.assert_array_equal(found, np.array([0, 1, 1], expected), strict=True)


def test_positions():
    buffer = Buffer("p", "positions", "i16", ("n", 2))
    np.testing.assert_array_equal(
        host_elements(buffer, {"n": 3}), np.arange(6, dtype=np.int16), strict=True
    )
    assert host_elements(buffer, {"n": 0}).size == 0


@pytest.mark.parametrize(
    ("buffer", "size", "message"),
    [
        (Buffer("v", "values", "i8", (1,), values=("n",)), 128, "cannot store 128 in buffer 'v'"),
        (Buffer("v", "values", "i8", (1,), values=("n",)), -129, "an i8 is -128 to 127"),
        (Buffer("v", "values", "i1", (1,), values=("n",)), 2, "an i1 is 0 to 1"),
        (Buffer("p", "positions", "i8", ("n",)), 129, "cannot store 128 in buffer 'p'"),
    ],
)
def test_what_does_not_fit_is_refused(buffer, size, message):
    with pytest.raises(DispatchError, match=message):
        host_elements(buffer, {"n": size})
