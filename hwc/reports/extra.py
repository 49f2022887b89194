"""The extra `report`: the library that only pages need."""

from __future__ import annotations

from importlib.util import find_spec

from hwc.errors import UserError


def need_extra() -> None:
    """Check that the extra is installed.

    Raises:
        UserError: the extra is missing.
    """
    if find_spec("plotly") is None:
        raise UserError("a report needs plotly: pip install 'hwc[report]'")
