"""What became of a case, in words that are the same for cases that took the same way."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

_VARIABLE = re.compile(
    r"'[^'\n]*'|\"[^\"\n]*\"|%\w+|@\w+|\([-\d, ]*\)|\[[-\d, ]*\]|(?:\w|-)*\d(?:\w|-|\.\d)*"
)
ROOT = Path(__file__).resolve().parents[2]


def refusal(error: Exception, given: str = "") -> str:
    """Return an error's first line without the names and numbers in it, and without what was given.

    Terminals and files have to be able to show every error.
    """
    text = str(error)
    text.encode("utf-8", "backslashreplace")
    text = text.replace(given, "_").split("\n")[0] if given else text.split("\n", maxsplit=1)[0]
    text = text.partition("error: ")[2] or text
    return f"refused: {_VARIABLE.sub('_', text)[:160]}"


def last_frame(error: BaseException) -> str:
    """Return where an exception was raised, last in our code and last of all, and its class."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        f for f in frames if Path(f.filename).is_relative_to(ROOT) and ".venv" not in f.filename
    ]
    places = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in (*ours[-1:], *frames[-1:])]
    return f"{type(error).__name__} at {' in '.join(dict.fromkeys(places))}"
