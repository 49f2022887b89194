"""Compiles a source to a package, or specializes it for given sizes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO

from hwc import pipeline
from hwc.backend.package import build_package
from hwc.dialects.attributes import conforms
from hwc.dialects.printing import ExactPrinter
from hwc.errors import CompileError
from hwc.files import is_onnx, is_tflite
from hwc.frontend.diagnostics import quoting
from hwc.frontend.language import Language
from hwc.frontend.source import Source
from hwc.frontend.tflite import tosa_of_tflite
from hwc.frontend.unsupported import needs_a_host, refuse_custom
from hwc.garbage import no_collections
from hwc.models.compile import Cut
from hwc.models.report import Report
from hwc.onnx.compile import compile_model as compile_onnx
from hwc.package import Package
from hwc.plans.decide import decide
from hwc.tosa import mediapipe
from hwc.tosa.compile import compile_model as compile_tosa
from hwc.tosa.conformance import check_model
from hwc.transforms.specialize import proven_dims, sizes_as_facts
from isa.target import Target


@dataclass(frozen=True)
class Compiled:
    """A package and the time of each compilation step.

    For a model that may run partly on the host, `report` says what runs where.
    """

    package: Package
    timing: pipeline.Timing
    report: Report | None = None


@no_collections()
def compile_package(
    source: Source,
    target: Target,
    *,
    entry: str | None = None,
    language: Language | None = None,
    libraries: Sequence[Source] = (),
    after_pass: pipeline.AfterPass | None = None,
    cut: Cut | None = None,
) -> Compiled:
    """Compile a source for a target.

    `entry` names the function to compile, if there are several; `language` holds attributes for
    that function. `libraries` hold private functions that define operators. The compiler calls
    `after_pass(name, module)` after every pass. `cut` says how to cut a model into parts for the
    machine and parts for the host. Without `cut`, a TOSA program is cut only if it has operators
    that only a host can compute.

    Raises:
        UserError: the source has an error, or the target cannot run the program.
    """
    timing, start = pipeline.Timing(), time.perf_counter()
    if is_onnx(source.content):
        return _compile_model(source, target, entry, language, libraries, cut, timing)
    digest = source.digest if source.flatbuffer is None else ""
    if is_tflite(source.content):
        source = tosa_of_tflite(source, None if libraries else mediapipe.RULES)
        timing.add_rest("convert-tflite", start)
    if cut is not None or needs_a_host(source, bool(libraries)):
        return _compile_model(source, target, entry, language, libraries, cut, timing)
    result = pipeline.run(
        source,
        target=target,
        entry=entry,
        language=language,
        libraries=libraries,
        after_pass=after_pass,
    )
    start = time.perf_counter()
    with quoting(source):
        package = decide(build_package(result.module, target, source.name, digest))
    # `load` makes the same check. There, a problem means a damaged file; here, a bug in hwc.
    problem = next(package.problems(), None)
    assert problem is None, f"the compiler built an inconsistent package: {problem}"
    result.timing.seconds.append(("build-package", time.perf_counter() - start))
    timing.seconds += result.timing.seconds
    return Compiled(package, timing)


def _compile_model(
    source: Source,
    target: Target,
    entry: str | None,
    language: Language | None,
    libraries: Sequence[Source],
    cut: Cut | None,
    timing: pipeline.Timing,
) -> Compiled:
    """Compile a model. Each of its regions is a program of its own."""
    onnx = is_onnx(source.content)
    said = language or Language()
    if onnx and (entry or said.conform):
        raise CompileError(
            f"{source.name}: error: entries and the rules of TOSA 1.0 are for programs in TOSA; "
            "this is a model in ONNX"
        )
    if libraries or replace(said, conform=None) != Language():
        raise CompileError(
            f"{source.name}: error: libraries, facts, and rules of broadcasting and ranks are for "
            "programs of the machine alone; this is a model, with parts for the host"
        )
    begun = time.perf_counter() - timing.total

    def compile_region(region: Source) -> Package:
        compiled = compile_package(region, target)
        timing.seconds.extend(compiled.timing.seconds)
        return compiled.package

    if isinstance(source.content, bytes) and onnx:
        package, report = compile_onnx(
            source.content, source.name, target.to_dict(), compile_region, cut
        )
    else:
        start = time.perf_counter()
        with quoting(source):
            refuse_custom(source, mediapipe.RULES)
            function = pipeline.read_model(source, entry)
            timing.seconds.append(("parse", time.perf_counter() - start))
            if said.conform or conforms(function):
                check_model(function)
            package, report = compile_tosa(
                function,
                source.name,
                target.to_dict(),
                compile_region,
                portable_text,
                cut,
                timing.seconds,
            )
    problem = next(package.problems(), None)
    assert problem is None, f"the compiler built an inconsistent package: {problem}"
    timing.add_rest("cut-and-package", begun)
    return Compiled(package, timing, report)


def portable_text(source: Source) -> str:
    """Return the function of a program as text in upstream dialects."""
    module = pipeline.run(source, until="linalg", then=(pipeline.FOR_HOST,)).module
    text = StringIO()
    ExactPrinter(text).print_op(next(iter(module.ops)))
    return f"{text.getvalue()}\n"


def specialize(
    source: Source,
    dims: str,
    *,
    entry: str | None = None,
    language: Language | None = None,
    libraries: Sequence[Source] = (),
) -> str:
    """Return the program with the sizes of `dims`, such as `a=4x?,b=1x8`, as MLIR text.

    Every size that follows from `dims` is static as well. The text conforms to TOSA 1.0.
    `language` holds attributes for the function; `libraries` hold private functions that define
    operators.

    Raises:
        UserError: the source has an error, or no call of the program has these sizes.
    """
    run = partial(pipeline.run, source, entry=entry, libraries=libraries)
    given = run(language=language, dims=dims, until="tosa", then=(pipeline.SPECIALIZED,))
    # The given sizes become facts about the program as written; the other sizes follow from them.
    said = language or Language()
    facts = replace(said, assume=(*said.assume, *sizes_as_facts(given.module)))
    with quoting(source):
        dims = proven_dims(run(language=facts, until="linalg").module)
    stages = (pipeline.SPECIALIZED, pipeline.TOSA_1_0)
    result = run(language=language, dims=dims, until="tosa", then=stages)
    text = StringIO()
    ExactPrinter(text).print_op(result.module)
    return f"{text.getvalue()}\n"
