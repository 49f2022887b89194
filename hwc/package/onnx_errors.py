"""What ONNX Runtime says of a node that it refuses."""

from __future__ import annotations

import re
from typing import NamedTuple


class Refusal(NamedTuple):
    """A refused node: its operator, its name and ONNX Runtime's reason, '' for what is not said."""

    operator: str
    node: str
    reason: str

    def place_in(self, file: str) -> str:
        """Return the place of the node in a file; the file alone if the node has no name."""
        return f"{file}: node {self.node}" if self.node else file

    @property
    def note(self) -> str:
        """A second line of a message, with the reason."""
        return f"\nnote: ONNX Runtime says: {self.reason}" if self.reason else ""


def refusal(error: Exception) -> Refusal:
    """Return what an error of ONNX Runtime says; its classes of errors are private."""
    text = " ".join(str(error).split())
    if missing := _MISSING.search(text):
        return Refusal(missing["operator"], missing["node"], "it lacks these element types")
    for form in _FORMS:
        if found := form.search(text):
            return Refusal(found["operator"], found["node"], _reason(found["reason"]))
    return Refusal("", "", _reason(text) or type(error).__name__)


_MISSING = re.compile(
    r"find an implementation for (?P<operator>[^(]+)\(\d+\) node with name '(?P<node>[^']*)'"
)
_FORMS = (
    re.compile(
        r"running (?P<operator>\S+) node\. Name:'(?P<node>[^']*)' Status Message: ?(?P<reason>.*)"
    ),
    re.compile(r"Node \((?P<node>[^)]*)\) Op \((?P<operator>[^)]*)\) (\[\w+\] )?(?P<reason>.*)"),
)
_STATUS = re.compile(r".*\[ONNXRuntimeError\] : \d+ : \w+ : ")
_CHECK = re.compile(
    r".*/\S+\.(?:cc|h):\d+ (?:.*\) )?(?:\[with [^]]*\] )?(?P<check>.* was false)\. ?(?P<message>.*)"
)
_SOURCE = re.compile(
    r"^.*/\S+\.(?:cc|h):\d+ (?:.*\) )?(?:\[with [^]]*\] )?|^\w+\.(?:cc|h):\d+ \S+ "
)


def _reason(text: str) -> str:
    """Return a reason without the names of ONNX Runtime's files and functions."""
    text = _STATUS.sub("", text, count=1)
    check = _CHECK.match(text)
    text = check["message"] or check["check"] if check else _SOURCE.sub("", text, count=1)
    return text.removeprefix("Exception during initialization: ").strip()
