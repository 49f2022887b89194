"""Find faces in an image with MediaPipe's model, its convolutions in IREE and the rest on hwc.

    python find_face.py [IMAGE]

Without an argument it looks at the portrait of Grace Hopper that Matplotlib brings. The model is a
TFLite file of the package mediapipe, whose Python code is not used here:
`pip install --no-deps mediapipe==0.10.14`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image

import hwc

MODEL = "modules/face_detection/face_detection_short_range.tflite"
SIDE = 128
"""Pixels of a side of the square that the model sees."""
GRIDS = ((16, 2), (8, 6))
"""Cells of a side, and boxes that the model gives for each cell."""
SURE = 0.5
"""From this probability on a box has a face."""


def model() -> Path:
    """Return where the package mediapipe keeps its model."""
    found = find_spec("mediapipe")
    if found is None or found.origin is None:
        raise SystemExit("error: mediapipe is missing: pip install --no-deps mediapipe==0.10.14")
    return Path(found.origin).parent / MODEL


def portrait() -> Path:
    """Return an image with a face."""
    from matplotlib import cbook  # noqa: PLC0415 - not needed for other images

    return Path(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))


def square(image: Image.Image) -> np.ndarray:
    """Return an image as the model sees it, 1 x SIDE x SIDE x 3 from -1 to 1; borders are black."""
    side = max(image.size)
    padded = Image.new("RGB", (side, side))
    padded.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    small = np.asarray(padded.resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float32)
    return small[None] / 127.5 - 1


def centres() -> np.ndarray:
    """Return where the box of each of the model's results would have its centre, from 0 to 1."""
    found = []
    for cells, boxes in GRIDS:
        y, x, _ = np.meshgrid(*[np.arange(cells)] * 2, np.arange(boxes), indexing="ij")
        found.append(np.stack([x.ravel() + 0.5, y.ravel() + 0.5], 1) / cells)
    return np.concatenate(found)


def best_face(
    boxes: np.ndarray, scores: np.ndarray, size: tuple[int, int]
) -> tuple[float, tuple[int, int, int, int]] | None:
    """Return the most likely face, or None if no face is likely enough.

    A face is its probability, and its left, top, right and bottom in pixels. `boxes` and `scores`
    are the model's results, and `size` is the image's width and height.
    """
    score = scores.ravel()
    best = int(score.argmax())
    probability = float(1 / (1 + np.exp(-score[best])))
    if probability < SURE:
        return None
    side = max(size)
    borders = np.array([(side - edge) / 2 for edge in size])
    offset, extent = boxes[0, best, :2] / SIDE, boxes[0, best, 2:4] / SIDE
    middle = (centres()[best] + offset) * side - borders
    left, top = (middle - extent * side / 2).round().astype(int).tolist()
    right, bottom = (middle + extent * side / 2).round().astype(int).tolist()
    return probability, (left, top, right, bottom)


def main(paths: Sequence[str]) -> None:
    """Print where the face is."""
    image = Image.open(paths[0] if paths else portrait()).convert("RGB")
    program = hwc.compile(model())
    result = program(square(image))
    found = best_face(result.outputs[0], result.outputs[1], image.size)
    if found is None:
        raise SystemExit("no face")
    probability, (left, top, right, bottom) = found
    print(f"a face ({probability:.1%}) from {left}, {top} to {right}, {bottom}")
    print(f"{result.cycles} cycles in {sum(s.counters is not None for s in result.steps)} regions")


if __name__ == "__main__":
    main(sys.argv[1:])
