"""The programs of the compiler's tests, found rather than listed.

    PYTHONPATH=.:tests python -m lockstep.programs

prints them all, and those that are left out with the reason.

It finds every function of every `.mlir` file below tests/, and every text with a function in the
Python files there. Programs that Python code puts together come from `PROGRAMS_FROM_CODE`, one
entry for each function that writes programs: `functions_with_programs` finds these.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
from bench.programs import PROGRAMS
from e2e import test_constants, test_long_chains, test_parameters, test_programs, test_table
from e2e.support import reference, tosa_text
from element_types import DTYPES
from unit.backend import programs as random_programs
from unit.backend import test_programs as backend

from hwc.compiler import compile_package
from hwc.dialects import TEXT_DIALECTS, make_context
from hwc.dialects.element_types import width
from hwc.errors import UserError
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.package import Package
from hwc.transforms.verify_stage import stage_of
from isa.target import load_target

TESTS = Path(__file__).resolve().parents[1]
_FUNCTION = re.compile(r"func\.func\s+@(\w+)\s*\(")
_KEYWORD = "func.func"

RANDOM_PROGRAMS = 60
"""Number of the compiler's random programs, as many as its tests run."""


@dataclass(frozen=True)
class Text:
    """A program of a test: a name that says where it is, its text, and the function.

    `shapes` are the shapes of its test's call, where they are known and few others fit.
    """

    name: str
    text: str
    entry: str | None = None
    shapes: tuple[tuple[int, ...], ...] | None = None


LEFT_OUT = {
    "filecheck/dialects/kernel.mlir": "the input is kernels, a later stage",
    "filecheck/dialects/kernel_choose.mlir": "the input is kernels, a later stage",
    "filecheck/dialects/kernel_host.mlir": "the input is kernels, a later stage",
    "filecheck/dialects/kernel_sizes.mlir": "the input is a shape program, a later stage",
    "filecheck/dialects/strip.mlir": "the input is strips, a later stage",
    "filecheck/dialects/upstream_arith.mlir": "types that the machine does not have",
    "filecheck/transforms/annotate_entry.mlir": "facts of which some are for another function",
    "filecheck/transforms/convert_kernel_to_strip.mlir": "the input is kernels, a later stage",
    "filecheck/transforms/schedule_strips.mlir": "the input is strips, a later stage",
    "e2e/test_commands.py": "programs that must be refused",
    "e2e/test_tosa_models.py": "models, of which one must be refused",
    "e2e/test_accounts.py": "a pattern, in which operators are filled in",
    "e2e/test_constants.py": "patterns, of which `PROGRAMS_FROM_CODE` makes programs",
    "e2e/test_folding.py": "a pattern, in which a condition is filled in",
    "e2e/test_host_results.py": "a result of a type that no argument or result may have",
    "e2e/test_host_tensors.py": "programs that must be refused",
    "e2e/test_libraries.py": "operators of a library, which the command line names",
    "e2e/test_operator_rules.py": "programs that must be refused",
    "e2e/test_reference_linalg.py": "branches, which must be refused",
    "e2e/test_size_language.py": "programs that must be refused",
    "e2e/test_specialize.py": "a pattern, in which operations are filled in",
    "e2e/test_stage_texts.py": "the input is kernels and strips, later stages",
    "e2e/test_tflite_messages.py": "text of a converter, which must be refused",
    "fuzz/commands.py": "a pattern, whose operator is one of a library",
    "unit/backend/choices.py": "the input is kernels, a later stage",
    "unit/cli/test_info.py": "a pattern, in which an operation is filled in",
    "unit/cli/test_random_shapes.py": "a pattern, in which facts are filled in",
    "unit/dialects/test_attributes.py": "programs that must be refused",
    "unit/dialects/test_tosa_conformance.py": "a pattern, and programs that must be refused",
    "unit/frontend/test_dense_lists.py": "a pattern, and programs that must be refused",
    "unit/frontend/test_diagnostics.py": "programs that must be refused",
    "unit/frontend/test_broken_texts.py": "broken texts",
    "unit/frontend/test_opt.py": "programs that must be refused",
    "unit/frontend/test_syntax_errors.py": "broken texts",
    "unit/frontend/test_xdsl_parser.py": "broken texts",
    "unit/plans/test_choose.py": "a pattern, in which facts are filled in",
    "unit/sweeps/test_grid.py": "a pattern, in which operations are filled in",
    "unit/test_pipeline.py": "operations of a later stage, which no user writes",
    "unit/tosa/test_graph.py": "the first line of a program, whose operators are counted out",
}
"""Programs of these files that do not compile from text to package are left out, for this reason.

So are those of a `.mlir` file whose test expects errors: `left_out` knows.
The message of the compiler says more: `python -m lockstep.programs` prints it.
"""

