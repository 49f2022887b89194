"""What became of a case, in words that are the same for cases that took the same way."""

from __future__ import annotations

import ast
import re
import traceback
from pathlib import Path

from fuzz.kinds import Defect

_VARIABLE = re.compile(
    r"'[^'\n]*'|\"[^\"\n]*\"|%\w+|@\w+|\([-\d, ]*\)|\[[-\d, ]*\]|(?:\w|-)*\d(?:\w|-|\.\d)*"
)
ROOT = Path(__file__).resolve().parents[2]


def refusal(error: Exception, given: str = "") -> str:
    """Return an error's first line without the names and numbers in it, and without what was given.

    Terminals and files have to be able to show every error. A refusal for want of memory is a
    defect: no case may need as much as there is.
    """
    if _wants_memory(error):
        raise Defect(f"refused for want of memory: {error}") from error
    text = str(error)
    text.encode("utf-8", "backslashreplace")
    text = text.replace(given, "_").split("\n")[0] if given else text.split("\n", maxsplit=1)[0]
    text = text.partition("error: ")[2] or text
    return f"refused: {words(text)[:160]}"


def words(text: str) -> str:
    """Return a message without the names and numbers in it."""
    return _VARIABLE.sub("_", text)


def _wants_memory(error: BaseException | None) -> bool:
    """Whether an error follows from a MemoryError.

    Python's parser raises one as well, for brackets that nest too deeply.
    """
    seen: set[int] = set()  # a cause may have what it causes as its context
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, MemoryError):
            frames = traceback.extract_tb(error.__traceback__)
            if Path(frames[-1].filename) != Path(ast.__file__):
                return True
        error = error.__cause__ or error.__context__
    return False


def last_frame(error: BaseException) -> str:
    """Return where an exception was raised, last in our code and last of all, and its class."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        f for f in frames if Path(f.filename).is_relative_to(ROOT) and ".venv" not in f.filename
    ]
    places = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in (*ours[-1:], *frames[-1:])]
    return f"{type(error).__name__} at {' in '.join(dict.fromkeys(places))}"
