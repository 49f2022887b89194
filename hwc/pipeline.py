"""The stages of compilation, in order, and the loop that runs them.

A stage is a name and the passes that lead to it from the previous stage. The module is verified
before the first pass that needs a verified module, and at the end; the tests also verify it between
passes. Passes are imported on first use.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hwc.errors import CompileError
from hwc.files import is_onnx, is_tflite
from hwc.frontend.diagnostics import quoting
from hwc.frontend.language import Language
from hwc.frontend.source import Source

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp
    from xdsl.passes import ModulePass

    from isa.target import Target

_LOG = logging.getLogger("hwc.passes")

VERIFY_EACH = "HWC_VERIFY_EACH"
"""The environment variable that makes every run verify the module between passes."""

PASSES: dict[str, str] = {
    "allocate-registers": "hwc.transforms.allocate_registers:AllocateRegisters",
    "annotate-entry": "hwc.transforms.annotate_entry:AnnotateEntry",
    "convert-elementwise-to-linalg": (
        "hwc.transforms.convert_elementwise_to_linalg:ConvertElementwiseToLinalg"
    ),
    "convert-kernel-to-strip": "hwc.transforms.convert_kernel_to_strip:ConvertKernelToStrip",
    "convert-linalg-to-kernel": "hwc.transforms.convert_linalg_to_kernel:ConvertLinalgToKernel",
    "convert-tosa-to-linalg": "hwc.transforms.convert_tosa_to_linalg:ConvertTosaToLinalg",
    "fold-constants": "hwc.transforms.fold_constants:FoldConstants",
    "fold-conversions": "hwc.transforms.fold_conversions:FoldConversions",
    "fuse-kernels": "hwc.transforms.fuse_kernels:FuseKernels",
    "hoist-reshapes": "hwc.transforms.hoist_reshapes:HoistReshapes",
    "infer-ranks": "hwc.transforms.infer_ranks:InferRanks",
    "linalg-to-portable": "hwc.transforms.linalg_to_portable:LinalgToPortable",
    "narrow-comparisons": "hwc.transforms.narrow_comparisons:NarrowComparisons",
    "normalize-tosa": "hwc.transforms.normalize_tosa:NormalizeTosa",
    "normalize-linalg": "hwc.transforms.normalize_linalg:NormalizeLinalg",
    "renew-rescale": "hwc.transforms.renew_rescale:RenewRescale",
    "resolve-custom": "hwc.transforms.resolve_custom:ResolveCustom",
    "scalarize-shapes": "hwc.transforms.scalarize_shapes:ScalarizeShapes",
    "schedule-strips": "hwc.transforms.schedule_strips:ScheduleStrips",
    "select-entry": "hwc.transforms.select_entry:SelectEntry",
    "simplify-kernels": "hwc.transforms.simplify_kernels:SimplifyKernels",
    "specialize": "hwc.transforms.specialize:Specialize",
    "split-kernels": "hwc.transforms.split_kernels:SplitKernels",
    "verify-kernels": "hwc.transforms.verify_kernels:VerifyKernels",
    "verify-stage": "hwc.transforms.verify_stage:VerifyStage",
    "verify-tosa": "hwc.transforms.verify_tosa:VerifyTosa",
}
"""Every pass by name: `module:class`."""


def load_pass(name: str) -> type[ModulePass]:
    """Return the class of the pass called `name`, importing it."""
    module, _, attribute = PASSES[name].partition(":")
    return getattr(import_module(module), attribute)


@dataclass(frozen=True)
class Stage:
    """One stage: `passes` are names in `PASSES`.

    The options of a pass are its fields. `options` maps the name of a pass to a function that
    returns the values of these fields for the settings of a run.
    """

    name: str
    meaning: str
    passes: tuple[str, ...]
    options: Mapping[str, Callable[[Settings], dict[str, Any]]] = field(default_factory=dict)

    def build(self, settings: Settings) -> tuple[ModulePass, ...]:
        """Return the passes of the stage for one run."""
        return tuple(
            load_pass(name)(**self.options.get(name, lambda _: {})(settings))
            for name in self.passes
        )


@dataclass(frozen=True)
class Settings:
    """The settings of one run of the pipeline.

    `target` may be None if no stage of the run needs one. `entry` names the function to compile;
    None means `main`, or the only function. `dims` are the sizes for stage `specialized`.
    `language` holds attributes for the function.
    """

    target: Target | None = None
    entry: str | None = None
    dims: str = ""
    language: Language = field(default_factory=Language)


def _on_target(settings: Settings) -> dict[str, Any]:
    return {} if settings.target is None else {"target": settings.target}


STAGES: tuple[Stage, ...] = (
    Stage(
        "tosa",
        "the program as it was written, verified",
        (
            *("resolve-custom", "select-entry", "annotate-entry", "scalarize-shapes"),
            "infer-ranks",
            *("renew-rescale", "fold-conversions", "narrow-comparisons", "verify-tosa"),
        ),
        {
            "select-entry": lambda settings: {"entry": settings.entry},
            "annotate-entry": lambda settings: vars(settings.language),
        },
    ),
    Stage(
        "linalg",
        "one linalg.generic per operator, over broadcast views",
        (
            *("normalize-linalg", "convert-elementwise-to-linalg", "convert-tosa-to-linalg"),
            "fold-constants",
        ),
    ),
    Stage(
        "kernel",
        "fused kernels between buffers, and the shape program",
        (
            *("convert-linalg-to-kernel", "simplify-kernels", "split-kernels", "hoist-reshapes"),
            "fuse-kernels",
        ),
        {
            "convert-linalg-to-kernel": _on_target,
            "split-kernels": _on_target,
            "hoist-reshapes": _on_target,
            "fuse-kernels": _on_target,
        },
    ),
    Stage(
        "vector",
        "streams, one strip loop per kernel, scheduled instructions in registers",
        ("convert-kernel-to-strip", "schedule-strips", "allocate-registers"),
        {"schedule-strips": _on_target, "allocate-registers": _on_target},
    ),
)
"""The stages in order."""

PORTABLE = Stage("portable", "stage linalg in upstream dialects alone", ("linalg-to-portable",))
CHECKED_PORTABLE = Stage(
    "checked portable",
    "stage linalg in upstream dialects alone, with a cf.assert for each rule about sizes",
    ("linalg-to-portable",),
    {"linalg-to-portable": lambda _: {"checks": True}},
)
FOR_HOST = Stage(
    "for the host",
    "stage linalg in upstream dialects alone, without branches",
    ("linalg-to-portable",),
    # IREE 3.13 schedules the copies of two branches wrongly: one of two results is the other's.
    {"linalg-to-portable": lambda _: {"branches": False}},
)
SPECIALIZED = Stage(
    "specialized",
    "stage tosa, with sizes of arguments that are given",
    ("specialize",),
    {"specialize": lambda settings: {"dims": settings.dims}},
)
TOSA_1_0 = Stage("tosa 1.0", "stage tosa in the form of TOSA 1.0", ("normalize-tosa",))
"""Stages that `run` adds to the end of a run on request, as its argument `then`."""

_VERIFIED = ("select-entry", "verify-stage")
READ_AS: Mapping[str, Stage] = {
    name: Stage(
        name,
        f"text of stage {name}, verified",
        passes,
        {
            "select-entry": lambda settings: {"entry": settings.entry},
            "verify-stage": lambda settings, name=name: {"stage": name},
            "verify-kernels": _on_target,
            "allocate-registers": _on_target,
        },
    )
    for name, passes in {
        "linalg": (*_VERIFIED, "fold-constants"),
        "kernel": (*_VERIFIED, "verify-kernels"),
        # Keep the order of the text, but do not trust its registers: allocate them again.
        "vector": (*_VERIFIED, "verify-kernels", "allocate-registers"),
    }.items()
}
"""The stages that replace all stages up to the one that a text is already at."""

STAGE_NAMES = tuple(stage.name for stage in STAGES)


@dataclass
class Timing:
    """Seconds of each step, in the order of the steps; a step may come several times."""

    seconds: list[tuple[str, float]] = field(default_factory=list)

    @property
    def total(self) -> float:
        """The seconds of all steps."""
        return sum(seconds for _, seconds in self.seconds)

    def add_rest(self, name: str, since: float) -> None:
        """Add a step for the time since `since`, of `time.perf_counter`, that no step has."""
        self.seconds.append((name, time.perf_counter() - since - self.total))

    def __str__(self) -> str:
        steps: dict[str, float] = {}
        for name, seconds in self.seconds:
            steps[name] = steps.get(name, 0.0) + seconds
        rows = [*steps.items(), ("total", self.total)]
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}} {1000 * seconds:9.1f} ms" for name, seconds in rows)


@dataclass
class Result:
    """The module at the last stage of a run, its context, and the times of the steps."""

    module: ModuleOp
    context: Context
    timing: Timing


AfterPass = Callable[[str, "ModuleOp"], None]


def run(
    source: Source,
    *,
    target: Target | None = None,
    entry: str | None = None,
    until: str | None = None,
    then: Sequence[Stage] = (),
    dims: str = "",
    language: Language | None = None,
    libraries: Sequence[Source] = (),
    after_pass: AfterPass | None = None,
) -> Result:
    """Parse `source` and run the stages up to and including `until` (None: all), and `then`.

    `dims` are the sizes for stage `specialized`, `language` holds attributes for the function, and
    `libraries` hold private functions that define operators.
    `after_pass(name, module)` is called after every pass.

    Raises:
        LocatedError: the program cannot be compiled; the error quotes the text.
        CompileError: there is no stage called `until`.
    """
    from hwc.dialects import (  # noqa: PLC0415  (xDSL is slow to import)
        SOURCE_DIALECTS,
        TEXT_DIALECTS,
        make_context,
    )
    from hwc.frontend.libraries import add_library  # noqa: PLC0415
    from hwc.frontend.parser import parse  # noqa: PLC0415

    if is_onnx(source.content) or is_tflite(source.content):
        raise CompileError(
            f"{source.name}: error: this is a model, whose parts are compiled one by one: "
            "stages are those of a program in MLIR or TOSA"
        )
    timing = Timing()
    with ExitStack() as sources:
        for text in (source, *libraries):
            sources.enter_context(quoting(text))
        start = time.perf_counter()
        module = parse(source, make_context(TEXT_DIALECTS), libraries)
        for library in libraries:
            add_library(module, parse(library, make_context(SOURCE_DIALECTS)))
        timing.seconds.append(("parse", time.perf_counter() - start))
        context = make_context()
        settings = Settings(target, entry, dims, language or Language())
        stages = (*_stages_of(module, source, until, settings, libraries), *then)
        run_stages(module, context, stages, settings, timing, after_pass)
    return Result(module, context, timing)


def read_model(source: Source, entry: str | None = None) -> FuncOp:
    """Return a function of a program that may have operators for an engine on the host.

    Raises:
        LocatedError: the program cannot be read, or has no function of that name.
    """
    from xdsl.dialects.func import FuncOp  # noqa: PLC0415 - as below

    from hwc.dialects import make_model_context  # noqa: PLC0415  (xDSL is slow to import)
    from hwc.frontend.parser import parse  # noqa: PLC0415
    from hwc.transforms.select_entry import SelectEntry  # noqa: PLC0415

    context = make_model_context()
    module = parse(source, context)
    # Do not verify: an operator that hwc does not accept may be meant for the host.
    SelectEntry(entry).apply(context, module)
    return next(op for op in module.walk() if isinstance(op, FuncOp))


def _stages_of(
    module: ModuleOp,
    source: Source,
    until: str | None,
    settings: Settings,
    libraries: Sequence[Source],
) -> tuple[Stage, ...]:
    """Return the stages from the one that a module is already at to `until`."""
    from hwc.transforms.verify_stage import stage_of  # noqa: PLC0415

    at = stage_of(module)
    stages = stages_until(until)
    if at == STAGE_NAMES[0]:
        return stages
    where = f"{source.name}: error: the text is at stage {at}"
    if libraries or settings.language != Language():
        raise CompileError(
            f"{where}: libraries, facts, and rules of broadcasting and ranks belong to the source"
        )
    if settings.dims or at not in [stage.name for stage in stages]:
        raise CompileError(f"{where}, from which no earlier one can be made: give the source")
    return (READ_AS[at], *stages[STAGE_NAMES.index(at) + 1 :])


def stages_until(name: str | None) -> tuple[Stage, ...]:
    """Return the stages up to and including `name` (None: all)."""
    if name is None:
        return STAGES
    if name not in STAGE_NAMES:
        raise CompileError(f"there is no stage '{name}'; stages are {', '.join(STAGE_NAMES)}")
    return STAGES[: STAGE_NAMES.index(name) + 1]


def run_stages(  # noqa: PLR0917 - settings of one run
    module: ModuleOp,
    context: Context,
    stages: tuple[Stage, ...],
    settings: Settings,
    timing: Timing | None = None,
    after_pass: AfterPass | None = None,
) -> None:
    """Run the passes of `stages` on `module` in place, as `run_passes` does."""
    passes = [transform for stage in stages for transform in stage.build(settings)]
    run_passes(module, context, passes, timing, after_pass)


def run_passes(
    module: ModuleOp,
    context: Context,
    passes: Sequence[ModulePass],
    timing: Timing | None = None,
    after_pass: AfterPass | None = None,
    verify_each: bool | None = None,
) -> None:
    """Run `passes` on `module` in place; verify the input and the result.

    A pass whose class has `checks_input = True` accepts an unverified module: the pass makes its
    own checks, with better messages. The module is verified before the first other pass and at the
    end. With `verify_each`, the module is verified before every such pass, which finds the pass
    that has a bug. `verify_each` is on by default if there is an `after_pass` or if
    `VERIFY_EACH` is set in the environment. If a pass has a method `has_work(module)` that returns
    False, the pass and the verification before it are skipped.
    """
    from hwc.dialects.verification import verify  # noqa: PLC0415 - with xDSL, on first use

    if verify_each is None:
        verify_each = after_pass is not None or bool(os.environ.get(VERIFY_EACH))
    verified = False
    for transform in passes:
        start = time.perf_counter()
        if getattr(transform, "has_work", _always)(module):
            if not getattr(transform, "checks_input", False) and (verify_each or not verified):
                verify(module)
                verified = True
            transform.apply(context, module)
        seconds = time.perf_counter() - start
        _LOG.debug("%s: %.1f ms", transform.name, 1000 * seconds)
        if timing is not None:
            timing.seconds.append((transform.name, seconds))
        if after_pass is not None:
            after_pass(transform.name, module)
    verify(module)


def _always(_: ModuleOp) -> bool:
    return True
