"""Find speech in recordings with silero-vad's model on hwc.

    python find_speech.py [RECORDING.wav ...]

Recordings have one channel and 16,000 samples of 16 bits a second. Without any, the program makes
some: a voice in noise. The model computes a recording in one call: its length is a free size. It
comes with the package silero-vad, whose Python code needs PyTorch and is not used here:
`pip install --no-deps silero-vad`.
"""

from __future__ import annotations

import sys
import wave
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hwc.onnx import InferenceSession

MODEL = "data/silero_vad_16k_sequence.onnx"
RATE = 16_000
CHUNK = 512
"""Samples that have one probability. The model sees them after the last CONTEXT of those before."""
CONTEXT = 64
LENGTHS = (1.0, 0.5, 2.0, 1.5, 0.25)
"""Seconds of a voice."""
SPEECH = 0.5
"""From this probability on a chunk is speech."""
PAUSE = 0.1
"""In seconds."""
VOWELS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480))
"""Formants in Hz."""


def voice(seconds: float, pitch: float, rng: np.random.Generator) -> np.ndarray:
    """Return a made-up voice: pulses of a `pitch` in Hz, in which the formants of vowels ring."""
    time = np.arange(int(seconds * RATE)) / RATE
    phase = np.cumsum(pitch * (1 + 0.1 * np.sin(2 * np.pi * 3 * time))) / RATE
    source = np.diff(-((phase % 1.0) ** 2), prepend=0) + 0.002 * rng.standard_normal(len(time))
    made = np.zeros(len(time))
    for number, begin in enumerate(range(0, len(time), RATE // 5)):
        vowel = source[begin : begin + RATE // 5]
        ringing = np.arange(RATE // 20) / RATE
        for formant in VOWELS[number % len(VOWELS)]:
            response = np.exp(-300 * ringing) * np.sin(2 * np.pi * formant * (ringing + 1 / RATE))
            vowel = np.convolve(vowel, response)[: len(vowel)]
        made[begin : begin + len(vowel)] = vowel / np.abs(vowel).max()
    return 0.3 * made


def recordings() -> dict[str, np.ndarray]:
    """Return a recording for each of LENGTHS: half a second of noise, a voice, noise again."""
    rng = np.random.default_rng(0)
    made = {}
    for number, length in enumerate(LENGTHS):
        sound = 0.001 * rng.standard_normal(int((length + 1) * RATE))
        spoken = voice(length, 110 + 20 * number, rng)
        sound[RATE // 2 :][: len(spoken)] += spoken
        made[f"recording {number}"] = sound.astype(np.float32)
    return made


def loaded(path: str) -> np.ndarray:
    """Return the samples of a file, between -1 and 1."""
    with wave.open(path) as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
            raise SystemExit(
                f"error: {path}: expected one channel, {RATE} samples of 16 bits a second"
            )
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    return (samples / 2**15).astype(np.float32)


def probabilities(session: Any, sound: np.ndarray) -> np.ndarray:
    """Return how likely each chunk of a recording is speech."""
    padded = np.pad(sound, (CONTEXT, -len(sound) % CHUNK))
    chunks = np.lib.stride_tricks.sliding_window_view(padded, CONTEXT + CHUNK)[::CHUNK]
    state = np.zeros((1, 1, 128), np.float32)
    (found,) = session.run(["speech_probs"], {"input": chunks, "h": state, "c": state})
    return found


def spans(speech: np.ndarray) -> list[tuple[float, float]]:
    """Return from which second to which there is speech; a shorter silence than PAUSE is speech."""
    found: list[tuple[float, float]] = []
    for number in np.flatnonzero(speech >= SPEECH).tolist():
        begin, end = number * CHUNK / RATE, (number + 1) * CHUNK / RATE
        if found and begin - found[-1][1] < PAUSE:
            begin = found.pop()[0]
        found.append((begin, end))
    return found


def model() -> str:
    """Return where the package silero-vad keeps its model."""
    found = find_spec("silero_vad")
    if found is None or found.origin is None:
        raise SystemExit("error: silero-vad is missing: pip install --no-deps silero-vad")
    return str(Path(found.origin).parent / MODEL)


def main(paths: Sequence[str]) -> None:
    """Print where there is speech in each recording."""
    session = InferenceSession(model())
    for name, sound in ({path: loaded(path) for path in paths} or recordings()).items():
        found = spans(probabilities(session, sound))
        assert session.result is not None
        shown = ", ".join(f"{begin:.2f} s to {end:.2f} s" for begin, end in found)
        print(f"{name}, {session.result.cycles} cycles: {shown or 'no speech'}")


if __name__ == "__main__":
    main(sys.argv[1:])
