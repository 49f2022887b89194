"""The kinds of steps in a shape program, one class and one file each; no IR here.

A step has one text form for IR, packages and people. `KINDS` lists the kinds. Only the pass that
creates the steps of a kind has to know the kind as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from hwc.shapes.steps.among import Among
from hwc.shapes.steps.arithmetic import ARITHMETIC, Arithmetic
from hwc.shapes.steps.at_most import AtMost
from hwc.shapes.steps.broadcast import Broadcast
from hwc.shapes.steps.congruent import Congruent
from hwc.shapes.steps.differs import Differs
from hwc.shapes.steps.dim import Dim
from hwc.shapes.steps.element import Element
from hwc.shapes.steps.equal import Equal
from hwc.shapes.steps.evaluation import Elements, Evaluation, SizesRefused, argument, show_shape
from hwc.shapes.steps.learned import Learned
from hwc.shapes.steps.reshape import Reshape
from hwc.shapes.steps.size import IsSize, size_problem
from hwc.shapes.steps.step import Origin, Step
from hwc.shapes.steps.strict import Strict
from hwc.shapes.steps.text import (
    Result,
    StepSyntaxError,
    TextTokens,
    Tokens,
    need_punctuation,
    read_size,
    read_sizes,
)
from hwc.shapes.steps.within import Within

__all__ = [
    "ARITHMETIC",
    "KINDS",
    "Among",
    "Arithmetic",
    "AtMost",
    "Broadcast",
    "Congruent",
    "Differs",
    "Dim",
    "Element",
    "Elements",
    "Equal",
    "Evaluation",
    "IsSize",
    "Learned",
    "Origin",
    "Reshape",
    "SizesRefused",
    "Step",
    "StepSyntaxError",
    "Strict",
    "TextTokens",
    "Tokens",
    "Within",
    "argument",
    "parse_step",
    "read_step",
    "show_shape",
    "size_problem",
]

_CLASSES: tuple[type[Step], ...] = (
    *(Dim, Learned, Broadcast, Equal, Reshape),
    *(Strict, Among, Within, Congruent, Differs),
    *(IsSize, Element, AtMost, *ARITHMETIC.values()),
)

KINDS: Mapping[str, type[Step]] = {step.kind: step for step in _CLASSES}
"""Every kind of step, by its word in the text."""


def read_step(tokens: Tokens) -> Step:
    """Take a step, without its origin.

    Raises:
        StepSyntaxError: the next words are not a step.
    """
    result: Result = None
    if tokens.punctuation("["):
        result = read_sizes(tokens, "]")
        need_punctuation(tokens, "=")
        kind = tokens.name()
    else:
        kind = read_size(tokens)
        if tokens.punctuation("="):
            result, kind = kind, tokens.name()
    if not isinstance(kind, str) or kind not in KINDS:
        raise StepSyntaxError(f"{kind!r} is not a kind of step: {', '.join(KINDS)}")
    need_punctuation(tokens, "(")
    return KINDS[kind].read(result, tokens)


def parse_step(text: str) -> Step:
    """Parse `text` as a step, without its origin.

    Raises:
        StepSyntaxError: the text is not a step.
    """
    tokens = TextTokens(text)
    step = read_step(tokens)
    if not tokens.at_end:
        raise StepSyntaxError("the text goes on after the step")
    return step
