"""Configuration of lit for the tests of the compiler's stages: `lit tests/filecheck`."""

import shlex
import sys
from pathlib import Path

import lit.formats

ROOT = Path(__file__).resolve().parents[2]
PYTHON = shlex.quote(sys.executable)


def find_mlir_opt() -> Path | None:
    """Return upstream's mlir-opt from its Python package, or None if it is not installed."""
    for folder in map(Path, sys.path):
        candidate = folder / "mlir" / "bin" / "mlir-opt"
        if candidate.is_file():
            return candidate
    return None


config.name = "hwc"  # noqa: F821 - lit defines `config`
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = str(ROOT / "tests" / "filecheck")  # noqa: F821
config.environment["PYTHONPATH"] = str(ROOT)  # noqa: F821
config.environment["PYTHONWARNINGS"] = "error"  # noqa: F821
config.substitutions += [  # noqa: F821
    ("%hwc-opt", f"{PYTHON} -m hwc.cli.opt"),
    ("%hwc", f"{PYTHON} -m hwc"),
    ("%filecheck", f'{PYTHON} -m filecheck "%s"'),
]
mlir_opt = find_mlir_opt()
if mlir_opt is not None:
    config.available_features.add("mlir-opt")  # noqa: F821
    config.substitutions.append(("%mlir-opt", shlex.quote(str(mlir_opt))))  # noqa: F821
