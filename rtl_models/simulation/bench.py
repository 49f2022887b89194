"""The process of a bench, and the memory that it shares with the host."""

from __future__ import annotations

import contextlib
import mmap
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rtl_models.simulation.build import CACHE_VARIABLE, BuildError
from rtl_models.simulation.errors import UnavailableError


@dataclass
class Bench:
    """A process of the bench, and whether it still owes an answer."""

    process: subprocess.Popen[str]
    busy: bool = False


@contextlib.contextmanager
def shared_memory(nbytes: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Make pages for two processes: gives the file that a child maps, by its number, and the bytes.

    Raises:
        UnavailableError: there is not so much memory.
    """
    descriptor = -1
    try:
        descriptor = os.memfd_create("hwc-memory")
        os.ftruncate(descriptor, nbytes)
        yield descriptor, np.frombuffer(mmap.mmap(descriptor, nbytes), np.uint8)
    except OSError as error:
        raise UnavailableError(
            f"error: no {nbytes} bytes of memory for the simulated hardware: {error.strerror}"
        ) from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def start_bench(command: list[str], descriptor: int) -> subprocess.Popen[str]:
    """Start a bench that may use an open file, out of reach of a terminal's Ctrl-C: we decide.

    Raises:
        BuildError: the executable cannot be started.
    """
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="surrogateescape",  # as in paths
            pass_fds=(descriptor,),
            start_new_session=True,
        )
    except OSError as error:
        raise BuildError(
            f"{command[0]}: error: cannot start the built hardware: {error.strerror}; set "
            f"{CACHE_VARIABLE} to a folder from which programs may run"
        ) from error


def stop_bench(bench: Bench) -> None:
    """End a bench, which quits where its input ends.

    A bench that still owes an answer is in the middle of a run, which nobody waits for any more.
    """
    process = bench.process
    if bench.busy:
        process.kill()
    if process.stdin is not None and not process.stdin.closed:
        with contextlib.suppress(BrokenPipeError):  # the process has ended already
            process.stdin.close()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
