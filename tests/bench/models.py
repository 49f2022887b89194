"""Runs whole models on the simulator, and compares them with ONNX Runtime and LiteRT.

    PYTHONPATH=.:tests python tests/bench/models.py [--write] [MODEL ...]

For each model it says what runs where, how long compiling takes and with how much memory, how far
the results are from the reference's at each size, what share of the machine's cycles is spent in
regions at 90 % of the roofline or more, and how the time to simulate the regions compares with ONNX
Runtime's time for the same nodes. `--write` writes the page docs/reports/models.md.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from bench.model_regions import RUNS, timed_elsewhere
from e2e.support import mediapipe_graph
from matplotlib import cbook
from PIL import Image

import hwc
from hwc.files import write_text
from hwc.package import Tensor
from hwc.runtime.results import StepResult
from hwc.runtime.roofline import ideal_cycles, roofline_share
from isa.target import load_target

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reports" / "models.md"
NEAR = 0.9
"""The share of the roofline from which on a region counts as near it."""
WORST = 3
SHORT = 1500
"""Cycles of a region that is mostly set-up."""
WAITS = {
    "lane_stall_dependence": "the lanes wait for their own results",
    "lane_stall_input": "the lanes wait for inputs",
    "lane_stall_special": "the lanes wait for special functions",
    "lane_stall_output": "the lanes wait for a free output buffer",
    "special_stall": "special functions wait",
}
Arrays = Mapping[str, np.ndarray]

PREFACE = """\
Written by `PYTHONPATH=.:tests python tests/bench/models.py --write`: models that PyPI's packages
bring, compiled once for `accel` and run on the simulator with every size below. ONNX models are
compared with ONNX Runtime {onnxruntime}, TFLite models with LiteRT's reference kernels (its faster
ones differ from them, and from each other, by up to 5e-4 of the largest result of "pose
landmarks"). The largest difference is given against the largest result, or against 1 if that is
larger, because many results are probabilities.
Convolutions and matrix products of ONNX models are computed by the same engine on both sides, those
of TFLite models by IREE instead of LiteRT, which adds in another order. The bound is {bound:g} of
the largest result: a few units in the last place of f32, which layers add up. Three models have
operators that only MediaPipe has ("face landmarks, attention" and "selfie"): hwc gives IREE a
function of TOSA for each, and the reference is MediaPipe's own calculator, on a portrait.

