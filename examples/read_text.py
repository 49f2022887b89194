"""Read the text in images with RapidOCR's own pipeline, its three models on hwc.

    python read_text.py [IMAGE ...]

Without arguments it draws five images of different sizes. Each model is compiled once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rapidocr_onnxruntime import RapidOCR

from hwc.onnx import InferenceSession

LINES = ("One binary for every shape", "size 1 becomes stride 0", "nothing is copied")
SIZES = ((448, 64), (480, 128), (512, 192), (384, 224), (320, 96))
"""Width and height in pixels."""


class CountedSession(InferenceSession):
    """A session; all of them add up their cycles."""

    cycles = 0

    def run(self, *args: Any, **options: Any) -> list[np.ndarray]:
        """Run the model."""
        outputs = super().run(*args, **options)
        assert self.result is not None
        CountedSession.cycles += self.result.cycles
        return outputs


def drawn() -> Iterator[tuple[str, np.ndarray]]:
    """Yield a name and an image (height x width x 3, uint8) for each of SIZES."""
    for width, height in SIZES:
        image = Image.new("RGB", (width, height), "white")
        drawing = ImageDraw.Draw(image)
        size = min(width // 16, height // 3)
        for number, line in enumerate(LINES[: height // (2 * size)]):
            place = (size, size // 2 + number * 2 * size)
            drawing.text(place, line, "black", ImageFont.load_default(size))
        yield f"{width}x{height}", np.array(image)


def reader(session: Callable[..., Any] = CountedSession) -> RapidOCR:
    """Return RapidOCR, with `session` in the place of ONNX Runtime's InferenceSession.

    Images keep their size, unless a side is longer than 960: then they are made smaller.
    """
    with patch("rapidocr_onnxruntime.utils.infer_engine.InferenceSession", session):
        return RapidOCR(det_limit_type="max", det_limit_side_len=960)


def read(ocr: RapidOCR, image: np.ndarray) -> list[str]:
    """Return the lines of text in an image."""
    boxes, _ = ocr(image)
    return [text for _, text, _ in boxes or ()]


def main(paths: Iterable[str]) -> None:
    """Print what each image says."""
    images = [(path, np.array(Image.open(path).convert("RGB"))) for path in paths] or drawn()
    ocr = reader()
    for name, image in images:
        CountedSession.cycles = 0
        text = " | ".join(read(ocr, image)) or "no text"
        print(f"{name}, {CountedSession.cycles} cycles: {text}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
