"""The description of a stream: as a program configures it, and as the shape unit resolves it.

`python -m rtl_models.generate` writes it as hwc_descriptor_pkg; the benches pack and unpack with
`DESCRIPTOR.layout`. A new field is a new row.
"""

from __future__ import annotations

from rtl_models.structs import Constant, Description, Field, Struct, Type

DESCRIPTOR = Description(
    constants=(
        Constant("SizeBits", "MachineSizeBits", "bits of a size and of a number of points"),
        Constant("HostBits", "64", "bits of a register of the host and of a parameter"),
        Constant("RankMax", "MachineRankMax", "dimensions of a stream at most"),
        # Canonical form, from the inside out: every element repeat[0] times, a pass of data[0]
        # elements, passes repeat[1], data[1], repeat[2], data[2], repeat[3]. A level that is
        # missing has size 1.
        Constant(
            "DataLevels",
            "(RankMax + 1) // 2",
            "levels of data in the canonical form: at most every other dimension begins one",
        ),
        Constant(
            "RepeatLevels",
            "DataLevels + 1",
            "levels of repeats, which stand before, between and after the levels of data",
        ),
        Constant(
            "TableRows",
            "2 * Lanes",
            "rows of the lane tables: an offset below Lanes and up to Lanes points more",
        ),
    ),
    types=(
        Type("size_t", "SizeBits", "points, elements, a digit"),
        Type("address_t", "AddressBits", "of a byte"),
        Type("stream_address_t", "HostBits + 1", "parameter and offset, not wrapped"),
        Type("lane_index_t", "clog2(Lanes)", "a lane"),
        Type("lane_count_t", "clog2(Lanes) + 1", "0 to Lanes"),
        Type("level_t", "clog2(RepeatLevels)", "a level of repeats"),
        Type("dimension_t", "clog2(RankMax)", "a dimension, the outermost is 0"),
        Type("operand_t", "OperandBits", "an operand code"),
    ),
    structs=(
        Struct(
            "stream_base_t",
            "A stream as the instruction `base` configures it; its sizes follow one by one.",
            (
                Field("element_type", "type_e", "", ""),
                Field("address", "stream_address_t", "", "of its first element"),
            ),
        ),
        Struct(
            "stream_shape_t",
            "An input stream as the shape unit resolves it. Data digits are weighted: digit d of"
            " data level k is stored as d * block[k], its limit is block[k+1]. That makes every"
            " position a sum of digits.",
            (
                Field("valid", "logic", "", "the kernel uses the stream"),
                Field("element_type", "type_e", "", ""),
                Field("base", "address_t", "", ""),
                Field("held", "level_t", "", "held level, 0 for none"),
                Field("repeats", "size_t", "RepeatLevels", "repeat[0..3]"),
                Field(
                    "blocks",
                    "size_t",
                    "RepeatLevels",
                    "block[k] = data[0] * .. * data[k-1], block[0] = 1",
                ),
                Field(
                    "strip_repeats",
                    "size_t",
                    "RepeatLevels",
                    "digits of Vlen in this form, see strip_walker",
                ),
                Field("strip_data", "size_t", "DataLevels", "the same, weighted"),
                Field("block_points", "size_t", "", "repeat[0] * data[0] * repeat[1]"),
                Field(
                    "repeat_div", "lane_count_t", "TableRows", "i / repeat[0], if repeat[0] < Lanes"
                ),
                Field(
                    "repeat_mod", "lane_index_t", "TableRows", "i % repeat[0], if repeat[0] < Lanes"
                ),
                Field("pass_mod", "lane_index_t", "TableRows", "i % data[0], if data[0] < Lanes"),
            ),
        ),
        Struct(
            "output_shape_t",
            "An output stream: dense, as many elements as the kernel has points.",
            (
                Field("valid", "logic", "", "the kernel uses the stream"),
                Field("element_type", "type_e", "", ""),
                Field("base", "address_t", "", ""),
            ),
        ),
        Struct(
            "fault_t",
            "Why a program stopped. Stream and dimension are 0 where the fault names none.",
            (
                Field("code", "fault_e", "", ""),
                Field("stream", "operand_t", "", ""),
                Field("dimension", "dimension_t", "", ""),
            ),
        ),
    ),
)
