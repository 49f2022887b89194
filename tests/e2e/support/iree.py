"""IREE as an independent judge: it compiles the same TOSA text for the CPU and runs it."""

import atexit
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import iree.compiler
import iree.runtime
import numpy as np
from numpy.typing import NDArray


@cache
def _linker() -> str:
    """Return a path without spaces to IREE's linker: IREE does not quote it for the shell."""
    path = Path(iree.compiler.__file__).parent / "_mlir_libs" / "iree-lld"
    if " " not in str(path):
        return str(path)
    folder = Path(mkdtemp(prefix="hwc-iree-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    (folder / path.name).symlink_to(path)
    return str(folder / path.name)


def compiled(text: str, input_type: str, *arguments: str, cpu: str = "generic") -> bytes:
    """Return a program that IREE has compiled for this kind of processor, or this one ("host")."""
    binary = iree.compiler.compile_str(
        text,
        input_type=input_type,
        target_backends=["llvm-cpu"],
        extra_args=[
            f"--iree-llvmcpu-target-cpu={cpu}",
            f"--iree-llvmcpu-embedded-linker-path={_linker()}",
            *arguments,
        ],
    )
    assert binary is not None  # it would be if a file were asked for
    return binary


class Judge:
    """One program, compiled by IREE; calls of it must fit, IREE does not check that they do."""

    def __init__(self, text: str, input_type: str = "tosa") -> None:
        binary = compiled(text, input_type)
        config = iree.runtime.Config("local-sync")
        module = iree.runtime.VmModule.copy_buffer(config.vm_instance, binary)
        self._module = iree.runtime.load_vm_module(module, config)

    def __call__(self, *arrays: NDArray[Any]) -> Sequence[NDArray[Any]]:
        results = self._module.main(*arrays)
        results = results if isinstance(results, (list, tuple)) else [results]
        return [np.array(r.to_host()) for r in results]
