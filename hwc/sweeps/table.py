"""The table of a sweep: its columns, and the files that hold rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import isa
from hwc.errors import UserError
from hwc.runtime.roofline import RESOURCES
from hwc.sweeps.job import Job

GROUP_ROWS = 1 << 16
"""Rows at which a row group of the table is complete."""


ACCOUNTS = (
    *("machine_operations", "host_operations", "uncounted_nodes"),
    *("copies_to_machine", "bytes_to_machine", "copies_to_host", "bytes_to_host"),
)
"""Columns that only models with parts on the host have: see `hwc.runtime.accounts`."""


def resource_column(resource: str) -> str:
    """Return the column with the minimum cycles that a resource of the roofline needs."""
    return f"ideal_{resource.replace(' ', '_')}"


def size_column(job: Job, name: str) -> str:
    """Return the column of a size: its name, or `size.NAME` if another column has that name."""
    return f"size.{name}" if name in job.varied or name in _others() else name


def _others() -> dict[str, Any]:
    """Return the columns that every table has besides keys and sizes."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    whole, text = pa.int64(), pa.string()
    return {
        "target": text,
        "cells": whole,
        "cells_from": text,
        "plan": text,
        **dict.fromkeys(isa.load().counters, whole),
        **dict.fromkeys(map(resource_column, RESOURCES), whole),
        "ideal_cycles": whole,
        "bound": text,
        "roofline": pa.float64(),
        "limit": text,
        **dict.fromkeys(ACCOUNTS, whole),
        "error": text,
    }


def schema(job: Job) -> Any:
    """Return the columns of the table in order, with their types."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    others = _others()
    whole = pa.int64()
    first = {"target": others.pop("target"), **dict.fromkeys(job.varied, whole)}
    cells = {name: others.pop(name) for name in ("cells", "cells_from")}
    sizes = {size_column(job, name): whole for name in job.grid.sizes}
    return pa.schema(list({**first, **cells, **sizes, **others}.items()))


def encode(rows: list[dict[str, Any]], columns: Any) -> bytes:
    """Return rows as the bytes of a Parquet file; columns that a row lacks are null."""
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=columns), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def join(files: Iterable[Path], columns: Any, target: Any) -> None:
    """Write the rows of all files, in order, to one file."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    with pq.ParquetWriter(target, columns, compression="zstd") as writer:
        for group in _groups(files):
            writer.write_table(group, row_group_size=group.num_rows)


def rows_of(file: Path) -> int | None:
    """Return the number of rows of a file; None if it cannot be read."""
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    try:
        return pq.read_metadata(file).num_rows
    except (OSError, pa.ArrowException):
        return None


def _groups(files: Iterable[Path]) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra

    waiting: list[Any] = []
    for path in files:
        try:
            waiting.append(pq.read_table(path))
        except pa.ArrowException as error:
            raise UserError(
                f"{path}: error: damaged; remove it, and give the same command again"
            ) from error
        if sum(table.num_rows for table in waiting) >= GROUP_ROWS:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)
