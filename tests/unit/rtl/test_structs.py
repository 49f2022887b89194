"""A struct that is described once is the same in Python and in SystemVerilog."""

from __future__ import annotations

import subprocess

import pytest

from isa.gen.sv_target import sv_target
from isa.target import load_target
from rtl_models.generate.descriptor_package import descriptor_package
from rtl_models.simulation.build import missing_tools
from rtl_models.sources import SOURCES
from rtl_models.stream_descriptor import DESCRIPTOR
from rtl_models.structs import Constant, Description, Field, Struct, Type

SMALL = Description(
    constants=(Constant("Twice", "2 * Lanes // 3 + 1", "a constant"),),
    types=(
        Type("wide_t", "Twice + 1", "a wide one"),
        Type("index_t", "clog2(Lanes)", "a lane"),
    ),
    structs=(
        Struct(
            "small_t",
            "A struct.",
            (
                Field("flag", "logic", "", "a bit"),
                Field("words", "wide_t", "Twice", "an array"),
                Field("one", "index_t", "Twice - 5", "an array of one element"),
                Field("element_type", "type_e", "", ""),
            ),
        ),
    ),
)
"""For the eight lanes of `accel`: 1, 6 words of 7 bits, 1 index of 3 bits, 4 bits."""


def test_pack():
    layout = SMALL.layout("small_t", load_target("accel"))
    assert layout.bits == 1 + 6 * 7 + 3 + 4
    values = {"flag": 1, "words": [1, 2, 3, 4, 5, 6], "one": [5], "element_type": 9}
    word = layout.pack(values)
    words = 0b0000110_0000101_0000100_0000011_0000010_0000001
    assert word == 1 << 49 | words << 7 | 5 << 4 | 9
    assert layout.unpack(word) == values
    assert layout.unpack(word | 1 << 50) == values


@pytest.mark.parametrize(
    "wrong",
    [{"flag": 2}, {"words": [0] * 5}, {"one": [8]}, {"element_type": -1}, {"other": 0}],
)
def test_values_that_do_not_fit(wrong):
    layout = SMALL.layout("small_t", load_target("accel"))
    values = {"flag": 0, "words": [0] * 6, "one": [0], "element_type": 0, **wrong}
    with pytest.raises(AssertionError):
        layout.pack(values)


def test_a_field_is_a_row():
    text = descriptor_package(SMALL)
    assert "  // a constant\n  localparam int unsigned Twice = 2 * Lanes / 3 + 1;\n" in text
    assert "  typedef logic [(Twice + 1)-1:0] wide_t;  // a wide one\n" in text
    assert "    wide_t [Twice-1:0] words;       // an array\n" in text
    assert "    index_t [(Twice - 5)-1:0] one;  // an array of one element\n" in text
    assert "    type_e element_type;\n  } small_t;\n" in text


def elaborates(folder, target, bits):
    """Whether a module that wants these widths of the generated structs elaborates."""
    (folder / "hwc_target_pkg.sv").write_text(sv_target(target))
    wanted = " || ".join(f"$bits({name}) != {width}" for name, width in bits.items())
    (folder / "user.sv").write_text(
        f"module user import hwc_descriptor_pkg::*; ();\n"
        f'  if ({wanted}) begin : gen_width\n    $error("width");\n  end\nendmodule\n'
    )
    packages = [SOURCES / "pkg" / f"hwc_{name}_pkg.sv" for name in ("isa", "descriptor")]
    files = [packages[0], folder / "hwc_target_pkg.sv", packages[1], folder / "user.sv"]
    command = ["verilator", "--lint-only", "--top-module", "user", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode or "width" in done.stderr, done.stderr
    return not done.returncode


@pytest.mark.parametrize("name", ["tiny", "accel", "wide"])
def test_widths_are_those_of_the_hardware(name, tmp_path):
    if missing_tools(["verilator", "perl"]):
        pytest.skip("this needs verilator")
    target = load_target(name)
    bits = {s.name: DESCRIPTOR.layout(s.name, target).bits for s in DESCRIPTOR.structs}
    assert elaborates(tmp_path, target, bits)
    assert not elaborates(tmp_path, target, {**bits, "stream_base_t": bits["stream_base_t"] + 1})
