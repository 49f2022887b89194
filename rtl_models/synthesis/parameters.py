"""The parameters of modules in a design, which Yosys does not keep: slang reads them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from isa.errors import UserError
from rtl_models.synthesis.netlist import Netlist

Parameters = Mapping[str, int]
"""By name: the value of a number, the bits of a type."""

_MOST_BITS = 64
"""The widest number that is read. Wider ones are tables, such as the contents of a ROM."""


class ReadError(UserError):
    """Slang does not take the sources."""


def read_parameters(
    top: str, files: Iterable[Path], circuits: Iterable[Netlist]
) -> dict[str, Parameters]:
    """Return the parameters of circuits by their names.

    Parameters that are neither types nor numbers of at most 64 bits are left out.

    Raises:
        ReadError: slang does not take the sources.
    """
    # Imported here, as the caller asks first whether it is there.
    from pyslang import SVInt  # noqa: PLC0415 - see above
    from pyslang.ast import InstanceSymbol, ParameterSymbol, TypeParameterSymbol  # noqa: PLC0415 - see above
    from pyslang.driver import Driver  # noqa: PLC0415 - see above

    driver = Driver()
    driver.addStandardArgs()
    line = " ".join(["slang", f"--top={top}", "-DSYNTHESIS", *(f'"{file}"' for file in files)])
    if not (driver.parseCommandLine(line) and driver.processOptions() and driver.parseAllSources()):
        raise ReadError("error: slang does not take the sources; see above")
    root = driver.createCompilation().getRoot()
    found: dict[str, Parameters] = {}
    for circuit in circuits:
        numbers: dict[str, int] = {}
        instance = root.lookupName(circuit.path)
        assert isinstance(instance, InstanceSymbol), circuit.path
        for parameter in instance.body.parameters:
            if isinstance(parameter, TypeParameterSymbol):
                numbers[parameter.name] = parameter.targetType.type.bitWidth
            elif isinstance(parameter, ParameterSymbol) and not parameter.isLocalParam:
                value = parameter.value.value
                if isinstance(value, SVInt) and value.bitWidth <= _MOST_BITS:
                    numbers[parameter.name] = int(value)
        found[circuit.name] = numbers
    return found