FEW_SHAPES = {
    "filecheck/transforms/shape_values.mlir": "sizes are elements of an argument",
    "filecheck/transforms/sizes_to_tosa.mlir": "sizes are elements of an argument",
    "e2e/test_shape_operations.py": "sizes are elements of an argument",
    "e2e/test_shape_tensors.py": "sizes are elements of an argument",
    "e2e/test_specialize.py": "an expanding dimension is of size 4",
    "fuzz/packages.py": "sizes are elements of an argument",
    "unit/runtime/test_timing.py": "sizes are elements of an argument",
}
"""Files with programs for which `cases` draws no shapes that fit, and why."""

NOT_READ = "e2e/programs/mended/"
"""Small programs with parts for the host, and texts that must be refused: no kernels of their own.

`e2e/test_mended_inputs.py` runs them.
"""


def _each_operator() -> Iterator[Text]:
    """Every operator with every element type, fully dynamic, as tests/e2e/test_operators.py."""
    shape = tosa_text.dynamic(2)
    for case in reference.cases():
        operands = [(shape, kind) for kind in case.types]
        result = shape, case.result
        extra = case.attributes, case.constants
        yield Text(str(case), tosa_text.one_operator(case.operator, operands, result, *extra))


def _narrow_floats() -> Iterator[Text]:
    """Operators that round, and casts, on floats narrower than f32."""
    operators = {"add": 2, "sub": 2, "mul": 2, "pow": 2, "exp": 1, "log": 1, "rsqrt": 1, "sin": 1}
    cases = [(name, [t] * count, t) for t in ("f16", "bf16") for name, count in operators.items()]
    floats = ("f32", "f16", "bf16", "f8E4M3FN", "f8E5M2")
    for source, result in permutations(floats, 2):
        if width(source) != width(result):
            cases.append(("cast", [source], result))
    for name, kinds, result in cases:
        shape = tosa_text.dynamic(2)
        text = tosa_text.one_operator(name, [(shape, kind) for kind in kinds], (shape, result))
        yield Text(" ".join((name, *kinds, result)), text)


def _parameters() -> Iterator[Text]:
    """Rescale, with all its parameters as arguments."""
    for number, (source, result) in enumerate((("i8", "i16"), ("i16", "i32"), ("i32", "i8"))):
        for channels in (False, True):
            text = test_parameters.rescaled(source, result, channels, scale32=number % 2 == 0)
            size = 7 if channels else 1
            shapes = ((40, 7), (size,), (size,), (1,), (1,))
            yield Text(f"rescale {source} {result} {channels}", text, shapes=shapes)


def _tables() -> Iterator[Text]:
    """Tables of both types, constants and arguments."""
    for kind, size in test_table.SIZES.items():
        entries = test_table.random(kind, size)
        of = f"tensor<?x?x{kind}>"
        yield Text(f"table {kind} constant", test_table.reads(kind, of, entries))
        yield Text(f"table {kind}", test_table.reads(kind, of, None))


def _sizes() -> Iterator[Text]:
    """Additions of every rank, select of every rank, static ones, chains."""
    dynamic = tosa_text.dynamic
    for rank in range(7):
        shape = dynamic(rank)
        yield Text(f"add rank {rank}", tosa_text.add_program(shape, shape, shape))
        three = [(shape, "i1"), (shape, "i32"), (shape, "i32")]
        yield Text(f"select rank {rank}", tosa_text.one_operator("select", three, (shape, "i32")))
    for a, b in (((4, 5), (1, 5)), ((None, 5), (1, 1)), ((7, 1, 300), (7, 3, 1)), ((1,), (1,))):
        sizes = [
            x if y == 1 or x is None else y if x == 1 else x for x, y in zip(a, b, strict=True)
        ]
        yield Text(f"add {a} {b}", tosa_text.add_program(a, b, sizes))
    for rank in (1, 2, 3):
        yield Text(
            f"chain rank {rank}", tosa_text.chain_program([dynamic(rank)] * 4, dynamic(rank))
        )
    for shapes in ([(9, 65)] * 4, [(1, 65), (9, 1), (1, 65), (9, 1)]):
        result = np.broadcast_shapes(*shapes)
        yield Text(f"chain {shapes[0]}", tosa_text.chain_program(shapes, result))


