"""A change of the encodings needs a new version, which packets and packages carry."""

import dataclasses
import hashlib
import json

import isa
from isa.check import fixed_bits

DIGESTS = {
    2: "7a7c994d000ca03830ea3f538326f5c53adf2ba9cedf8ec89a382bbc6d3aacd9",
    3: "7b0daf0f955470b8292b7954c7d4ead977b902663f0acceb79f423aa4cfd5908",
    4: "4d3e3d8e6b29f919cef5c5341266cb3fcda82c359c3e1b8411c39d45a76f5ae4",
}
"""Digest of the encodings of each version."""


def encodings(loaded):
    """Everything that two machines must share to execute the same words and packets."""
    return {
        "word": loaded.word_bits,
        "operands": {c.name: (c.first, c.count) for c in loaded.operands.values()},
        "formats": {
            f.name: {field.name: (field.high, field.low) for field in f.fields}
            for f in loaded.formats.values()
        },
        "types": {t.name: (t.code, t.bytes) for t in loaded.types.values()},
        "instructions": {
            i.name: (i.format, *fixed_bits(loaded, i)) for i in loaded.instructions.values()
        },
        "faults": {f.name: f.code for f in loaded.faults.values()},
    }


def digest(loaded):
    return hashlib.sha256(json.dumps(encodings(loaded), sort_keys=True).encode()).hexdigest()


def test_encodings_are_those_of_the_version():
    loaded = isa.load()
    assert max(DIGESTS) == loaded.version, (
        f"isa/formats.yaml says version {loaded.version}: add its digest {digest(loaded)} to "
        "DIGESTS in this file"
    )
    assert digest(loaded) == DIGESTS[loaded.version], (
        f"the encodings differ from version {loaded.version} of the instruction set, so "
        "packages and packets of that version would run wrongly: set "
        f"`version: {loaded.version + 1}` in isa/formats.yaml, run "
        f"`python -m rtl_models.generate`, and add to DIGESTS in this file {loaded.version + 1}: "
        f'"{digest(loaded)}"'
    )


def test_the_digest_sees_an_opcode_that_moves():
    loaded = isa.load()
    moved = dataclasses.replace(loaded.instructions["pow.f32"], opcode=0xEF)
    changed = dataclasses.replace(loaded, instructions={**loaded.instructions, "pow.f32": moved})
    assert digest(changed) != digest(loaded)