Sizes are those that applications pass: RapidOCR makes the shorter side of an image 736 points or
more and takes six lines of text at a time, Magika takes up to 32 files, silero-vad windows of
32 ms. Compiling is given in seconds of processor time, from the start of `hwc compile` to its end,
with what the converter and IREE take; the memory is the peak of hwc's own process. The last column
compares the time that the simulator takes for the regions with the time that ONNX Runtime takes for
them, of each region the best of {runs} runs in this process: of all sizes together, and of each.
Regions of TFLite models are translated into ONNX for that, and get random values.
The simulator is slow in small calls, because a region takes it 70 microseconds and more however
few elements it has."""

BOUND = 1e-4
"""Of the largest result."""


@dataclass(frozen=True)
class Model:
    """A model of a package: its file, and the arguments of a call for each size."""

    package: str
    file: str
    sizes: Sequence[tuple[int, ...]]
    feeds: Callable[[tuple[int, ...], np.random.Generator], dict[str, np.ndarray]]
    in_mediapipe: bool = False
    """Whether only MediaPipe knows all operators."""

    @property
    def path(self) -> Path:
        """Where the package keeps it."""
        found = find_spec(self.package)
        if found is None or found.origin is None:
            raise SystemExit(f"error: {self.package} is missing")
        return Path(found.origin).parent / self.file


def _floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.uniform(-1, 1, shape).astype(np.float32)


def _image(size: tuple[int, ...], rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {"x": _floats(rng, *size)}


def _speech(size: tuple[int, ...], rng: np.random.Generator) -> dict[str, np.ndarray]:
    state = np.zeros((1, 1, 128), np.float32)
    return {"input": _floats(rng, size[0], 576), "h": state, "c": state}


def _bytes(size: tuple[int, ...], rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {"bytes": rng.integers(0, 257, (size[0], 2048)).astype(np.int32)}


def _portrait(size: tuple[int, ...], _: np.random.Generator) -> dict[str, np.ndarray]:
    """The face of Grace Hopper, whose portrait Matplotlib brings."""
    with Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as file:
        image = file.convert("RGB")
    face = image.crop((120, 90, 420, 390)).resize((size[2], size[1]))
    return {"x": (np.asarray(face) / np.float32(255)).astype(np.float32)[None]}


def _of_mediapipe(file: str, *size: int) -> Model:
    """A model for images of one size: its height and its width, or a side."""
    sizes = [(1, size[0], size[-1], 3)]
    return Model("mediapipe", f"modules/{file}.tflite", sizes, _image)


def _in_mediapipe(file: str, *size: int) -> Model:
    """A model with operators that only MediaPipe has."""
    return replace(_of_mediapipe(file, *size), feeds=_portrait, in_mediapipe=True)


RAPIDOCR = "rapidocr_onnxruntime"
MODELS: Mapping[str, Model] = {
    "text detection": Model(
        RAPIDOCR,
        "models/ch_PP-OCRv4_det_infer.onnx",
        [(1, 3, 64, 64), (1, 3, 736, 736), (1, 3, 736, 992), (1, 3, 1088, 736), (2, 3, 736, 736)],
        _image,
    ),
    "text direction": Model(
        RAPIDOCR,
        "models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
        [(n, 3, 48, 192) for n in (1, 2, 3, 5, 6)],
        _image,
    ),
    "text recognition": Model(
        RAPIDOCR,
        "models/ch_PP-OCRv4_rec_infer.onnx",
        [(1, 3, 48, 320), (2, 3, 48, 640), (6, 3, 48, 192), (6, 3, 48, 320), (6, 3, 48, 480)],
        _image,
    ),
    "magika": Model(
        "magika", "models/standard_v3_3/model.onnx", [(n,) for n in (1, 2, 8, 16, 32)], _bytes
    ),
    "silero-vad": Model(
        "silero_vad",
        "data/silero_vad_16k_sequence.onnx",
        [(n,) for n in (1, 31, 64, 313, 1875)],
        _speech,
    ),
    "face detection": _of_mediapipe("face_detection/face_detection_short_range", 128),
    "face detection, far": _of_mediapipe("face_detection/face_detection_full_range_sparse", 192),
    "face landmarks": _of_mediapipe("face_landmark/face_landmark", 192),
    "face landmarks, attention": _in_mediapipe("face_landmark/face_landmark_with_attention", 192),
    "hand crop": _of_mediapipe("holistic_landmark/hand_recrop", 256),
    "hand landmarks": _of_mediapipe("hand_landmark/hand_landmark_full", 224),
    "hand landmarks, small": _of_mediapipe("hand_landmark/hand_landmark_lite", 224),
    "iris landmarks": _of_mediapipe("iris_landmark/iris_landmark", 64),
    "palm detection": _of_mediapipe("palm_detection/palm_detection_full", 192),
    "palm detection, small": _of_mediapipe("palm_detection/palm_detection_lite", 192),
    "pose detection": _of_mediapipe("pose_detection/pose_detection", 224),
    "pose landmarks": _of_mediapipe("pose_landmark/pose_landmark_full", 256),
    "selfie": _in_mediapipe("selfie_segmentation/selfie_segmentation", 256),
    "selfie, wide": _in_mediapipe("selfie_segmentation/selfie_segmentation_landscape", 144, 256),
}


@dataclass
class Measured:
    """What was measured of a model."""

    nodes: str
    compile_seconds: float
    megabytes: float
    differences: list[float] = field(default_factory=list)
    cycles: int = 0
    near_cycles: int = 0
    simulated: list[float] = field(default_factory=list)  # seconds for each size
    reference: list[float] = field(default_factory=list)
    steps: list[StepResult] = field(default_factory=list)


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument(
        "models", nargs="*", choices=[*MODELS, []], metavar="MODEL", help="all of them by default"
    )
    args = parser.parse_args()
    found: dict[str, Measured] = {}
    for name in args.models or MODELS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found[name] = measure(MODELS[name])
    text = page(found)
    if args.write:
        write_text(PAGE, text)
    print(text if not args.write else f"see {PAGE}")
    return int(any(max(m.differences) > BOUND for m in found.values()))


def measure(model: Model) -> Measured:
    """Compile and run a model."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "model.hwx"
        found = _compiled(model.path, package)
        program = hwc.load(package)
        reference = _reference(model, program.outputs)
        regions = timed_elsewhere(model.path)
        rng = np.random.default_rng(0)
        for size in model.sizes:
            feeds = model.feeds(size, rng)
            names = [tensor.name for tensor in program.inputs]
            values = [feeds[name] for name in names] if set(names) <= set(feeds) else feeds.values()
            result = program(*values)
            for got, expected in zip(result.outputs, reference(feeds), strict=True):
                largest = max(np.abs(expected).max(initial=0), 1)  # many are probabilities
                difference = np.abs(got.astype(np.float64) - expected).max(initial=0)
                found.differences.append(float(difference / largest))
            machine = [step for step in result.steps if step.counters is not None]
            again = [program(*values) for _ in range(RUNS)]
            runs = [[s.seconds for s in each.steps if s.counters is not None] for each in again]
            found.simulated.append(sum(map(min, zip(*runs, strict=True))))
            found.reference.append(regions(feeds))
            for step in machine:
                assert step.counters is not None
                found.cycles += step.counters["cycles"]
                if roofline_share(step.counters, program.target) >= NEAR:
                    found.near_cycles += step.counters["cycles"]
                found.steps.append(step)
    return found