def _constants() -> Iterator[Text]:
    for values in ("", "1.0"):
        yield Text(f"EMPTY {values}", test_constants.EMPTY.replace("VALUES", values))
    for kind in DTYPES:
        yield Text(f"ALONE {kind}", test_constants.ALONE.replace("TYPE", kind))


def _reshapes() -> Iterator[Text]:
    for wanted in ((4, 5), (20,), (2, 2, 5)):
        yield Text(f"reshape {wanted}", test_programs.reshape(wanted))


def _long_chains() -> Iterator[Text]:
    for count in (5, 50):
        yield Text(f"{count} operators", test_long_chains.long_chain(count))


def _graphs() -> Iterator[Text]:
    """Where streams, registers, instruction words and parameters run out."""
    for arguments, reuse in ((30, 0.0), (30, 0.4), (2, 0.85)):
        yield Text(
            f"{arguments} {reuse}", backend.folded_graph(arguments, arguments, 200, reuse)[0]
        )


def _random() -> Iterator[Text]:
    """The random programs of tests/unit/backend/test_programs.py."""
    for seed in range(RANDOM_PROGRAMS):
        rng = Random(seed)
        size = rng.randint(1, 8), rng.choice((3, 8, 20, 60)), rng.randint(1, 4)
        share = rng.choice((0.0, 0.5, 0.9, 1.0))
        with np.errstate(all="ignore"):  # NumPy computes values along with the text
            program = random_programs.generate(seed, *size, share)
        yield Text(f"seed {seed}", program.text, shapes=tuple(a.shape for a in program.arguments))


def _named() -> Iterator[Text]:
    """The named programs of the benches, every size dynamic."""
    for program in PROGRAMS:
        yield Text(program.name, program.text())


_RANDOM = "as those of lockstep/test_random_programs.py"

