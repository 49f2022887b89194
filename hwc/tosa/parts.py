"""Parts of a TOSA model as functions of one IREE module.

IREE's compiler runs in a process of its own, once for all parts of a model: a crash of that process
is an error like any other.
"""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from tempfile import TemporaryFile
from typing import Any

from hwc.errors import SourceError
from hwc.tosa.graph import TosaNode
from isa.progress import PERIOD, Task

BACKEND = "llvm-cpu"
OPTIONS = (
    "--iree-input-type=tosa",
    f"--iree-hal-target-backends={BACKEND}",
    # The module runs on any processor of the architecture that compiles it.
    "--iree-llvmcpu-target-cpu=generic",
    "--mlir-print-op-on-diagnostic=false",
)

_MAIN = re.compile(r"(func\.func )@main\(")
_PRIVATE = re.compile(r"(func\.func private |callee = )@")
_ERROR = re.compile(r"(?:<stdin>|-):(\d+):\d+: error: (.+)")


@dataclass(frozen=True)
class PartText:
    """The function `main` of a part, and private functions after it.

    `nodes` are the operators of the part, and `lines` has the operator of each line.
    """

    text: str
    nodes: tuple[TosaNode, ...]
    lines: Mapping[int, TosaNode]


class RefusedError(Exception):
    """IREE does not compile a module: its text, and the node that it is about, if IREE says.

    `reason` is empty if the reason is that IREE has no code for an operator with its types.
    """

    def __init__(self, text: str, node: TosaNode | None = None, reason: str = "") -> None:
        super().__init__(text)
        self.node = node
        self.reason = reason


def parts_module(parts: Mapping[str, PartText]) -> bytes:
    """Return the IREE module in which the function of each part has the part's name.

    Equal texts give equal bytes.

    Raises:
        RefusedError: IREE refuses an operator, or its compiler crashes.
        ImportError: the package iree-base-compiler is missing.
    """
    texts: list[str] = []
    nodes: dict[int, TosaNode] = {}
    above = 0
    for name, part in parts.items():
        renamed = _MAIN.sub(rf"\1@{name}(", part.text, count=1)
        texts.append(_PRIVATE.sub(rf"\1@{name}_", renamed))
        nodes |= {above + line: node for line, node in part.lines.items()}
        above += part.text.count("\n")
    made, messages, code = _compiled("".join(texts), len(parts))
    if not code:
        return made
    found = [(int(line), text) for line, text in _ERROR.findall(messages)]
    placed = [(nodes[line], text) for line, text in found if line in nodes]
    if placed:
        node, text = placed[0]
        raise RefusedError(text, node)
    if found:
        raise RefusedError(found[0][1])
    raise RefusedError(messages, reason=_ended(code))


def missing(name: str, operators: str) -> SourceError:
    """Return the error that the compiler for a part of the model `name` is not installed."""
    return SourceError(
        f"{name}: error: a part of the model is for the host ({operators}), and compiling it "
        "needs iree.compiler: pip install 'hwc[iree]'"
    )


def _compiled(text: str, parts: int) -> tuple[bytes, str, int]:
    """Return what IREE's compiler writes, its messages, and its exit code."""
    import_module("iree.compiler")
    tools: Any = import_module("iree.compiler.tools.binaries")
    command = [tools.find_tool("iree-compile"), "-", *OPTIONS]
    pipe, start = subprocess.PIPE, time.monotonic()
    with (
        TemporaryFile() as source,  # a pipe of a compiler that starts slowly would fill up
        Task(f"IREE compiles {parts} part{'s' * (parts > 1)} for the host", None, "s") as task,
    ):
        source.write(text.encode())
        source.seek(0)
        with subprocess.Popen(command, stdin=source, stdout=pipe, stderr=pipe) as process:
            try:
                while True:
                    try:
                        made, messages = process.communicate(timeout=PERIOD)
                        return made, messages.decode(errors="replace"), process.returncode
                    except subprocess.TimeoutExpired:
                        task.reach(int(time.monotonic() - start))
            except BaseException:
                process.kill()
                raise


def _ended(code: int) -> str:
    if code > 0:
        return "its compiler gives no reason"
    return f"its compiler crashed ({signal.strsignal(-code) or f'signal {-code}'})"
