"""examples: applications find the same with hwc as with ONNX Runtime or LiteRT alone."""

import re
import sys

import numpy as np
import onnxruntime
import pytest
from e2e.support.pages import ROOT, check_page, missing_links
from PIL import Image

from hwc.onnx import InferenceSession

EXAMPLES = ROOT / "examples"
PAGE = EXAMPLES / "README.md"
OLD_PYTHON = pytest.mark.skipif(
    sys.version_info >= (3, 13),
    reason="rapidocr-onnxruntime and mediapipe 0.10.14 have no releases for this Python",
)


@pytest.fixture(autouse=True)
def where_the_examples_are(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@OLD_PYTHON
def test_the_page(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    assert "sh" in check_page(PAGE.read_text(encoding="utf-8"), EXAMPLES)
    assert not missing_links(PAGE)


@OLD_PYTHON
def test_text_is_what_onnxruntime_reads():
    """The page shows what hwc reads, and the test of the page that it still does."""
    import read_text  # noqa: PLC0415 - the package is missing on later Pythons

    shown = re.findall(r"^(\d+x\d+), .* cycles: (.*)$", PAGE.read_text(encoding="utf-8"), re.M)
    theirs = read_text.reader(onnxruntime.InferenceSession)
    read = [(name, " | ".join(read_text.read(theirs, image))) for name, image in read_text.drawn()]
    assert len(read) == 5
    assert read == shown


def test_files_are_what_onnxruntime_identifies(tmp_path):
    import identify_files  # noqa: PLC0415 - found by the fixture

    files = []
    for name, content in identify_files.SNIPPETS.items():
        files.append(tmp_path / name)
        files[-1].write_bytes(content)
    theirs = identify_files.identifier(onnxruntime.InferenceSession)
    ours = identify_files.identifier()
    for count in range(1, len(files) + 1):
        expected = identify_files.identify(theirs, files[:count])
        found = identify_files.identify(ours, files[:count])
        assert [label for label, _ in found] == [label for label, _ in expected]
        np.testing.assert_allclose([s for _, s in found], [s for _, s in expected], atol=1e-5)


def test_speech_is_where_onnxruntime_finds_it():
    import find_speech  # noqa: PLC0415 - found by the fixture

    theirs = onnxruntime.InferenceSession(find_speech.model())
    ours = InferenceSession(find_speech.model())
    for number, sound in enumerate(find_speech.recordings().values()):
        expected = find_speech.probabilities(theirs, sound)
        found = find_speech.probabilities(ours, sound)
        np.testing.assert_allclose(found, expected, atol=1e-5)
        ((begin, end),) = find_speech.spans(found)
        assert find_speech.spans(expected) == [(begin, end)]
        assert begin == pytest.approx(0.5, abs=0.1)
        assert end == pytest.approx(0.5 + find_speech.LENGTHS[number], abs=0.1)


@OLD_PYTHON
def test_the_face_is_where_litert_finds_it():
    """The page shows where hwc finds it, and the test of the page that it still does."""
    import find_face  # noqa: PLC0415 - found by the fixture
    from ai_edge_litert.interpreter import Interpreter  # noqa: PLC0415 - slow to import

    image = Image.open(find_face.portrait()).convert("RGB")
    litert = Interpreter(str(find_face.model()))
    litert.allocate_tensors()
    (given,) = litert.get_input_details()
    litert.set_tensor(given["index"], find_face.square(image))
    litert.invoke()
    boxes, scores = (litert.get_tensor(each["index"]) for each in litert.get_output_details())
    found = find_face.best_face(boxes, scores, image.size)
    assert found is not None
    probability, (left, top, right, bottom) = found
    shown = f"a face ({probability:.1%}) from {left}, {top} to {right}, {bottom}"
    assert shown in PAGE.read_text(encoding="utf-8").splitlines()
