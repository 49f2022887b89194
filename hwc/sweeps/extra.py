"""The extra `sweep`: libraries that only sweeps need."""

from __future__ import annotations

from importlib.util import find_spec

from hwc.errors import UserError

_NEEDED = ("dask", "distributed", "pandas", "plotly", "pyarrow")


def need_extra() -> None:
    """Check that the extra is installed.

    Raises:
        UserError: a library is missing.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(f"error: a sweep needs {', '.join(missing)}: pip install 'hwc[sweep]'")
