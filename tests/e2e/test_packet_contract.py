"""docs/packet.md says enough: a runtime written from that page alone runs packages.

Nothing of hwc runs here but the compiler, which writes the file. Sizes are given by hand, the
linker is this file's own, and the simulator gets a program, a packet and a window.
"""

from __future__ import annotations

import json
import struct
import zipfile
from math import prod

import numpy as np
import pytest
from bench.programs import named

import hwc
from isa.dispatch import DONE, Job
from isa.target import Target
from sim.machine import Machine
from sim.memory import Memory

BASE, SIZE, END = 0x01, 0x02, 0x04
PARAM, VALUE, FROM_PARAM = (21, 11), (32, 32), 17
"""Fields of words: the lowest bit and the width; the number of a bit."""

SHAPES = {
    "exp of a column": [(40, 1), (40, 30)],
    "layer norm": [(9, 40), (9, 1), (9, 1), (1, 40), (1, 40)],
    "attention mask": [(2, 3, 8, 8), (1, 3, 1, 1), (2, 1, 8, 8)],
}


HOST = """\
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = arith.index_cast %d : index to i32
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %1 = arith.index_cast %i : index to i32
    %2 = arith.addi %1, %n : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.addf %p, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""
"""A program of which the host fills two buffers: with a size, and with positions."""


def sizes(steps: list[str], shapes: list[tuple[int, ...]]) -> dict[str, int]:
    """Evaluate the two kinds of steps that these programs have, without checks."""
    known: dict[str, int] = {}
    for text in steps:
        name, _, right = text.partition(" = ")
        kind, _, inside = right.rstrip(")").partition("(")
        if kind == "dim":
            argument, dimension = (int(part.split()[1]) for part in inside.split(","))
            known[name] = shapes[argument][dimension]
        else:
            assert kind == "broadcast"
            values = [known[n] if n in known else int(n) for n in inside.split(", ")]
            known[name] = next((n for n in values if n != 1), 1)
    return known


def link(kernels: list[dict], words: list[int], chosen: list[int]) -> tuple[list[int], list[dict]]:
    """Put kernels into one program; return its words and its parameters."""
    starts = np.cumsum([0, *(kernel["words"] for kernel in kernels)]).tolist()
    program: list[int] = []
    parameters: list[dict] = []
    for number in chosen:
        own = kernels[number]["parameters"]
        parameters += [p for p in own if p not in parameters]
        for word in words[starts[number] : starts[number + 1]]:
            opcode = word & 0xFF
            if opcode == BASE or (opcode == SIZE and word >> FROM_PARAM & 1):
                low, width = PARAM if opcode == BASE else VALUE
                mask = (1 << width) - 1 << low
                index = (word & mask) >> low
                word = word & ~mask | parameters.index(own[index]) << low  # noqa: PLW2901
            program.append(word)
    return [*program, 0], parameters


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("alternative", [0, -1])
def test_a_runtime_written_from_the_page(tmp_path, name, target, alternative):
    of, shapes = named(name), SHAPES[name]
    compiled = hwc.compile(of.text(), target)
    check(tmp_path, compiled, of.arrays(shapes), alternative)


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
def test_buffers_that_the_host_fills(tmp_path, target):
    compiled = hwc.compile(HOST, target)
    assert {"values", "positions"} <= {buffer.kind for buffer in compiled.package.buffers}
    check(tmp_path, compiled, [np.arange(21, dtype=np.float32).reshape(3, 7)], 0)


def check(tmp_path, compiled, arrays, alternative):
    """Compare what the simulator computes for this runtime with what it computes for hwc's."""
    shapes = [array.shape for array in arrays]
    compiled.save(tmp_path / "m.hwx")
    with zipfile.ZipFile(tmp_path / "m.hwx") as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    steps = [step["step"] for step in json.loads(members["shapes.json"])["steps"]]
    symbols = sizes(steps, shapes)
    (step,) = manifest["steps"]
    content = members[step["program"]]
    words = list(struct.unpack(f"<{len(content) // 8}Q", content))
    chosen: list[int] = []
    for item in step["items"]:
        one = "kernel" in item
        chosen += [item["kernel"]] if one else item["alternatives"][alternative]["kernels"]
    program, parameters = link(step["kernels"], words, chosen)

    memory = Memory(1 << 20)
    at = memory.base
    address: dict[str, int] = {}
    data = {t["buffer"]: a for t, a in zip(manifest["inputs"], arrays, strict=True)}
    width = {"f32": 4, "i32": 4, "i1": 1, "i8": 1}
    for buffer in manifest["buffers"]:
        count = prod(symbols[n] if isinstance(n, str) else n for n in buffer["shape"])
        address[buffer["name"]] = at
        view = memory.view(at, count * width[buffer["type"]])
        if buffer["kind"] == "input":
            view[:] = data[buffer["name"]].view(np.uint8).ravel()
        elif buffer["kind"] == "constant":
            start = buffer["offset"]
            view[:] = np.frombuffer(members["constants.bin"], np.uint8)[start : start + count]
        elif buffer["kind"] in {"values", "positions"}:
            values = buffer.get("values", range(count))
            numbers = [symbols[n] if isinstance(n, str) else n for n in values]
            view[:] = np.array(numbers, f"<i{width[buffer['type']]}").view(np.uint8)
        at = -(-(at + len(view)) // 64) * 64
    window = memory.base, -(-at // 4096) * 4096
    values = [address[p["buffer"]] if "buffer" in p else symbols[p["symbol"]] for p in parameters]
    packet = [manifest["instruction_set"], *values]
    places = window[1], window[1] + 8192
    for place, image in zip(places, (program, packet), strict=True):
        memory.view(place, 8 * len(image))[:] = np.array(image, "<u8").view(np.uint8)
    machine = Machine(Target.from_dict(manifest["target"], where="m.hwx"))
    job = Job(places[0], len(program), places[1], len(packet), window)
    assert machine.run(memory, job).status == DONE

    (result,) = manifest["outputs"]
    shape = [symbols[n] if isinstance(n, str) else n for n in result["shape"]]
    got = memory.view(address[result["buffer"]], 4 * prod(shape)).view("<f4").reshape(shape)
    np.testing.assert_array_equal(got, compiled(*arrays).outputs[0])
