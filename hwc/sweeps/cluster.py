"""The Dask cluster of a sweep: one on this computer, or one that is already running.

`python -m hwc.sweeps.cluster WORKERS` runs a cluster on this computer. It writes the address of its
scheduler to standard output, and ends when its standard input closes, even if its parent process is
killed. It is a separate process so that Ctrl-C reaches only the sweep, and so that a script can
sweep without `if __name__ == "__main__"`, which Python's multiprocessing would need.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hwc
from hwc.errors import UserError

if TYPE_CHECKING:
    from distributed import Client

FAILURES = 10
"""Workers that may be killed during one task before the task is given up."""

TIMEOUT = 15
"""Seconds within which a scheduler has to answer."""

_OPTIONS: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}


@contextmanager
def client(workers: int, scheduler: str | None) -> Iterator[Client]:
    """Yield a client of the scheduler at an address, or of a local cluster with some workers.

    A single worker is a thread of this process.

    Raises:
        UserError: no scheduler answers at the address, or the cluster cannot start.
    """
    from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra

    if scheduler is not None:
        with _connected(scheduler) as found:
            yield found
    elif workers == 1:
        with (
            LocalCluster(n_workers=1, processes=False, protocol="inproc://", **_OPTIONS) as cluster,
            Client(cluster, set_as_default=False) as found,
        ):
            yield found
    else:
        with _process(workers) as address, _connected(address) as found:
            yield found


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    from distributed import Client  # noqa: PLC0415 - an extra

    found = Client.__new__(Client)
    try:
        found.__init__(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        # Otherwise garbage collection would close it, perhaps while Dask holds the lock that
        # closing takes: while the next client starts, for instance, which would then hang.
        found.close()
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"scheduler {address}: error: no Dask scheduler answers there: {reason}"
        ) from error
    with found:
        yield found


@contextmanager
def _process(workers: int) -> Iterator[str]:
    """Start a cluster in a process, and yield the address of its scheduler."""
    paths = [str(Path(hwc.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    with subprocess.Popen(
        [sys.executable, "-m", "hwc.sweeps.cluster", str(workers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        start_new_session=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise UserError("error: the Dask cluster of the sweep did not start")
            yield address
        finally:
            process.stdin.close()


def main(workers: int) -> None:
    """Run a cluster until standard input closes."""
    import dask.config  # noqa: PLC0415 - an extra
    from distributed import LocalCluster  # noqa: PLC0415 - an extra

    dask.config.set({"distributed.scheduler.allowed-failures": FAILURES})
    quiet = logging.CRITICAL
    cluster: Any = LocalCluster(n_workers=workers, host="127.0.0.1", silence_logs=quiet, **_OPTIONS)
    with cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(int(sys.argv[1]))