PROGRAMS_FROM_CODE: dict[str, Callable[[], Iterator[Text]] | str] = {
    "e2e/support/tosa_text.py one_operator": _each_operator,
    "e2e/support/tosa_text.py chain_program": _sizes,
    "e2e/test_constants.py (patterns)": _constants,
    "e2e/test_programs.py reshape": _reshapes,
    "e2e/test_long_chains.py long_chain": _long_chains,
    "e2e/test_narrow_floats.py program": _narrow_floats,
    "e2e/test_parameters.py rescaled": _parameters,
    "e2e/test_table.py reads": _tables,
    "e2e/test_table.py test_a_table_is_filled_in_the_dispatch_that_reads_it": "as table_two.mlir, "
    "and longer",
    "e2e/test_table.py test_refused": "programs that must be refused",
    "unit/backend/test_programs.py folded_graph": _graphs,
    "unit/backend/programs.py program": _random,
    "bench/programs.py text": _named,
    "bench/quantised.py text": "chains as in quantised.mlir and table_chain.mlir, `_parameters`",
    "bench/large_programs.py chain": "as long_chain",
    "bench/quantised_model.py text": "a model, whose parts run on the host",
    "bench/large_programs.py text": _RANDOM,
    "e2e/test_machine_work.py test_equal_symbols_are_one_parameter": "as in `_each_operator`",
    "unit/backend/test_programs.py test_intermediates_are_reused": "as folded_graph",
    "unit/backend/test_programs.py test_packet_holds_buffers_and_symbols_and_nothing_more": "as "
    "chain_program",
    "unit/backend/test_programs.py test_two_thousand_operations_have_few_shape_steps": "as "
    "long_chain, and too long to simulate in hardware",
    "bench/small_kernels.py function": "as one_operator",
    "bench/timing_speed.py text": _RANDOM,
    "bench/strip_speed.py text": _RANDOM,
    "bench/mismatches.py _chain": "static additions, as in `_sizes`",
    "bench/mismatches.py _elementwise": "static additions, as in `_sizes`",
    "bench/mismatches.py _reshape": "static additions, as in `_sizes`",
    "e2e/test_elementwise.py compiled": _RANDOM,
    "e2e/test_elementwise.py test_a_scalar_condition_chooses_for_all": _RANDOM,
    "e2e/test_folding.py equal_elements": "results of 4 GB",
    "e2e/test_folding.py scalars_program": "on constants it copies them, else as the units' tests",
    "e2e/test_folding.py with_constants": "as `_random`, on constants",
    "e2e/test_libraries.py test_an_operation_may_have_the_name_of_the_operator": "operators of a "
    "library, which the command line names",
    "e2e/test_linalg.py program": _RANDOM,
    "e2e/test_moved_elements.py program": "models, whose parts run on the host",
    "e2e/test_operator_rules.py one": "models, whose parts run on the host",
    "e2e/test_shape_operations.py _program": _RANDOM,
    "e2e/test_shape_operations.py _upstream": _RANDOM,
    "e2e/test_shape_tensors.py reshaped": "reshapes, as in `_reshapes`, by computed shapes",
    "e2e/test_shape_tensors.py test_what_is_refused": "programs that must be refused",
    "e2e/test_size_language.py binary": _RANDOM,
    "e2e/test_size_language.py test_a_result_has_the_strict_dimensions_of_its_operand": _RANDOM,
    "e2e/test_size_language.py test_checks_disappear_where_strict_dimensions_meet_again": _RANDOM,
    "bench/random_graphs.py text": _RANDOM,
    "e2e/test_mediapipe_operators.py program": "models, whose parts run on the host",
    "e2e/test_plans.py test_a_chain_of_five_arguments_has_at_most_eight_plans": _RANDOM,
    "e2e/test_size_language_random.py text": _RANDOM,
    "e2e/test_random_sizes.py _text": _RANDOM,
    "e2e/test_time_equals_run.py test_a_difference_is_noticed": _RANDOM,
    "e2e/test_time_equals_run.py test_larger_shapes": _RANDOM,
    "e2e/test_tosa_models.py test_types_that_numpy_lacks_pass_through_iree": "models, whose parts "
    "run on the host",
    "e2e/test_tflite_messages.py test_text_that_the_converter_wrote": "text of a converter, which "
    "must be refused",
    "operator_rules/table.py text": "as `_each_operator`, and models, whose parts run on the host",
    "random_programs/graph.py text": _RANDOM,
    "fuzz/commands.py _library": "a library, nothing that runs",
    "unit/backend/test_fused_body.py module_of": "the input is kernels, a later stage",
    "unit/backend/test_fused_body.py planner_of": "the input is kernels, a later stage",
    "unit/dialects/test_known_to_be_legal.py compiled": "products, also refused ones",
    "unit/frontend/test_plain_operations.py read": "additions, and programs that must be refused",
    "unit/frontend/test_repeated_signatures.py "
    "test_a_signature_in_another_form_is_read_as_xdsl_reads_it": "one addition, or refused",
    "unit/frontend/test_repeated_signatures.py test_a_signature_is_parsed_once": "additions",
    "unit/frontend/test_repeated_signatures.py "
    "test_the_type_of_a_constant_is_read_as_xdsl_reads_it": "constants, nothing that runs",
    "unit/frontend/test_repeated_signatures.py test_the_type_of_a_constant_is_parsed_once": ""
    "constants, nothing that runs",
    "unit/backend/selection/test_rules.py operation": "scalars, nothing that runs",
    "unit/backend/selection/test_values.py compile_scalar": "the input is kernels, a later stage",
    "unit/frontend/test_diagnostics.py test_an_operation_that_no_program_may_have": "programs that "
    "must be refused",
    "unit/frontend/test_old_names.py test_an_old_name_in_a_program": "programs that must be "
    "refused",
    "unit/frontend/test_operator_values.py program": "as one_operator, for static sizes",
    "unit/frontend/test_operators.py function": "as one_operator",
    "unit/frontend/test_sparse_weights.py program": "weights, nothing that runs",
    "unit/frontend/test_speed.py chain": "as long_chain",
    "unit/frontend/test_signatures.py refused": "programs that must be refused",
    "unit/frontend/test_syntax_errors.py in_function": "programs that must be refused",
    "unit/runtime/test_display.py many": "as one_operator, many times",
    "unit/runtime/test_kernels.py program": _RANDOM,
    "unit/runtime/test_timing.py test_several_dispatches": "as long_chain",
}
"""Programs that code puts together, by the function that writes them; or why they are left out."""

