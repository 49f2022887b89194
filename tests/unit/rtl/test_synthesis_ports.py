"""The ports of the machine, synthesised: no path from ready reaches what is behind a slice."""

from __future__ import annotations

import pytest

from isa.gen.sv_target import sv_target
from isa.target import load_target
from rtl_models.sources import TARGET_PACKAGE, modules, packages
from rtl_models.synthesis.check import port_faults
from rtl_models.synthesis.netlist import Netlist
from rtl_models.synthesis.paths import ends_of_inputs
from rtl_models.synthesis.run import synthesise


def of_tiny(tmp_path, top: str) -> dict[str, Netlist]:
    """The netlists of a module of ours with its parts, for the tiny target."""
    package = tmp_path / TARGET_PACKAGE
    package.write_text(sv_target(load_target("tiny")))
    files = [*packages(package), *modules().values()]
    return synthesise(top, files, tmp_path / "out", lambda begun, of: None)


def ends_in_slices(top: str, netlists: dict[str, Netlist]) -> bool:
    """Whether all paths from the ready signals of the bus end in slices."""
    ends = ends_of_inputs(top, netlists)
    ready = ("ar_ready_i", "aw_ready_i", "w_ready_i")
    circuits = {circuit for port in ready for circuit, _ in ends[port]}
    return {circuit and netlists[circuit].module for circuit in circuits} == {"ready_slice"}


def test_slices_cut_ready(tmp_path):
    netlists = of_tiny(tmp_path, "axi_port")
    assert ends_in_slices("axi_port", netlists)
    # Valid does pass: a slice takes no time.
    said = "error: no register is between the input read_valid_i and the output ar_valid_o"
    assert any(fault.endswith(said) for fault in port_faults("axi_port", netlists))


@pytest.mark.long
def test_the_ports_of_the_machine(tmp_path):
    netlists = of_tiny(tmp_path, "machine")
    assert ends_in_slices("machine", netlists)
    assert not list(port_faults("machine", netlists))