def _compiled(path: Path, package: Path) -> Measured:
    """Compile a model in a process of its own, which says how it is cut."""
    command = ["compile", str(path), "-o", str(package)]
    # The peak of this process's own memory: that of `resource` begins with its parent's.
    code = (
        "import re, sys\nfrom pathlib import Path\nfrom hwc.cli.main import main\n"
        f"code = main({command!r})\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "sys.exit(code)\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # "7 of 9 nodes on the machine, in 3 regions"
    cut = re.search(r"^(\d+) of (\d+) nodes on the machine, in (\d+) ", done.stderr, re.MULTILINE)
    assert cut is not None, done.stderr
    own, whole, regions = map(int, cut.groups())
    nodes = f"{own} in {regions} | {whole - own}"
    return Measured(nodes, seconds, int(done.stdout) / 1024)


def _reference(model: Model, results: Sequence[Tensor]) -> Callable[[Arrays], Sequence[np.ndarray]]:
    """Return what computes the whole model, which has these results, elsewhere."""
    path = model.path
    if model.in_mediapipe:
        return partial(_in_mediapipes_graph, path, results)
    if path.suffix == ".onnx":
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return lambda feeds: session.run(None, dict(feeds))
    from ai_edge_litert.interpreter import (  # noqa: PLC0415 - slow to import
        Interpreter,
        OpResolverType,
    )

    plain = OpResolverType.BUILTIN_REF
    litert = Interpreter(str(path), experimental_op_resolver_type=plain)
    litert.allocate_tensors()

    def run(feeds: Arrays) -> Sequence[np.ndarray]:
        for details, value in zip(litert.get_input_details(), feeds.values(), strict=True):
            litert.set_tensor(details["index"], value)
        litert.invoke()
        return [litert.get_tensor(details["index"]) for details in litert.get_output_details()]

    return run


def _in_mediapipes_graph(
    path: Path, results: Sequence[Tensor], feeds: Arrays
) -> Sequence[np.ndarray]:
    (image,) = feeds.values()
    made = mediapipe_graph.results(path, np.rint(image[0] * 255).astype(np.uint8), len(results))
    shapes = ([int(size) for size in each.shape] for each in results)
    return [array.reshape(shape) for array, shape in zip(made, shapes, strict=True)]


def page(found: Mapping[str, Measured]) -> str:
    """Return the page."""
    head = "model | nodes on the machine, in regions | on the host | compiled in | with | sizes "
    head += "| largest difference | cycles near the roofline "
    head += "| simulated: times as long as in ONNX Runtime"
    lines = ["# Whole models", ""]
    lines += PREFACE.format(
        onnxruntime=onnxruntime.__version__, bound=BOUND, runs=RUNS
    ).splitlines()
    lines += ["", f"| {head} |", "|---" * 9 + "|"]
    for name, m in found.items():
        each = [a / b for a, b in zip(m.simulated, m.reference, strict=True)]
        ratio = f"{sum(m.simulated) / sum(m.reference):.1f}"
        if len(each) > 1:
            ratio += f" ({', '.join(f'{r:.0f}' for r in each)})"
        lines.append(
            f"| {name} | {m.nodes} | {m.compile_seconds:.1f} s | {m.megabytes:.0f} MB "
            f"| {'<br>'.join('x'.join(map(str, size)) for size in MODELS[name].sizes)} "
            f"| {max(m.differences):.1e} "
            f"| {100 * m.near_cycles / max(m.cycles, 1):.1f} % | {ratio} |"
        )
    lines += [
        "",
        f"Regions count as near the roofline from {100 * NEAR:.0f} % of it on. The regions that "
        "lose most cycles, of all sizes:",
        "",
        "| model | region | cycles | at best | share | why |",
        "|---|---|---|---|---|---|",
    ]
    for name, m in found.items():
        lines += [f"| {name} | {row} |" for row in _worst(m.steps)]
    return "\n".join([*lines, ""])


def _worst(steps: Sequence[StepResult]) -> Iterator[str]:
    target = load_target("accel")

    def lost(step: StepResult) -> int:
        assert step.counters is not None
        return step.counters["cycles"] - ideal_cycles(step.counters, target)

    for step in sorted(steps, key=lost, reverse=True)[:WORST]:
        counters: Any = step.counters
        best = ideal_cycles(counters, target)
        share = f"{100 * best / counters['cycles']:.1f} %"
        yield f"{step.operators} | {counters['cycles']} | {best} | {share} | {_why(counters)}"


def _why(counters: Mapping[str, int]) -> str:
    """Return what a region waits for most."""
    if counters["cycles"] < SHORT:
        return "it is short: set-up and the latency of memory"
    waits = {name: counters[name] for name in WAITS}
    longest = max(waits, key=waits.__getitem__)
    return f"{WAITS[longest]} for {waits[longest]} cycles"


if __name__ == "__main__":
    sys.exit(main())
