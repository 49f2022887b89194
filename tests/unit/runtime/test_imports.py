"""Running a package on the simulator needs neither the compiler nor what runs the hardware."""

import subprocess
import sys

import pytest

from hwc import package as hwx

SCRIPT = """
import sys
import numpy as np
import hwc
program = hwc.load(sys.argv[1])
program(*[np.ones((2, 3), np.float32)] * 2)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
print(*sorted(name for name in sys.modules if name.startswith("hwc.")))
"""


@pytest.fixture
def modules(tmp_path, binary_package):
    """The packages and the modules of hwc that running a package has imported."""
    hwx.save(binary_package(), tmp_path / "add.hwx")
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "add.hwx")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    packages, own = done.stdout.splitlines()
    return set(packages.split()), set(own.split())


def test_what_a_call_imports(modules):
    packages, own = modules
    assert {"isa", "sim", "numpy"} <= packages
    assert not packages & {"xdsl", "rtl_models", "verilator"}
    rooms = {name.split(".")[1] for name in own}
    assert rooms == {"errors", "files", "package", "plans", "recent", "runtime", "shapes"}
