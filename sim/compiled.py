"""Compiles functions with numba.

numba is optional (`hwc[fast]`). It takes a third of a second to load, and some seconds to compile
a function for the first time on a computer. The result is cached in a folder next to the source, or
in the user's cache folder. So callers load numba only after enough work that it pays off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from types import FunctionType, MappingProxyType
from typing import Any

import numpy as np

Function = Callable[..., Any]

_INNER = MappingProxyType({"nogil": True, "forceinline": True})
"""Options of the functions that a compiled function calls: they are inlined.

Otherwise LLVM leaves the large functions as calls, and computes one element at a time where it
could compute several.
"""

PACKAGE = __name__.partition(".")[0] + "."


def compiled(
    outer: Function,
    names: Mapping[str, Any] | None = None,
    instead: Mapping[Function, Function] | None = None,
) -> Function:
    """Compile a function of this package for the numbers and arrays of its first call.

    The functions of this package that `outer` calls are compiled as well; `instead` maps functions
    to their replacements. A function without arguments that is wrapped in `functools.cache` is
    called now, because its result is a constant. `names` are global names of `outer` with other
    values.

    Raises:
        ImportError: numba is not installed, or is too old for this NumPy.
    """
    import numba  # noqa: PLC0415 - a large library that short work does without

    njit: Any = numba.njit

    replaced = instead or {}
    done: dict[Function, Function] = {}
    digest = sha256(repr(_INNER).encode())

    def bound(function: Function, names: Mapping[str, Any]) -> FunctionType:
        """Return a function whose callees are compiled, and add its code to the digest."""
        assert isinstance(function, FunctionType)
        code = function.__code__
        found = {**function.__globals__, **names}
        digest.update(code.co_code + repr((code.co_names, code.co_consts)).encode())
        for name in code.co_names:
            value = found.get(name)
            if hasattr(value, "cache_clear"):
                found[name] = constant(found[name]())
            elif isinstance(value, FunctionType) and value.__module__.startswith(PACKAGE):
                found[name] = inner(value)
            elif isinstance(value, int | float):
                digest.update(repr(value).encode())
        return FunctionType(code, found, function.__name__)

    def inner(function: Function) -> Function:
        function = replaced.get(function, function)
        if not isinstance(function, FunctionType):  # a type of NumPy, which numba knows
            digest.update(repr(function).encode())
            return function
        if function not in done:
            done[function] = njit(**_INNER)(bound(function, {}))
        return done[function]

    def constant(value: Any) -> Function:
        digest.update(_content(value))
        return njit(**_INNER)(lambda: value)

    own = bound(outer, names or {})
    # numba caches the result under the name, and checks only the file of `outer` for changes.
    own.__module__ = outer.__module__
    own.__qualname__ = f"{outer.__name__}.{digest.hexdigest()[:16]}"
    try:
        return njit(cache=True, nogil=True)(own)
    except RuntimeError:  # numba found no folder that it can write to
        return njit(nogil=True)(own)


def _content(value: Any) -> bytes:
    """Return the bytes of a constant: an array, a tuple, or a value fully described by its repr."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return b"".join(map(_content, value))
    return repr(value).encode()
