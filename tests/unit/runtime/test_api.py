"""`hwc.compile` from Python: what it takes for a program."""

import pytest

import hwc
from hwc.errors import UserError


@pytest.mark.parametrize("source", [5, None, ["m.mlir"]])
def test_what_is_no_program(source):
    with pytest.raises(
        UserError, match=rf"^error: got {type(source).__name__}, expected a program:"
    ):
        hwc.compile(source)
