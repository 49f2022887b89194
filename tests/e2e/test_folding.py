"""Constants that are folded give the bits that the machine computes from the same arguments."""

import re
from random import Random

import ml_dtypes
import numpy as np
import pytest
from e2e.support.data import SPECIAL_F32, elements
from element_types import DTYPES as NUMPY
from unit.backend import programs as random_programs

import hwc
import isa
from hwc.backend.selection.emitter import NoInstructionError
from hwc.backend.selection.rules import RULES
from hwc.backend.selection.select import RELATIONS, instructions_of, scalars_of
from hwc.cli.print_ir import text_of
from hwc.dialects import make_context
from hwc.dialects.element_types import element_type
from hwc.errors import UserError
from hwc.folding.evaluate import fold_scalar
from hwc.frontend.parser import parse
from hwc.frontend.source import Source
from hwc.pipeline import run
from sim.semantics import formats

CONTEXT = make_context()
DTYPES = NUMPY | {
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
FORMATS = {t.mlir: t for t in isa.load().types.values() if t.kind == "float"}
CANONICAL = {kind: formats.FORMATS[t.name].canonical_nan for kind, t in FORMATS.items()}
POINTS = 640
"""All pairs of special values, and random ones."""


def dense(array):
    """The constant of an array, with its type."""
    kind = next(k for k, d in DTYPES.items() if d == array.dtype.type)
    type_ = f"tensor<{''.join(f'{n}x' for n in array.shape)}{kind}>"
    if array.dtype == np.bool_:
        return f"dense<{str(array.tolist()).lower()}> : {type_}"
    return f'dense<"0x{array.tobytes().hex()}"> : {type_}'


def bits(array):
    return array if array.dtype == np.bool_ else array.view(f"u{array.dtype.itemsize}")


def assert_same_bits(got, expected):
    for one, other in zip(got.outputs, expected.outputs, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(bits(one), bits(other))


def sources(program):
    """What the kernels of a package were made from."""
    return {kernel.source for step in program.package.steps for kernel in step.kernels}


def stage(text, name):
    return text_of(run(Source("x.mlir", text), until=name).module)


def definition(name):
    return CONTEXT.get_op(name).get_irdl_definition()


def operand_types(scalar):
    arity = len(definition(scalar.name).operands)
    # What saturates is an i32 in every type.
    saturates = "_saturate" in scalar.name
    kinds = ["i32" if saturates else scalar.operand.mlir] * arity
    return ["i1", *kinds[1:]] if scalar.name == "arith.select" else kinds


def exists(scalar):
    """Whether upstream has the operation on these types, and the machine its instructions."""
    before, after = scalar.operand.bits, scalar.result.bits
    fits = {
        "arith.bitcast": before == after,
        "arith.extf": before < after,
        "arith.extsi": before < after,
        "arith.extui": before < after,
        "arith.truncf": before > after,
        "arith.trunci": before > after,
    }
    try:
        instructions_of(scalar, (False,) * len(operand_types(scalar)))
    except NoInstructionError:
        return False
    return fits.get(scalar.name, True)


def operation(scalar):
    """The text of an operation after its operands: properties and types."""
    properties = {
        key: str(p.default_value)
        for key, p in definition(scalar.name).properties.items()
        if p.default_value is not None
    }
    if scalar.relation:
        properties["predicate"] = f"{RELATIONS[scalar.name].index(scalar.relation)} : i64"
    listed = ", ".join(f"{key} = {value}" for key, value in properties.items())
    types = ", ".join(operand_types(scalar))
    return (
        f"<{{{listed}}}> : ({types}) -> {scalar.result.mlir}"
        if listed
        else (f": ({types}) -> {scalar.result.mlir}")
    )


def scalars_program(scalars, arrays, constant):
    """One `linalg.generic` for each scalar operation, on arguments or on constants."""
    arguments, lines, results = [], [], []
    for i, (scalar, operands) in enumerate(zip(scalars, arrays, strict=True)):
        kinds, result = operand_types(scalar), f"tensor<{POINTS}x{scalar.result.mlir}>"
        names = [f"%a{i}_{j}" for j in range(len(kinds))]
        types = [f"tensor<{POINTS}x{kind}>" for kind in kinds]
        for name, type_, array in zip(names, types, operands, strict=True):
            if constant:
                lines.append(f"{name} = arith.constant {dense(array)}")
            else:
                arguments.append(f"{name}: {type_}")
        maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (len(kinds) + 1))
        block = ", ".join(f"%x{j}: {kind}" for j, kind in enumerate(kinds))
        values = ", ".join(f"%x{j}" for j in range(len(kinds)))
        lines += [
            f"%e{i} = tensor.empty() : {result}",
            f'%r{i} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}} '
            f"ins({', '.join(names)} : {', '.join(types)}) outs(%e{i} : {result}) {{",
            f"^bb0({block}, %o: {scalar.result.mlir}):",
            f'  %z = "{scalar.name}"({values}) {operation(scalar)}',
            f"  linalg.yield %z : {scalar.result.mlir}",
            f"}} -> {result}",
        ]
        results.append(result)
    returned = ", ".join(f"%r{i}" for i in range(len(scalars)))
    body = "\n".join(lines)
    return (
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(results)}) {{\n{body}\n"
        f"return {returned} : {', '.join(results)}\n}}"
    )


def special(kind):
    if kind in FORMATS:
        with np.errstate(over="ignore", invalid="ignore"):
            return SPECIAL_F32.astype(DTYPES[kind])
    if kind == "i1":
        return np.array([False, True])
    info = np.iinfo(DTYPES[kind])
    middle = np.arange(-9, 10, dtype=info.dtype)
    return np.array([info.min, info.min + 1, *middle, info.max - 1, info.max], info.dtype)


def operands_of(scalar, rng):
    """Operands at all points: first the pairs of special values of the last two operands."""
    kinds = operand_types(scalar)
    arrays = [
        elements(kind, (POINTS,), rng)
        if kind in NUMPY
        else rng.integers(0, 1 << FORMATS[kind].bits, POINTS).astype(f"u{FORMATS[kind].bytes}")
        for kind in kinds
    ]
    arrays = [array.view(DTYPES[kind]) for kind, array in zip(kinds, arrays, strict=True)]
    if scalar.name == "hwc.mul_shift":  # shifts are 0 to 63
        arrays[-1] = rng.integers(0, 64, POINTS, np.int32)
        return arrays
    first, last = np.meshgrid(special(kinds[-2 % len(kinds)]), special(kinds[-1]))
    for array, values in zip(arrays[-2:], [first, last][-len(kinds) :], strict=True):
        array[: values.size] = values.reshape(-1)
    return arrays


def not_in_ir(array, kind):
    """Where the IR, which holds numbers, has another NaN: a signalling one; any of its own bits."""
    if kind not in FORMATS:
        return np.zeros(array.shape, bool)
    with np.errstate(invalid="ignore"):
        nan = np.isnan(array.view(DTYPES[kind]))
    if kind == "f32":
        return nan & (bits(array) >> 22 & 1 == 0)
    return nan & (not FORMATS[kind].infinite or bits(array) != CANONICAL[kind])


def literal(value, kind):
    if kind == "i1":
        return str(value).lower()
    if kind in FORMATS:
        return f"0x{bits(value):0{2 * value.itemsize}X} : {kind}"
    return f"{value} : i{8 * value.itemsize}"


def packed(constant, kind):
    """The bytes of a constant."""
    if kind in ("f32", *(k for k in DTYPES if k not in FORMATS)):
        return constant.type.pack([constant.value.data])
    return np.array(constant.value.data).astype(DTYPES[kind]).tobytes()


def check_scalars(scalar, operands, expected):
    """Fold one operation on scalars at some of the points; the IR has not every NaN."""
    kinds, result = operand_types(scalar), scalar.result.mlir
    other = [not_in_ir(a, kind) for a, kind in zip(operands, kinds, strict=True)]
    given = ~np.any(other, axis=0)
    lines, points = [], np.flatnonzero(given)[:: POINTS // 24]
    for point in points:
        names = [f"%c{point}_{i}" for i in range(len(operands))]
        lines += [
            f"{name} = arith.constant {literal(array[point], kind)}"
            for name, array, kind in zip(names, operands, kinds, strict=True)
        ]
        lines.append(f'%r{point} = "{scalar.name}"({", ".join(names)}) {operation(scalar)}')
    module = parse(Source("x.mlir", "\n".join(lines)), CONTEXT)
    operations = [op for op in module.walk() if op.name == scalar.name]
    for point, op in zip(points, operations, strict=True):
        folded = fold_scalar(op)
        if folded is None:
            assert not_in_ir(expected[point : point + 1], result)[0]
            continue
        number = packed(folded, result)
        true = expected.dtype == np.bool_
        assert number == (-expected[point].astype(np.int8) if true else expected[point]).tobytes()


READ_A_TABLE = {"hwc.interpolate", "hwc.lookup"}
"""They are no operations on scalars alone: test_table.py."""


@pytest.mark.parametrize("name", sorted(RULES.keys() - READ_A_TABLE))
def test_every_scalar_operation(name):
    rng = np.random.default_rng(len(name))
    scalars = [scalar for scalar in scalars_of(name) if exists(scalar)]
    arrays = [operands_of(scalar, rng) for scalar in scalars]
    folded = hwc.compile(scalars_program(scalars, arrays, constant=True))
    computed = hwc.compile(scalars_program(scalars, arrays, constant=False))
    assert sources(folded) == {"copy"}
    expected = computed(*[array for operands in arrays for array in operands])
    assert_same_bits(folded(), expected)
    for scalar, operands, output in zip(scalars, arrays, expected.outputs, strict=True):
        check_scalars(scalar, operands, output)


def with_constants(text, arrays):
    """The program with the arrays in the place of its arguments."""
    head, body = text.split("{", 1)
    declared = re.findall(r"%(\w+): (tensor<[^>]*>)", head)
    result = head[head.index("->") :]
    lines = []
    for (name, type_), array in zip(declared, arrays, strict=True):
        constant = dense(array)
        static = constant.rpartition(" : ")[2]
        if static == type_:
            lines.append(f"%{name} = arith.constant {constant}")
        else:
            lines.append(f"%{name}_c = arith.constant {constant}")
            lines.append(f"%{name} = tensor.cast %{name}_c : {static} to {type_}")
    listed = "\n".join(lines)
    return f"func.func @main() {result} {{\n{listed}\n{body}"


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_on_constants(seed):
    rng = Random(seed)
    size = rng.randint(1, 4), rng.choice((3, 8)), rng.randint(1, 4)
    with np.errstate(all="ignore"):
        program = random_programs.generate(seed, *size, rng.choice((0.0, 0.5, 1.0)))
    expected = hwc.compile(program.text)(*program.arguments)
    folded = hwc.compile(with_constants(program.text, program.arguments))
    assert_same_bits(folded(), expected)


F16_WEIGHTS = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %h = "tosa.const"() {values = dense<[1.5, -0.0, 0.1, 65504.0, 6.0e-8]> : tensor<5xf16>} :
      () -> tensor<5xf16>
  %w = tosa.cast %h : (tensor<5xf16>) -> tensor<5xf32>
  %y = tosa.add %x, %w : (tensor<?xf32>, tensor<5xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""


def test_weights_in_f16():
    program = hwc.compile(F16_WEIGHTS)
    weights = np.array([1.5, -0.0, 0.1, 65504, 6e-8], np.float16).astype(np.float32)
    (got,) = program(np.zeros(5, np.float32)).outputs
    np.testing.assert_array_equal(got, weights + np.float32(0))
    assert sources(program) == {"tosa.add"}


def test_a_constant_that_is_not_only_converted():
    advice = "help: cast the constant first, which costs nothing"
    text = F16_WEIGHTS.replace("f16", "f64")
    with pytest.raises(UserError, match="'tosa.exp' has element type f64") as error:
        hwc.compile(text.replace("tosa.cast", "tosa.exp"))
    assert advice in str(error.value)
    text = F16_WEIGHTS.replace("5xf16", "5xi64").replace("f32", "f16")
    text = re.sub(r"dense<.*?>", "dense<[1, 2, 3, 4, 5]>", text)
    with pytest.raises(UserError, match="'tosa.cast' has element type i64") as error:
        hwc.compile(text)  # it would be rounded twice
    assert advice not in str(error.value)


MISH_CONSTANT = """
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = "tosa.const"() {values = dense<0.1> : tensor<f64>} : () -> tensor<f64>
  %c = tosa.cast %d : (tensor<f64>) -> tensor<f32>
  %s = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r = tosa.reshape %c, %s : (tensor<f32>, !tosa.shape<2>) -> tensor<1x1xf32>
  %y = tosa.mul %x, %r : (tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""


def test_an_f64_constant_that_is_only_cast_costs_nothing():
    program = hwc.compile(MISH_CONSTANT)
    result = program(np.ones((2, 3), np.float32))
    np.testing.assert_array_equal(result.outputs[0], np.full((2, 3), 0.1, np.float32))
    assert result.counters["bytes_read"] == 24
    assert not program.package.constants


THRESHOLDED = """
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = "tosa.const"() {values = dense<0.69999998807907104> : tensor<1x1xf64>} : () ->
      tensor<1x1xf64>
  %z = "tosa.const"() {values = dense<0.0> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %w = tosa.cast %x : (tensor<?x?xf32>) -> tensor<?x?xf64>
  %g = tosa.greater %w, %c : (tensor<?x?xf64>, tensor<1x1xf64>) -> tensor<?x?xi1>
  %y = tosa.select %g, %x, %z :
      (tensor<?x?xi1>, tensor<?x?xf32>, tensor<1x1xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""


def test_comparisons_of_widened_numbers():
    limit = np.float32(0.7)
    near = np.nextafter(limit, np.float32([0, 1]))
    x = np.concatenate([SPECIAL_F32, near, [limit, -limit]])[:, np.newaxis].astype(np.float32)
    program = hwc.compile(THRESHOLDED)
    (got,) = program(x).outputs
    with np.errstate(invalid="ignore"):  # a signalling NaN
        wide = x.astype(np.float64) > np.float64(limit)
    np.testing.assert_array_equal(bits(got), bits(np.where(wide, x, np.float32(0))))
    assert sources(program) == {"tosa.greater, tosa.select"}
    with pytest.raises(UserError, match="'tosa.cast' has element type f64"):
        hwc.compile(THRESHOLDED.replace("0.69999998807907104", "0.7"))


SCALARS = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %e = arith.constant 1.0e-05 : f64
  %n = arith.constant 7 : i64
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.truncf %e : f64 to f32
    %m = arith.sitofp %n : i64 to f32
    %p = arith.mulf %t, %m : f32
    %s = arith.addf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %r = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def test_scalars_of_other_types_in_a_region():
    program = hwc.compile(SCALARS)
    (got,) = program(np.zeros(4, np.float32)).outputs
    np.testing.assert_array_equal(got, np.full(4, np.float32(1e-5) * np.float32(7)))
    (kernel,) = (kernel for step in program.package.steps for kernel in step.kernels)
    assert hwc_words(kernel) == 1, "the product is folded"


def hwc_words(kernel):
    """The instructions of a kernel between `loop` and `end`."""
    import isa  # noqa: PLC0415

    names = [isa.decode(word).instruction.name for word in kernel.words]
    return names.index("end") - names.index("loop") - 1


def equal_elements():
    """A program on a billion equal elements; every result of a call would take 4 GB."""
    wide, flat = "tensor<1000000x1000xf32>", "tensor<1000000000xf32>"
    return f"""
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %h = "tosa.const"() {{values = dense<3.0> : tensor<1000000x1000xf16>}} :
      () -> tensor<1000000x1000xf16>
  %f = tosa.cast %h : (tensor<1000000x1000xf16>) -> {wide}
  %e = tosa.exp %f : ({wide}) -> {wide}
  %s = tosa.add %e, %f : ({wide}, {wide}) -> {wide}
  %r = tosa.reshape %s {{new_shape = array<i64: 1000000000>}} : ({wide}) -> {flat}
  %y = tosa.add %x, %r : (tensor<?xf32>, {flat}) -> tensor<?xf32>
  return %y : tensor<?xf32>
}}
"""


def test_a_billion_equal_elements_stay_one():
    text = stage(equal_elements(), "linalg")
    assert re.search(r"arith.constant dense<23\.0855\d*> : tensor<1000000000xf32>", text)
    assert text.count("linalg.generic {") == 1
    package = hwc.compile(equal_elements()).package
    assert len(package.constants) == 0


OUTER = """
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %a = "tosa.const"() {values = dense<[[1.0, 2.0, 3.0, 4.0, 5.0]]> : tensor<1x5xf32>} :
      () -> tensor<1x5xf32>
  %b = "tosa.const"() {values = dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>} :
      () -> tensor<4x1xf32>
  %c = tosa.exp %a : (tensor<1x5xf32>) -> tensor<1x5xf32>
  %d = tosa.add %b, %c : (tensor<4x1xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %y = tosa.add %x, %d : (tensor<?x?xf32>, tensor<4x5xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""


def test_a_row_and_a_column_are_not_stored_as_a_matrix():
    text = stage(OUTER, "linalg")
    assert "math.exp" not in text
    assert text.count("linalg.generic {") == 2
    assert "tensor<4x5xf32>" not in "".join(re.findall(r"arith.constant.*", text))


SELECTED = """
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %true = "tosa.const"() {values = dense<VALUE> : tensor<1x1xi1>} : () -> tensor<1x1xi1>
  %t = tosa.tanh %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = tosa.select %true, %x, %t :
      (tensor<1x1xi1>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""


@pytest.mark.parametrize("condition", ["true", "false"])
def test_a_constant_condition(condition):
    program = hwc.compile(SELECTED.replace("VALUE", condition))
    rng = np.random.default_rng(0)
    for left, right in (((2, 3), (2, 3)), ((1, 3), (2, 1)), ((2, 1), (1, 1))):
        x, y = (rng.standard_normal(shape).astype(np.float32) for shape in (left, right))
        (got,) = program(x, y).outputs
        chosen = x if condition == "true" else np.tanh(y)
        shape = np.broadcast_shapes(left, right)
        np.testing.assert_allclose(got, np.broadcast_to(chosen, shape), rtol=1e-6)
    with pytest.raises(UserError, match="broadcast"):
        program(np.zeros((2, 3), np.float32), np.zeros((3, 3), np.float32))


SELECTED_STATIC = """
func.func @main(%x: tensor<4x3xf32>, %y: tensor<1x3xf32>) -> tensor<4x3xf32> {
  %true = "tosa.const"() {values = dense<true> : tensor<1x1xi1>} : () -> tensor<1x1xi1>
  %r = tosa.select %true, %x, %y :
      (tensor<1x1xi1>, tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  %z = tosa.exp %r : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %z : tensor<4x3xf32>
}
"""


def test_what_a_constant_condition_leaves_out_is_not_read():
    result = hwc.compile(SELECTED_STATIC)(
        np.zeros((4, 3), np.float32), np.full((1, 3), np.nan, np.float32)
    )
    np.testing.assert_array_equal(result.outputs[0], np.ones((4, 3), np.float32))
    assert result.counters["bytes_read"] == 48


SIGNALLING = """
func.func @main() -> tensor<2xf32> {
  %c = "tosa.const"() {values = dense<"0x0100807F0100807F"> : tensor<2xf32>} : () -> tensor<2xf32>
  %t = "tosa.const"() {values = dense<true> : tensor<1xi1>} : () -> tensor<1xi1>
  %y = tosa.select %t, %c, %c : (tensor<1xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def test_a_signalling_nan_that_is_selected_keeps_its_bits():
    (result,) = hwc.compile(SIGNALLING)().outputs
    np.testing.assert_array_equal(result.view(np.uint32), np.array([0x7F800001] * 2, np.uint32))


RESOURCES = """
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2x2xi1>, tensor<2xi32>) {
  %h = "tosa.const"() {values = dense_resource<weights.f16> : tensor<2xf16>} : () -> tensor<2xf16>
  %w = tosa.cast %h : (tensor<2xf16>) -> tensor<2xf32>
  %c = arith.constant dense_resource<"two words"> : tensor<2xf32>
  %b = "tosa.const"() {values = dense_resource<b> : tensor<2x2xi1>} : () -> tensor<2x2xi1>
  %l = "tosa.const"() {values = dense_resource<long> : tensor<2xi48>} : () -> tensor<2xi48>
  %i = tosa.cast %l : (tensor<2xi48>) -> tensor<2xi32>
  %y = tosa.add %w, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %z = tosa.add %x, %y : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %z, %b, %i : tensor<?xf32>, tensor<2x2xi1>, tensor<2xi32>
}
{-#
  external_resources: { mlir_reproducer: { pipeline: "any", verify_each: true } },
  dialect_resources: {
    builtin: {
      weights.f16: "0x02000000003E00C0",
      "two words": "0x040000000000803F00000040",
      b: "0x0100000001000001",
      long: "0x08000000FFFFFFFFFFFF050000000080",
      unused: "0x01000000"
    }
  }
#-}
"""


def test_resources_are_read():
    total, truths, numbers = hwc.compile(RESOURCES)(np.zeros(2, np.float32)).outputs
    np.testing.assert_array_equal(total, np.array([2.5, 0], np.float32))
    np.testing.assert_array_equal(truths, [[True, False], [False, True]])
    np.testing.assert_array_equal(numbers, [-1, 5])


def test_the_texts_of_stages_give_the_same_package(tmp_path):
    whole = hwc.compile(OUTER).package
    again = hwc.compile(stage(OUTER, "linalg")).package
    assert [s.kernels for s in again.steps] == [s.kernels for s in whole.steps]
    assert again.constants == whole.constants


def test_the_machine_has_no_type_that_only_constants_have():
    """A type that the machine gets needs no folding; then the tests here need another one."""
    from xdsl.dialects import builtin  # noqa: PLC0415

    for kind in (builtin.f64, builtin.IntegerType(48)):
        assert element_type(kind) is None
