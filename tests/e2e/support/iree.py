"""IREE as an independent judge: it compiles the same TOSA text for the CPU and runs it."""

from collections.abc import Sequence
from typing import Any

import iree.compiler
import iree.runtime
import numpy as np
from numpy.typing import NDArray


class Judge:
    """One program, compiled by IREE; calls of it must fit, IREE does not check that they do."""

    def __init__(self, text: str, input_type: str = "tosa") -> None:
        binary = iree.compiler.compile_str(
            text,
            input_type=input_type,
            target_backends=["llvm-cpu"],
            extra_args=["--iree-llvmcpu-target-cpu=generic"],
        )
        config = iree.runtime.Config("local-sync")
        module = iree.runtime.VmModule.copy_buffer(config.vm_instance, binary)
        self._module = iree.runtime.load_vm_module(module, config)

    def __call__(self, *arrays: NDArray[Any]) -> Sequence[NDArray[Any]]:
        results = self._module.main(*arrays)
        results = results if isinstance(results, (list, tuple)) else [results]
        return [np.array(r.to_host()) for r in results]
