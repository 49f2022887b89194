"""Prose of the manual, around the tables of the instruction set."""

from isa.gen.names import ISA_SOURCES, generated

HEADER = f"""\
# The instruction set

<!-- {generated(ISA_SOURCES)} -->

"""

INTRODUCTION = """\
A program is a list of 64-bit words, stored least significant byte first. Its words are
executed one after another; the hardware may overlap them, which changes no result.
Version {version}.
"""

PROGRAMS = """\
## Programs and packets

A program is kernels and a `halt`. A kernel is, in this order:

1. for each stream a `base` and, after it, a `size` for each of its dimensions; words of different
   streams may alternate;
2. `loop`;
3. the body: vector instructions only, executed for every strip of the iteration space;
4. `end`, which also forgets the configuration.

The results are those of kernels executed one after another. The hardware may begin a kernel while
the one before still works, if it reads nothing that the one before writes.

The iteration space follows from the sizes of the input streams, padded with 1 on the left: a size
of 1 yields to the other size, and without inputs the first output gives the sizes. Points are
walked row-major. An input stream of size 1 in a dimension gives the same element along it; output
streams are dense.

In a body an input stream names the current strip wherever it is read. A register must be written
in the body before it is read there. An output stream is written exactly once. A result belongs to
its type's range: i1 is 0 or 1, narrower integers are sign-extended from their low bits.

Instructions of the units of rate `special_rate` ({special_units}) are *special instructions*. They
write result registers or output streams; all others are *lane instructions* and write vector
registers or output streams. Any instruction reads both kinds of registers. The two kinds issue side
by side, on different strips: a body is *phases*, and a lane instruction after a special one begins
the next phase. A body that ends with a special instruction has one phase more, an empty one.
`copies` of `loop` is how many strips have registers of their own at a time, and the most phases
that the body may have. With D copies a body has 1/D of the target's vector registers and 1/D of the
machine's result registers. A special instruction must not write a result register that a lane
instruction of its own phase reads.

The packet is 64-bit words: word 0 is the version of the instruction set, the others are the
parameters p0, p1, ... that `base` and `size` name. An address is parameter plus offset, in bytes.
"""

CHECKS = """\
### Order of the checks

Before the program starts: `program_too_large`, `packet_too_large`, `bad_version`.

A word before `loop` is checked when it is executed, at its own pc: `illegal_instruction`, then
`illegal_operand`, `bad_structure`, `bad_parameter`, `bad_dimension`. A bit that must be 0 but
is 1 is an `illegal_instruction` even if an operand is illegal as well.

At `loop`, before a stream moves, the body is decoded up to `end` and then the shapes are checked.
The lowest pc wins, so a fault of the shapes, which has the pc of `loop`, hides one in the body:

1. a kernel has an output stream and every configured stream has all its sizes (`bad_structure`);
2. inputs in order, outermost dimension first: a size is 1, or what the streams before it gave, or
   these gave 1; else `shape_mismatch`. 0 is a size like any other: with 1 it gives 0, with 5 it
   does not fit;
3. outputs in order: each size is the inferred one, else `output_shape`;
4. the number of points is in range, else `too_many_points`;
5. per stream, inputs first: `misaligned`, then `out_of_window`. A stream without elements is in
   any window;
6. outputs in order: the bytes from the first to the last element are disjoint from the bytes of
   every input and of every output before it, else `overlap`. An input with the same base, type and
   padded sizes is allowed: strips are read before they are written.

The fault registers give the code, the pc, the stream (its operand code, or 0) and the dimension (or
0; as the word gives it, but for a fault of the shapes counted from the outermost after padding).
Kernels before the fault have done their work; the kernel with the fault has written nothing.
"""

TARGETS = """\
## Targets

A target file is YAML with exactly the keys below and `name`. `isa.target.load_target` takes the
file's path, and for a file in `configs/` also its name without `.yaml`.
"""

ASSEMBLER = """\
## Assembler

One instruction per line; `;` starts a comment; indentation means nothing. Streams and registers
are written `s0`, `o0`, `v0`, `t0`, parameters `p0`.

| line | meaning |
|---|---|
| `base s0, f32, rank=2, p0, +64` | an f32 stream with two sizes at p0 plus 64 bytes |
| `size s0, 0, p3` | the outermost size of s0 is parameter 3 |
| `size s0, 1, #7` | its next size is 7 |
| `loop`, `loop copies=2` | strips with registers of their own: 1, or 2 or 4 |
| `add.f32 o0, s0, v1` | destination first, then the operands |
| `max.i32 v1, s0, #-7` | immediates: decimal from -2^31 to 2^32-1, hexadecimal `#0x7f` |
| `max.f32 v1, s0, #1.5f` | or f32 with `f` at the end, `#-inff` too; NaN is `#0x7fc00000` |
| `.word 0x00000000000000ff` | any 64-bit word |

A word has one immediate; operands may share it. The disassembler writes immediates in hexadecimal,
and a word that is not an instruction as `.word` with the reason as a comment.
"""

EXAMPLE_INTRODUCTION = """\
## Example

Two operands of rank 2 are added; any of their sizes may be 1. The parameters are three
addresses, then the sizes of the first operand, of the second, and of the result.
"""

EXAMPLE = """\
base s0, f32, rank=2, p0, +0
size s0, 0, p3
size s0, 1, p4
base s1, f32, rank=2, p1, +0
size s1, 0, p5
size s1, 1, p6
base o0, f32, rank=2, p2, +0
size o0, 0, p7
size o0, 1, p8
loop
  add.f32 o0, s0, s1
end
halt
"""
