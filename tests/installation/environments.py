"""Copies of the checkout, and environments to install wheels in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isa.target import CONFIGS

ROOT = CONFIGS.parent
PROGRAM = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def succeed(command: Sequence[str], folder: Path, variables: Mapping[str, str] = os.environ) -> str:
    """Run a command that has to succeed, and return its standard output."""
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_checkout(to: Path, *also: str) -> Path:
    """Copy what a wheel is made of, and other folders, without what was made in the checkout."""
    to.mkdir(parents=True)
    made = shutil.ignore_patterns("__pycache__", ".*", "Output")
    for name in ("configs", "hwc", "isa", "rtl_models", "sim", *also):
        shutil.copytree(ROOT / name, to / name, ignore=made)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, to)
    return to


def make_wheel(checkout: Path, source: str, folder: Path) -> None:
    """Make a wheel of a checkout, or of a source distribution that lies in it, in `folder`."""
    variables = {**os.environ, "PIP_CONSTRAINT": "constraints.txt"}
    command = [*PIP, "wheel", "--no-deps", "--wheel-dir", str(folder), source]
    succeed(command, checkout, variables)


def use_packages_of_this_python(environment: Path) -> None:
    """Let an environment import what this one has, after what is installed there.

    Not the checkout: .pth files, as the one of an editable installation, count in their own
    environment only.
    """
    (site,) = environment.glob("lib/python*/site-packages")
    folders = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "others.pth").write_text("\n".join(folders) + "\n")


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and a folder outside of the checkout in which its commands run."""

    folder: Path
    work: Path

    @classmethod
    def make(cls, folder: Path) -> Environment:
        """Make one with the packages of this environment except hwc, and a program to compile."""
        made = cls(folder / "venv", folder / "work")
        venv.create(made.folder, symlinks=True)
        use_packages_of_this_python(made.folder)
        made.work.mkdir()
        (made.work / "add.mlir").write_text(PROGRAM)
        return made

    @property
    def scripts(self) -> Path:
        """The folder of its commands."""
        return self.folder / "bin"

    def install(self, *arguments: str) -> None:
        """Install wheels, and nothing that they need."""
        options = ("--no-deps", "--no-compile", "--only-binary=:all:")
        pip, module, name, *quiet = PIP
        python = ("--python", str(self.scripts / "python"))
        succeed([pip, module, name, *python, *quiet, "install", *options, *arguments], self.work)

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command that is installed here."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            [str(self.scripts / command[0]), *command[1:]],
            cwd=self.work,
            env={**kept, "PYTHONWARNINGS": "error", **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def output(self, *command: str, **variables: str) -> str:
        """Run a command that has to succeed, and return its standard output."""
        done = self.run(*command, **variables)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout
