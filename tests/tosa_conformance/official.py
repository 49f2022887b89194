"""The official tests of TOSA 1.0: tosa-tools generates them, one folder for each operator.

A test is a folder with a program (a flatbuffer of one operator and its constants), arrays for its
inputs, and `desc.json`, which says what the results have to be. A negative test breaks an ERROR_IF
rule of the specification, and its program has to be refused.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from unit.frontend.flatbuffers import write

from hwc.frontend import tosa_schema as schema
from hwc.frontend.flatbuffer import parse

VERSION, DRAFT = "1.0.2", "1.1.0-draft"
"""The version of the specification that the tests belong to, and the next one's draft."""
GENERATOR = "tosa_verif_conformance_generator"
"""The command, which is beside the interpreter."""
OFFICIAL_SEED = 42
"""With this seed the generator writes the published tests."""

_OPERATORS = (
    "abs add arithmetic_right_shift bitwise_and bitwise_not bitwise_or bitwise_xor cast ceil clamp "
    "clz cos equal erf exp floor greater greater_equal identity intdiv log logical_and "
    "logical_left_shift logical_not logical_or logical_right_shift logical_xor maximum minimum mul "
    "negate pow reciprocal rescale rsqrt select sigmoid sin sub table tanh"
)
OPERATORS = tuple(_OPERATORS.split())
"""The element-wise operators."""

_HOST = (
    "argmax avg_pool2d concat cond_if conv2d conv3d depthwise_conv2d fft2d gather matmul "
    "max_pool2d pad reduce_all reduce_any reduce_max reduce_min reduce_product reduce_sum "
    "reshape resize reverse rfft2d scatter slice tile transpose transpose_conv2d while_loop"
)
HOST_OPERATORS = tuple(_HOST.split())
"""What only the host computes, reshapes, and control flow, which is refused."""
CONTROL_FLOW = frozenset({"cond_if", "while_loop"})

_FLOATS = ("bf16", "fp8e4m3", "fp8e5m2")
_INTEGERS = ("doubleround", "dynamic", "inexactround", "int16", "int4")
PROFILES = ("pro-int", "pro-fp", *(f"ext-{name}" for name in (*_FLOATS, *_INTEGERS)))
"""The profiles, and the extensions that the element-wise operators have."""
HOST_PROFILES = (*PROFILES, "ext-fft", "ext-controlflow")
"""The profiles, and the extensions that operators on the host have."""

_TYPES = {
    "BOOL": "i1",
    "BF16": "bf16",
    "FP8E4M3": "f8E4M3",
    "FP8E5M2": "f8E5M2",
    **{f"INT{bits}": f"i{bits}" for bits in (4, 8, 16, 32, 48)},
    **{f"FP{bits}": f"f{bits}" for bits in (16, 32)},
}


_DATA = {
    **{"mul": 2, "negate": 1, "rescale": 1, "table": 1},
    **{"avg_pool2d": 1, "matmul": 2, "pad": 1, "resize": 1},
    **dict.fromkeys(("conv2d", "conv3d", "depthwise_conv2d", "transpose_conv2d"), 1),
}
"""How many operands are data, of the operators that have others too; weights are constants."""
_NUMPY = {
    **{"BOOL": "?", "INT8": "i1", "INT16": "<i2", "INT32": "<i4"},
    **{"FP16": "<f2", "FP32": "<f4", "BF16": "V2", "FP8E4M3": "V1", "FP8E5M2": "V1"},
}
_DTYPES = {schema.TYPES.index(name): np.dtype(text) for name, text in _NUMPY.items()}


class Suite(NamedTuple):
    """Which tests the generator writes."""

    version: str
    seed: int
    profiles: tuple[str, ...]

    def folder(self, build: Path) -> Path:
        """Return the folder of the tests; what else decides them is in its name."""
        tools = f"tosa-tools-{importlib.metadata.version('tosa-tools')}"
        profiles = "+".join(sorted(set(self.profiles)))
        return build / tools / f"version-{self.version}" / f"seed-{self.seed}" / profiles


Form = tuple[bytes, list[np.ndarray]]
"""A program, and arrays for the inputs that it has beside those of its test."""


class ConformanceError(Exception):
    """The tests cannot be generated or judged; the text says why."""


@dataclass(frozen=True)
class Case:
    """An official test.

    `type` is the operator's, `i8 → i32` if the type of the result differs; negative tests have
    none. `profile` lists what a machine needs for the test. `rule` is the ERROR_IF rule that a
    negative test breaks, else empty.
    """

    folder: Path
    operator: str
    type: str
    profile: str
    rule: str

    @property
    def description(self) -> dict[str, Any]:
        """What `desc.json` says."""
        return json.loads((self.folder / "desc.json").read_text(encoding="utf-8"))

    @property
    def program(self) -> bytes:
        """The flatbuffer."""
        return (self.folder / self.description["tosa_file"]).read_bytes()


def missing() -> str:
    """Say what the tests need and is not installed; an empty text if nothing is missing."""
    command = Path(sys.executable).parent / GENERATOR
    if importlib.util.find_spec("tosa_reference_model") is None or not command.is_file():
        return "the official tests need tosa-tools: pip install -e '.[test]'"
    return ""


def tool(name: str) -> Path:
    """Return a file of tosa-tools that is no command of Python."""
    found = importlib.util.find_spec("tosa_reference_model")
    if found is None or found.origin is None:
        raise ConformanceError(missing())
    folder = Path(found.origin).parent
    return folder / name if name.startswith("lib") else folder.parent / "bin" / name


def generate(suite: Suite, operator: str, folder: Path, kind: str = "both") -> list[Path]:
    """Return the folders of an operator's tests, and generate them unless an earlier run did.

    Args:
        suite: which tests.
        operator: its name.
        folder: holds the suite's tests.
        kind: `positive` tests, `negative` ones, or `both`.

    Raises:
        ConformanceError: the generator fails.
    """
    done = folder / (operator if kind == "both" else f"{operator}-{kind}")
    if not done.is_dir():
        part, build = (folder / f"{done.name}.{name}" for name in ("part", "build"))
        for left in (part, build):  # by a run that was stopped
            shutil.rmtree(left, ignore_errors=True)
        part.mkdir(parents=True)
        _run_generator(suite, operator, part, build, kind)
        shutil.rmtree(build)
        part.rename(done)  # so that what has this name is whole
    return sorted(path.parent for path in done.rglob("desc.json"))


def _run_generator(suite: Suite, operator: str, output: Path, build: Path, kind: str) -> None:
    version, seed, profiles = suite
    names = {kind: [f"tosa-{p}" for p in profiles if p.startswith(kind)] for kind in ("pro", "ext")}
    if not names["pro"]:
        raise ConformanceError("the profiles have to include pro-int or pro-fp")
    commands = Path(sys.executable).parent
    command = [str(commands / GENERATOR), "--operators", operator]
    command += ["--profile", *names["pro"], "--extension", *(names["ext"] or ["none"])]
    command += ["--tosa-version", version, "--output-type", "binary", "--seed", str(seed)]
    command += ["--test-type", kind]
    command += ["--ref-model-path", str(tool("tosa_reference_model")), "-j", "1"]
    command += ["--output-directory", str(output), "--build-directory", str(build)]
    if seed != OFFICIAL_SEED:
        config = output.with_suffix(".json")
        config.write_text(json.dumps(without_names(_config())), encoding="utf-8")
        command += ["--cts-config", str(config)]
    # The generator starts commands of tosa-tools; our modules are none of its business.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = f"{commands}{os.pathsep}{environment.get('PATH', '')}"
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        last = (done.stderr + done.stdout).strip()[-1000:]
        raise ConformanceError(f"the generator fails for {operator}, seed {seed}:\n{last}")


def _config() -> dict[str, Any]:
    """Read the generator's configuration: which tests of each operator belong to the suite."""
    files = importlib.metadata.files("tosa-tools") or []
    path = next(file for file in files if file.name == "cts-config_v1.0.json")
    return json.loads(Path(str(path.locate())).read_text(encoding="utf-8"))


def without_names(config: dict[str, Any]) -> dict[str, Any]:
    """Remove the names of the negative tests, which exist with the official seed only.

    The generator then takes one test of each rule.
    """
    for operator in config.values():
        if isinstance(operator, dict):
            for selection in operator.get("selection", {}).values():
                selection.pop("errorifs", None)
    return config


def read(folder: Path) -> Case:
    """Read what a test says of itself."""
    case = Case(folder, "", "", "", "")
    description = case.description
    details, needs = description["test_details"], description["test_requirements"]
    names = [
        *sorted(needs["profiles_supported"], reverse=True),
        *needs.get("extensions_required", []),
    ]
    operator = details["operator"].lower()
    rule = details.get("ERRORIF", "") if description["expected_failure"] else ""
    return replace(
        case,
        operator=operator,
        type="" if rule else _type(case.program, operator),
        profile=", ".join(name.removeprefix("tosa-").upper() for name in names),
        rule=rule,
    )


def _type(program: bytes, operator: str) -> str:
    (region,) = parse(program, schema.Graph).regions
    (block,) = region.blocks
    types = {tensor.name: schema.TYPES[tensor.type] for tensor in block.tensors}
    (found,) = [o for o in block.operators if schema.OPERATORS[o.op] == operator]
    operand = found.inputs[1 if operator == "select" else 0]
    first, last = (_TYPES[types[name]] for name in (operand, found.outputs[0]))
    return first if first == last else f"{first} → {last}"


def spread(cases: Sequence[Case], number: int) -> list[Case]:
    """Choose positive tests, as many of every operator and type as there are."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        if not case.rule:
            groups.setdefault((case.operator, case.type), []).append(case)
    rounds = itertools.chain.from_iterable(itertools.zip_longest(*groups.values()))
    return [case for case in rounds if case is not None][:number]


def static(program: bytes) -> Form:
    """Return a program as it is."""
    return program, []


def dynamic(program: bytes) -> Form:
    """Return a program without its sizes, whose operator computes with inputs alone.

    Constants that are data become inputs, so that nothing is computed by the compiler. Shifts,
    zero points and such stay constants.
    """
    graph = parse(program, schema.Graph)
    (region,) = graph.regions
    (block,) = region.blocks
    names = [(schema.OPERATORS[o.op], o) for o in block.operators]
    constants = {name for kind, o in names if kind == "const" for name in o.outputs}
    data = {name for kind, o in names for name in o.inputs[: _DATA.get(kind)]}
    moved = {
        tensor.name: _array(tensor)
        for tensor in block.tensors
        if tensor.name in data & constants and tensor.type in _DTYPES
    }
    kept = constants - moved.keys()
    tensors = tuple(  # the generator gives every tensor data: inputs have no bytes
        tensor
        if tensor.name in kept
        else replace(tensor, data=None, shape=(schema.DYNAMIC,) * len(tensor.shape))
        for tensor in block.tensors
    )
    operators = tuple(o for o in block.operators if not moved.keys() & set(o.outputs))
    block = replace(block, tensors=tensors, operators=operators, inputs=(*block.inputs, *moved))
    region = replace(region, blocks=(block,))
    return write(replace(graph, regions=(region,))), [*moved.values()]


def _array(tensor: schema.Tensor) -> np.ndarray:
    count = math.prod(tensor.shape)
    return np.frombuffer(tensor.data, _DTYPES[tensor.type], count).reshape(tensor.shape)
