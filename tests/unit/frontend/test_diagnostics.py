"""Errors: where, the line, what to do."""

# ruff: noqa: E501 - MLIR text has long lines

import pytest

from hwc.frontend.diagnostics import LocatedError, quoting
from hwc.frontend.source import QUOTED_CHARACTERS, Location, Source
from hwc.pipeline import CompileError, run

ADD = """\
func.func @main(%a: tensor<2x5xf32>, %b: tensor<64x5xf32>) -> tensor<?x5xf32> {
\t%0 = "tosa.add"(%a, %b) : (tensor<2x5xf32>, tensor<64x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
"""


def refused(text, **settings):
    with pytest.raises(LocatedError) as caught:
        run(Source("m.mlir", text), until="linalg", **settings)
    return str(caught.value)


def test_the_whole_message():
    assert (
        refused(ADD)
        == """\
m.mlir:2:7: error: the operands of 'tosa.add' do not broadcast: dimension 0 is 2 in operand 0 (2x5) and 64 in operand 1 (64x5)
 %0 = "tosa.add"(%a, %b) : (tensor<2x5xf32>, tensor<64x5xf32>) -> tensor<?x5xf32>
      ^
help: the sizes of a dimension must be equal, or 1"""
    )


def test_syntax_errors_look_the_same():
    lines = refused(ADD.replace('"tosa.add"(', '"tosa.add"[')).splitlines()
    assert lines[0] == "m.mlir:2:17: error: '(' expected in operation argument list, got '['"
    assert lines[2].index("^") == 16
    assert lines[3].startswith("help: ")


def test_what_is_found_after_reading_an_operation_is_located_at_its_name():
    """Here types that it does not take; the position of the parser is on the next line already."""
    text = """\
func.func @main(%a: tensor<2xf32>) {
  %0 = arith.addi %a, %a : tensor<2xf32>

  return
}
"""
    assert refused(text).startswith("m.mlir:2:8: error: 'arith.addi' does not take f32")


@pytest.mark.parametrize(
    ("operation", "message", "advice"),
    [
        ("linalg.matmul_t", "'linalg.matmul_t' is not supported: it is not element-wise", "linalg"),
        ("tensor.gather", "'tensor.gather' is not supported: it moves elements", "of tensor"),
        ("arith.nope", "unknown operation 'arith.nope'", "arith, math, linalg and tensor"),
    ],
)
def test_an_operation_that_no_program_may_have(operation, message, advice):
    text = refused(f'func.func @main() {{\n  "{operation}"() : () -> ()\n  return\n}}')
    assert text.startswith(f"m.mlir:2:3: error: {message}")
    assert advice in text.split("help: ")[1]


def test_a_source_cannot_control_the_terminal():
    """Not even by a name with a line break, which would look like a message of the compiler."""
    error = LocatedError(Location("m", 1, 2), "no 'a\x1b[2J\nb'", "not \x1b")
    error.quote = Source("m", "%\x1b[2J\r!").quote(Location("m", 1, 2))
    assert str(error) == "m:1:2: error: no 'a?[2J?b'\n%?[2J?!\n ^\nhelp: not ?"


def test_long_words_are_cut():
    """Names and numbers of a source may be as long as the source."""
    error = LocatedError(Location("m", 1, 2), f"no {'9' * 100_000} here", f"not {'x' * 200}")
    assert str(error) == f"m:1:2: error: no {'9' * 80}... here\nhelp: not {'x' * 80}..."
    assert "x" * 150 in str(LocatedError(None, "x" * 150))


def test_quotes_of_long_lines_are_cut():
    text = "x" * 1000 + "!" + "y" * 1000
    quote = Source("f", text).quote(Location("f", 1, 1001))
    line, caret = quote.splitlines()
    assert line.startswith("...") and line.endswith("...")
    assert len(line) == QUOTED_CHARACTERS + 6
    assert line[caret.index("^")] == "!"


@pytest.mark.parametrize(
    ("position", "expected"),
    [(0, (1, 1)), (1, (1, 2)), (2, (1, 3)), (3, (2, 1)), (4, (3, 1)), (5, (3, 2))],
)
def test_locate(position, expected):
    assert Source("f", "ab\n\nc").locate(position) == ("f", *expected)


def test_no_quote_for_another_file():
    source = Source("f", "a\nb", first_line=10)
    assert source.quote(Location("g", 10, 1)) == ""
    assert source.quote(Location("f", 12, 1)) == ""
    assert source.quote(Location("f", 11, 1)) == "b\n^"


def test_quoting_keeps_what_is_there():
    error = LocatedError(Location("f", 1, 1), "no", "yes")
    with pytest.raises(LocatedError), quoting(Source("f", "text")):
        raise error
    assert str(error) == "f:1:1: error: no\ntext\n^\nhelp: yes"


def test_entry():
    two = ADD.replace("64x", "2x").replace("\t", "  ")
    two += two.replace("@main", "@other").replace("tosa.add", "tosa.sub")
    assert "tosa.add" in str(run(Source("m", two), until="tosa").module)
    assert "tosa.sub" in str(run(Source("m", two), until="tosa", entry="other").module)
    assert "no function @third to compile; there are @main, @other" in refused(two, entry="third")


def test_the_only_function_needs_no_name():
    one = ADD.replace("64x", "2x").replace("@main", "@anything")
    assert "@anything" in str(run(Source("m", one), until="tosa").module)


def test_two_entries_of_one_name():
    one = ADD.replace("64x", "2x")
    assert "m.mlir:5:1: error: function @main is defined twice" in refused(one + one)


def test_several_functions_need_a_main():
    two = ADD.replace("64x", "2x").replace("@main", "@f")
    assert "there is no function @main" in refused(two + two.replace("@f", "@g"))


def test_unknown_stage():
    with pytest.raises(CompileError, match="there is no stage 'llvm'; stages are tosa, linalg"):
        run(Source("m", ADD), until="llvm")
