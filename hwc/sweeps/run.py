"""Runs a sweep: unfinished chunks go to Dask, and come back as rows."""

from __future__ import annotations

import logging
import pickle
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from hwc.errors import UserError, counted
from hwc.sweeps import work
from hwc.sweeps.cluster import client
from hwc.sweeps.folder import Folder
from hwc.sweeps.job import Chunk, Job
from isa.progress import Task

if TYPE_CHECKING:
    from distributed import Client, Future, as_completed

WINDOW = 256
"""Maximum chunks that the scheduler knows at a time."""

PAUSE = 0.02
"""Seconds between two looks at whether something has happened."""


def run(folder: Folder, workers: int, scheduler: str | None) -> None:
    """Finish a sweep: time the points that are left, and write the table.

    Raises:
        UserError: the scheduler does not answer or is lost, or workers are killed repeatedly.
    """
    left = folder.left()
    if left:
        points = sum(map(len, left))
        local = min(workers, len(left))
        with Task("sweep", points, "points") as task, _quiet(), client(local, scheduler) as dask:
            try:
                _wait_for_workers(dask)
                for chunk, rows in _timed(dask, folder.job, left, task):
                    folder.keep(chunk, rows)
                    task.advance(len(chunk))
            except (CancelledError, OSError) as error:
                raise UserError(
                    "error: the connection to the Dask scheduler is lost; the same command goes on "
                    "from here"
                ) from error
    folder.finish()


def _wait_for_workers(dask: Client) -> None:
    """Wait until the scheduler has a worker, which is shown as a task of its own."""
    with Task("waiting for a Dask worker", None, "workers") as waiting:
        while not dask.nthreads():
            time.sleep(PAUSE)
            waiting.reach(0)


def _wait_for_result(results: as_completed, task: Task) -> None:
    """Wait until a chunk has finished; meanwhile observers see that time passes."""
    while not results.has_ready():
        time.sleep(PAUSE)
        task.reach(task.done)


def _timed(dask: Client, job: Job, left: list[Chunk], task: Task) -> Iterator[tuple[Chunk, bytes]]:
    """Yield every chunk and its rows, in the order in which the chunks finish."""
    from distributed import as_completed  # noqa: PLC0415 - an extra

    # As bytes, so that Dask does not look for tasks among the values of sizes.
    given = dask.submit(pickle.loads, pickle.dumps(job), pure=False)
    packages: dict[int, Future] = {}
    chunks: dict[Future, Chunk] = {}
    waiting = iter(left)

    def submit(chunk: Chunk) -> Future:
        if chunk.variant not in packages:
            # Chunks come in the order of variants, so an earlier package is not needed again.
            packages[chunk.variant] = dask.submit(work.compiled, given, chunk.variant, pure=False)
        package = packages[chunk.variant]
        future = dask.submit(work.timed, given, package, chunk, pure=False)
        chunks[future] = chunk
        return future

    first = [submit(chunk) for chunk in islice(waiting, WINDOW)]
    results = as_completed(first, loop=dask.loop)
    while chunks:
        _wait_for_result(results, task)
        future = next(results)
        chunk = chunks.pop(future)
        yield chunk, _result(future, job, chunk)
        for following in waiting:
            results.add(submit(following))
            break
        oldest = min((c.variant for c in chunks.values()), default=0)
        for variant in [v for v in packages if v < oldest]:
            del packages[variant]


def _result(future: Future, job: Job, chunk: Chunk) -> bytes:
    from distributed import KilledWorker  # noqa: PLC0415 - an extra

    try:
        return future.result()
    except KilledWorker as error:
        raise UserError(
            f"error: {counted(error.allowed_failures + 1, 'worker')} ended while {chunk.first} to "
            f"{chunk.end - 1} of the shapes were timed on {job.variants[chunk.variant].label}; "
            "they may lack memory. The same command goes on from here"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's messages about workers that come and go off standard error."""
    import distributed  # noqa: PLC0415 - an extra, whose import makes its loggers

    del distributed
    # Dask gives some of its loggers levels and handlers of their own.
    names = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    logs = {log: log.level for log in map(logging.getLogger, names)}
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        try:
            yield
        finally:
            for log, level in logs.items():
                log.setLevel(level)