_LATER_STAGE = re.compile(r"^[^/]*\b(kernel|strip|hwc)\.", re.M)


@cache
def left_out(file: str) -> str | None:
    """Why programs of a file may be left out; None if all of them have to compile."""
    if file.endswith(".mlir") and "--verify-diagnostics" in (TESTS / file).read_text("utf-8"):
        return "programs that must be refused"
    if file.startswith("fuzz/corpus/"):
        return "hostile text, most of which must be refused"
    return LEFT_OUT.get(file)


@cache
def texts() -> tuple[Text, ...]:
    """Every program in a fixed order, including those that are left out."""
    return (*_from_files(), *_from_python(), *_from_code())


def _from_files() -> Iterator[Text]:
    for path in sorted(TESTS.rglob("*.mlir")):
        name = path.relative_to(TESTS).as_posix()
        if name.startswith(NOT_READ):
            continue
        pieces = re.split(r"^\s*// -----.*$", path.read_text(encoding="utf-8"), flags=re.M)
        for number, piece in enumerate(pieces):
            where = name if len(pieces) == 1 else f"{name} part {number}"
            yield from _functions(where, piece)


def _from_python() -> Iterator[Text]:
    for path, tree in _python():
        found = 0
        joined = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
        pieces = {id(part) for node in joined for part in node.values}
        for node in ast.walk(tree):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and id(node) not in pieces and _FUNCTION.search(value):
                yield from _functions(f"{path} text {found}", value)
                found += 1


def _from_code() -> Iterator[Text]:
    for function, programs in PROGRAMS_FROM_CODE.items():
        if not isinstance(programs, str):
            for text in programs():
                yield replace(text, name=f"{function} {text.name}")


def _functions(where: str, text: str) -> Iterator[Text]:
    entries = _FUNCTION.findall(text)
    for entry in dict.fromkeys(entries):
        yield Text(where if len(entries) == 1 else f"{where} @{entry}", text, entry)


def _python() -> Iterator[tuple[str, ast.Module]]:
    own = TESTS / "lockstep"
    for path in sorted(TESTS.rglob("*.py")):
        if own not in path.parents:
            yield path.relative_to(TESTS).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def functions_with_programs() -> set[str]:
    """The functions in tests that put a program's text together: `file function`."""
    return {
        f"{path} {function.name}"
        for path, tree in _python()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.JoinedStr)
        if any(
            _KEYWORD in str(part.value) for part in node.values if isinstance(part, ast.Constant)
        )
    }


def package(text: Text, target: str) -> Package:
    """Compile it; UserError if it does not compile, or is text of a later stage.

    `tests/e2e/test_stage_texts.py` compiles that text. Tests of dialects and passes write it by
    hand, and not every such program is one that the machine runs.
    """
    source = Source(text.name, text.text)
    if _LATER_STAGE.search(text.text):
        stage = stage_of(parse(source, make_context(TEXT_DIALECTS)))
        if stage != "tosa":
            raise UserError(f"{text.name}: error: text of stage {stage}")
    return compile_package(source, load_target(target), entry=text.entry).package


def file_of(text: Text) -> str:
    """The file of the program."""
    return text.name.split()[0]


def main() -> int:
    """Print the list."""
    for text in texts():
        try:
            print(f"{text.name}: {len(package(text, 'tiny').dispatches)} dispatches")
        except UserError as error:
            reason = left_out(file_of(text)) or "NO REASON"
            print(f"left out, {reason}: {str(error).splitlines()[0]}")
    for function, programs in PROGRAMS_FROM_CODE.items():
        if isinstance(programs, str):
            print(f"left out, {programs}: {function}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
