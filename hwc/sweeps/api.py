"""Sweeps from Python, and what the command line shares with them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hwc.compiler import compile_package
from hwc.errors import UserError
from hwc.frontend.language import Language
from hwc.frontend.source import Source
from hwc.runtime.api import DEFAULT_TARGET, listed, read_program
from hwc.sweeps.extra import need_extra
from hwc.sweeps.grid import Grid, grid
from hwc.sweeps.job import MOST_POINTS, Job, code_digest
from hwc.sweeps.ranges import Names, add, given_values, read_sizes
from hwc.sweeps.variants import Variant, listed_targets, variants
from isa.target import Target

if TYPE_CHECKING:
    import pandas

    from hwc.package import Package


def sweep(
    source: str | bytes | os.PathLike[str],
    shapes: str | Mapping[str, int | str | Iterable[int]],
    *,
    targets: str | Iterable[str | os.PathLike[str] | Target] = (DEFAULT_TARGET,),
    vary: Mapping[str, int | str | Iterable[int]] | None = None,
    entry: str | None = None,
    broadcast: Literal["numpy", "strict"] | None = None,
    ranks: Literal["pad", "equal"] | None = None,
    conform: Literal["1.0"] | None = None,
    assume: Iterable[str] = (),
    libraries: Iterable[str | os.PathLike[str]] = (),
    workers: int | None = None,
    scheduler: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> pandas.DataFrame:
    """Time a program for many shapes on many targets, and return a row for each point.

    Args:
        source: a program, as `hwc.compile` takes it.
        shapes: the values of each size, as in `{"n": range(1, 9), "d": [64, 768]}`, or as a string,
            `"n=1..8, d=64,768"`. A size is named as in `hwc.symbols`, or by an argument and a
            dimension, as in `x.0`; `x.0=y.0` gives two sizes the same values.
        targets: names of targets, paths of target files, or targets; or names and paths as a
            string with commas.
        vary: values for keys of every target, as in `{"lanes": [4, 8, 16]}`.
        entry: as in `hwc.compile`.
        broadcast: as in `hwc.compile`.
        ranks: as in `hwc.compile`.
        conform: as in `hwc.compile`.
        assume: as in `hwc.compile`.
        libraries: as in `hwc.compile`.
        workers: processes on this computer; None is one per processor.
        scheduler: the address of a Dask scheduler to use instead, such as `tcp://host:8786`.
        folder: where rows are kept while the sweep runs, and the table and the page of plots when
            it is finished. An interrupted sweep resumes in its folder. Without a folder, nothing is
            kept.

    docs/sweeps.md describes the columns. A point that cannot run has the reason in `error`.

    Raises:
        UserError: an argument is wrong, the program has an error, or the scheduler is lost.
    """
    need_extra()
    import pandas  # noqa: PLC0415 - an extra

    from hwc.sweeps.folder import Folder  # noqa: PLC0415 - needs the extra
    from hwc.sweeps.run import run  # noqa: PLC0415 - as above

    if workers is not None and workers < 1:
        raise UserError(f"workers: error: got {workers}, expected 1 or more")
    if not isinstance(shapes, str | Mapping):
        raise UserError(
            f"shapes: error: got {type(shapes).__name__}, expected values for each size, such as "
            "'n=1..8, d=64'"
        )
    if isinstance(shapes, str):
        sizes = read_sizes(shapes, "shapes")
    else:
        sizes = {}
        for names, values in shapes.items():
            add(sizes, tuple(names.split("=")), given_values(values, f"shapes: {names}"), "shapes")
    job = prepare(
        Source(*read_program(source)),
        sizes,
        variants(
            listed_targets(targets) if isinstance(targets, str) else list(targets),
            {key: given_values(values, f"vary: {key}") for key, values in (vary or {}).items()},
        ),
        entry=entry,
        language=Language(broadcast, ranks, listed("assume", assume, str), conform),
        libraries=[
            Source(*read_program(library))
            for library in listed("libraries", libraries, (str, os.PathLike))
        ],
    )
    with tempfile.TemporaryDirectory(prefix="hwc-sweep-") as temporary:
        path = Path(temporary) if folder is None else Path(folder)
        with Folder.open(path, job) as kept:
            run(kept, default_workers() if workers is None else workers, scheduler)
            if folder is not None:
                kept.show()
            return pandas.read_parquet(kept.table, dtype_backend="numpy_nullable")


def prepare(
    source: Source,
    sizes: Mapping[Names, tuple[int, ...]],
    found: Sequence[Variant],
    *,
    entry: str | None,
    language: Language,
    libraries: Sequence[Source],
) -> Job:
    """Return a sweep, after checking that the program has the given sizes.

    Raises:
        UserError: the program has an error, no target can run it, the sizes are not its own, or
            there are too many points.
    """
    # Messages and the table do not depend on the folder in which a sweep is started.
    source, *libraries = (Source(Path(s.name).name, s.content) for s in (source, *libraries))
    package = _package(source, found, entry, language, libraries)
    shapes: Grid = grid(package, sizes)
    points = len(found) * len(shapes)
    if points > MOST_POINTS:
        raise UserError(
            f"error: the sweep has {points:,} points, {len(shapes):,} shapes on each of "
            f"{len(found):,} targets; {MOST_POINTS:,} are allowed"
        )
    return Job(source, entry, language, tuple(libraries), tuple(found), shapes, code_digest())


def _package(
    source: Source,
    found: Sequence[Variant],
    entry: str | None,
    language: Language,
    libraries: Sequence[Source],
) -> Package:
    """Return the package of the first target that can run the program.

    Raises:
        UserError: no target can; the error is the first target's.
    """
    errors: list[UserError] = []
    for variant in found:
        try:
            return compile_package(
                source, variant.target(), entry=entry, language=language, libraries=libraries
            ).package
        except UserError as error:
            errors.append(error)
    raise errors[0]


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
