"""What workers do: compile a program for a target, and time a chunk of points."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hwc import package as hwx
from hwc.compiler import compile_package
from hwc.errors import TargetError, UserError
from hwc.recent import Recent
from hwc.runtime.accounts import Accounts
from hwc.runtime.program import Program
from hwc.runtime.results import Timing
from hwc.runtime.roofline import resource_cycles
from hwc.sweeps.cells import cells
from hwc.sweeps.job import Chunk, Job, code_digest
from hwc.sweeps.table import ACCOUNTS, encode, resource_column, schema, size_column
from hwc.sweeps.variants import Variant

_programs = Recent[Program](4)


class OtherVersionError(UserError):
    """A worker has a different hwc from the one that started the sweep."""


def compiled(job: Job, variant: int) -> bytes | str:
    """Return the package of a target, or the reason why there is none.

    Raises:
        OtherVersionError: this hwc is not the one that started the sweep.
    """
    if code_digest() != job.code:
        raise OtherVersionError("error: a worker has another version of hwc than this computer")
    try:
        done = compile_package(
            job.source,
            job.variants[variant].target(),
            entry=job.entry,
            language=job.language,
            libraries=job.libraries,
        )
    except UserError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a bug must not keep other targets from their rows
        return _bug(error)
    return hwx.to_bytes(done.package)


def timed(job: Job, package: bytes | str, chunk: Chunk) -> bytes:
    """Return the rows of a chunk as the bytes of a Parquet file."""
    variant = job.variants[chunk.variant]
    columns = [size_column(job, name) for name in job.grid.sizes]
    target = {"target": variant.base, **variant.varied, **_cells(variant)}
    program = None if isinstance(package, str) else _program(package)
    rows: list[dict[str, Any]] = []
    for number in range(chunk.first, chunk.end):
        point = job.grid.point(number)
        found = {"error": package} if program is None else _timed(program, job.grid.shapes(point))
        rows.append({**target, **dict(zip(columns, point, strict=True)), **found})
    return encode(rows, schema(job))


def _bug(error: Exception) -> str:
    """Return the text of an error that only a bug of hwc raises; it may hold a whole program."""
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"error: hwc itself failed, please report this: {text[:200]}"


def _cells(variant: Variant) -> dict[str, Any]:
    """Return the columns for a target's cells; none if the target is not valid."""
    try:
        count, origin = cells(variant.target())
    except TargetError:
        return {}
    return {"cells": count, "cells_from": origin}


def _program(package: bytes) -> Program:
    return _programs.get(package, lambda: Program(hwx.from_bytes(package, "package")))


def _timed(program: Program, shapes: list[tuple[int, ...]]) -> dict[str, Any]:
    """Return the columns for a call with these shapes."""
    try:
        return _figures(program, program.time(*shapes))
    except UserError as error:
        return {"error": str(error)}
    except Exception as error:  # noqa: BLE001 - as in `compiled`
        return {"error": _bug(error)}


def _figures(program: Program, timing: Timing) -> dict[str, Any]:
    """Return the columns for the time of a call."""
    resources = resource_cycles(timing.counters, program.target)
    ideal = max(resources.values())
    limits = Counter[str]()
    for kernel in timing.kernels:
        limits[kernel.limit] += kernel.cycles
    most = limits.most_common(1)
    return {
        "plan": timing.plan or None,
        **timing.counters,
        **{resource_column(resource): cycles for resource, cycles in resources.items()},
        "ideal_cycles": ideal,
        "bound": max(resources, key=resources.__getitem__) if ideal else None,
        "roofline": ideal / timing.cycles if timing.cycles else 0.0,
        "limit": most[0][0] if most else None,
        **_accounts(timing.accounts),
    }


def _accounts(accounts: Accounts | None) -> dict[str, int]:
    """Return the columns about a model with parts on the host."""
    if accounts is None:
        return {}
    copies = accounts.copies
    values = (
        *(accounts.machine.operations, accounts.host.operations),
        *(sum(accounts.uncounted.values()), copies.to_machine, copies.bytes_to_machine),
        *(copies.to_host, copies.bytes_to_host),
    )
    return dict(zip(ACCOUNTS, values, strict=True))
