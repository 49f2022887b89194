"""`linalg` as input: every element-wise form, with dynamic sizes, against NumPy."""

import numpy as np
import pytest

import hwc
from hwc.errors import DispatchError, UserError

D2 = "tensor<?x?xf32>"
MAPS = """
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (i)>
#row = affine_map<(i, j) -> (j)>
#first = affine_map<(i, j) -> (i, 0)>
#scalar = affine_map<(i, j) -> ()>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#ik = affine_map<(i, j, k) -> (i, k)>
#ij = affine_map<(i, j, k) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
"""
RNG = np.random.default_rng(3)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def program(body, arguments, result, target="accel"):
    return hwc.compile(f"{MAPS}func.func @main({arguments}) -> {result} {{\n{body}\n}}\n", target)


def run(body, arguments, result, *values):
    return program(body, arguments, result)(*values).outputs


def generic(maps, inputs, output, region, loops=2):
    names = ", ".join(name for name, _ in inputs)
    types = ", ".join(kind for _, kind in inputs)
    given = f"ins({names} : {types})" if inputs else ""
    iterators = ", ".join(['"parallel"'] * loops)
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
      {given} outs({output[0]} : {output[1]}) {{
{region}
  }} -> {output[1]}"""


ADD = """  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32"""


COPY = """  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32"""


def test_a_map_without_a_loop_repeats_and_copies_nothing():
    d3 = "tensor<?x?x?xf32>"
    body = generic("#ik, #id3, #id3", [("%a", D2), ("%b", d3)], ("%b", d3), ADD, loops=3)
    compiled = program(f"  %0 = {body}\n  return %0 : {d3}", f"%a: {D2}, %b: {d3}", d3)
    for i, j, k in ((2, 3, 4), (1, 7, 300), (5, 1, 1), (3, 0, 2)):
        a, b = numbers(i, k), numbers(i, j, k)
        result = compiled(a, b)
        np.testing.assert_array_equal(result.outputs[0], a[:, None] + b)
        assert result.counters["bytes_read"] == (4 * (i * k + i * j * k) if i * j * k else 0)
    with pytest.raises(DispatchError, match=r"sizes 1 .* and 2 .* have to be equal"):
        compiled(numbers(1, 4), numbers(2, 3, 4))


def test_two_operands_repeat_in_different_loops():
    d3 = "tensor<?x?x?xf32>"
    body = generic("#ij, #ik, #id3", [("%a", D2), ("%b", D2)], ("%d", d3), ADD, loops=3)
    compiled = program(f"  %0 = {body}\n  return %0 : {d3}", f"%a: {D2}, %b: {D2}, %d: {d3}", d3)
    a, b = numbers(2, 3), numbers(2, 5)
    (output,) = compiled(a, b, numbers(2, 3, 5)).outputs
    np.testing.assert_array_equal(output, a[:, :, None] + b[:, None, :])


def test_loops_are_called_as_the_result_has_them():
    body = generic("#swap, #swap, #swap", [("%a", D2), ("%b", D2)], ("%a", D2), ADD)
    a, b = numbers(3, 4), numbers(3, 4)
    (output,) = run(f"  %0 = {body}\n  return %0 : {D2}", f"%a: {D2}, %b: {D2}", D2, a, b)
    np.testing.assert_array_equal(output, a + b)


def test_a_constant_in_a_map_means_size_1():
    body = generic("#first, #id, #id", [("%a", D2), ("%b", D2)], ("%b", D2), ADD)
    compiled = program(f"  %0 = {body}\n  return %0 : {D2}", f"%a: {D2}, %b: {D2}", D2)
    a, b = numbers(3, 1), numbers(3, 4)
    np.testing.assert_array_equal(compiled(a, b).outputs[0], a + b)
    with pytest.raises(DispatchError, match=r"sizes 2 .* and 1 \(static\) have to be equal"):
        compiled(numbers(3, 2), b)


def test_scalars_from_outside_and_as_inputs():
    region = """  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    %1 = arith.addf %0, %c : f32
    %2 = arith.subf %1, %k : f32
    linalg.yield %2 : f32"""
    body = generic("#id, #scalar, #id", [("%a", D2), ("%s", "f32")], ("%a", D2), region)
    text = f"  %k = arith.constant 0.5 : f32\n  %r = {body}\n  return %r : {D2}"
    a = numbers(2, 3)
    (output,) = run(text, f"%a: {D2}, %s: f32, %c: f32", D2, a, np.float32(2), np.float32(1))
    np.testing.assert_array_equal(output, a * 2 + 1 - np.float32(0.5))


def test_an_operand_that_is_overwritten_may_be_read():
    region = """  ^bb0(%p: f32, %o: f32):
    %0 = arith.addf %p, %o : f32
    linalg.yield %0 : f32"""
    body = generic("#row, #id", [("%a", "tensor<?xf32>")], ("%d", D2), region)
    a, o = numbers(3), numbers(2, 3)
    text = f"  %0 = {body}\n  return %0 : {D2}"
    (output,) = run(text, f"%a: tensor<?xf32>, %d: {D2}", D2, a, o)
    np.testing.assert_array_equal(output, a + o)


def test_several_results_share_a_kernel():
    text = f"""  %0:2 = linalg.generic
      {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%a : {D2}) outs(%a, %i : {D2}, tensor<?x?xi1>) {{
  ^bb0(%p: f32, %q: f32, %r: i1):
    %s = math.absf %p : f32
    %t = arith.cmpf olt, %s, %p : f32
    linalg.yield %s, %t : f32, i1
  }} -> ({D2}, tensor<?x?xi1>)
  return %0#0, %0#1 : {D2}, tensor<?x?xi1>"""
    a = numbers(2, 3)
    results = f"({D2}, tensor<?x?xi1>)"
    compiled = program(text, f"%a: {D2}, %i: tensor<?x?xi1>", results)
    result = compiled(a, np.zeros((2, 3), bool))
    np.testing.assert_array_equal(result.outputs[0], abs(a))
    np.testing.assert_array_equal(result.outputs[1], abs(a) < a)
    assert result.counters["bytes_read"] == a.nbytes


NAMED = {
    "abs": np.abs,
    "add": np.add,
    "ceil": np.ceil,
    "copy": lambda a: a,
    "floor": np.floor,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "negf": np.negative,
    "square": np.square,
    "sub": np.subtract,
}


def test_two_generics_are_one_kernel():
    first = generic("#id, #row, #id", [("%a", D2), ("%b", "tensor<?xf32>")], ("%a", D2), ADD)
    second = generic("#id, #col, #id", [("%0", D2), ("%c", "tensor<?xf32>")], ("%a", D2), ADD)
    text = f"  %0 = {first}\n  %1 = {second}\n  return %1 : {D2}"
    arguments = f"%a: {D2}, %b: tensor<?xf32>, %c: tensor<?xf32>"
    a, b, c = numbers(3, 40), numbers(40), numbers(3)
    result = program(text, arguments, D2)(a, b, c)
    np.testing.assert_array_equal(result.outputs[0], (a + b) + c[:, None])
    assert result.counters["bytes_written"] == a.nbytes


@pytest.mark.parametrize("name", NAMED)
def test_named_operations(name):
    meaning = NAMED[name]
    count = getattr(meaning, "nin", 1)
    names = ["%a", "%b"][:count]
    types = ", ".join([D2] * count)
    line = f"linalg.{name} ins({', '.join(names)} : {types}) outs(%b : {D2}) -> {D2}"
    a, b = numbers(3, 5), numbers(3, 5)
    (output,) = run(f"  %0 = {line}\n  return %0 : {D2}", f"%a: {D2}, %b: {D2}", D2, a, b)
    np.testing.assert_array_equal(output, meaning(*(a, b)[:count]))


@pytest.mark.parametrize(
    "line",
    [
        "linalg.map { arith.addf } ins(%a, %b : T, T) outs(%a : T)",
        """linalg.map ins(%a, %b : T, T) outs(%a : T) (%p: f32, %q: f32, %o: f32) {
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32 }""",
        """linalg.elementwise kind=#linalg.elementwise_kind<add>
      ins(%a, %b : T, T) outs(%a : T) -> T""",
        "linalg.add ins(%a, %b : T, T) outs(%a : T) -> T",
        '"linalg.add"(%a, %b, %a) <{operandSegmentSizes = array<i32: 2, 1>}> ({}) : (T, T, T) -> T',
    ],
)
def test_forms_of_an_addition(line):
    a, b = numbers(3, 5), numbers(3, 5)
    text = f"  %0 = {line.replace('T', D2)}\n  return %0 : {D2}"
    np.testing.assert_array_equal(run(text, f"%a: {D2}, %b: {D2}", D2, a, b)[0], a + b)


def test_elementwise_with_a_map():
    text = f"""  %0 = linalg.elementwise kind=#linalg.elementwise_kind<sub>
      indexing_maps = [#id, #col, #id] ins(%a, %b : {D2}, tensor<?xf32>) outs(%a : {D2}) -> {D2}
  return %0 : {D2}"""
    a, b = numbers(3, 5), numbers(3)
    (output,) = run(text, f"%a: {D2}, %b: tensor<?xf32>", D2, a, b)
    np.testing.assert_array_equal(output, a - b[:, None])


INDEX = """  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.index_cast %i : index to i32
    %1 = arith.index_cast %j : index to i16
    %2 = arith.extsi %1 : i16 to i32
    %3 = arith.muli %0, %2 : i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.addf %p, %4 : f32
    linalg.yield %5 : f32"""


@pytest.mark.parametrize("kind", ["tensor<3x5xf32>", "tensor<3x?xf32>", D2])
@pytest.mark.parametrize("maps", ["#id, #id", "#swap, #swap"])
def test_index(maps, kind):
    body = generic(maps, [("%a", kind)], ("%a", kind), INDEX)
    a = numbers(3, 5)
    (output,) = run(f"  %r = {body}\n  return %r : {kind}", f"%a: {kind}", kind, a)
    product = np.outer(np.arange(3), np.arange(5)).astype(np.float32)
    np.testing.assert_array_equal(output, a + product)


BROADCAST = f"""  %v = linalg.broadcast ins(%a : tensor<?xf32>) outs(%b : {D2}) dimensions = [1]"""
ARGUMENTS = f"%a: tensor<?xf32>, %b: {D2}"


def test_a_broadcast_that_is_only_read_copies_nothing():
    text = f"{BROADCAST}\n  %0 = arith.mulf %v, %b : {D2}\n  return %0 : {D2}"
    a, b = numbers(4), numbers(4, 300)
    result = program(text, ARGUMENTS, D2)(a, b)
    np.testing.assert_array_equal(result.outputs[0], a[:, None] * b)
    assert result.counters["bytes_read"] == a.nbytes + b.nbytes
    assert result.counters["bytes_written"] == b.nbytes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{BROADCAST}\n  return %v : {D2}", lambda a, b: a[:, None] + 0 * b),
        (
            f"{BROADCAST}\n  %0 = math.absf %v : {D2}\n  return %0 : {D2}",
            lambda a, b: abs(a)[:, None] + 0 * b,
        ),
        (
            f"{BROADCAST}\n  %0 = tosa.add %v, %v : ({D2}, {D2}) -> {D2}\n  return %0 : {D2}",
            lambda a, b: 2 * a[:, None] + 0 * b,
        ),
    ],
)
@pytest.mark.parametrize("shape", [(4, 300), (1, 3), (3, 1), (0, 2), (2, 0)])
def test_a_broadcast_is_written_where_a_result_needs_it(text, expected, shape):
    a, b = numbers(shape[0]), numbers(*shape)
    (output,) = run(text, ARGUMENTS, D2, a, b)
    np.testing.assert_array_equal(output, expected(a, b))


@pytest.mark.parametrize("scalar", ["%s", "%k"])
@pytest.mark.parametrize("used", [True, False])
def test_fill_and_splat(scalar, used):
    text = f"""  %k = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %b, %c0 : {D2}
  %m = tensor.dim %b, %c1 : {D2}
  %f = linalg.fill ins({scalar} : f32) outs(%b : {D2}) -> {D2}
  %g = tensor.splat {scalar}[%n, %m] : {D2}
  %0 = arith.addf %f, %b : {D2}
  %1 = arith.addf %g, %0 : {D2}
  return {"%0, %1" if used else "%f, %g"} : {D2}, {D2}"""
    b = numbers(3, 5)
    first, second = run(text, f"%b: {D2}, %s: f32", f"({D2}, {D2})", b, np.float32(2))
    np.testing.assert_array_equal(first, 2 + b if used else np.full_like(b, 2))
    np.testing.assert_array_equal(second, 2 + (2 + b) if used else np.full_like(b, 2))


def test_mixed_with_tosa_and_arith():
    text = f"""  %0 = tosa.add %a, %b : ({D2}, {D2}) -> {D2}
  %1 = linalg.exp ins(%0 : {D2}) outs(%0 : {D2}) -> {D2}
  %2 = arith.mulf %1, %0 : {D2}
  return %2 : {D2}"""
    compiled = program(text, f"%a: {D2}, %b: {D2}", D2)
    a, b = numbers(3, 1), numbers(1, 40)
    sum_ = a + b
    np.testing.assert_allclose(compiled(a, b).outputs[0], np.exp(sum_) * sum_, rtol=1e-6)
    assert len(compiled.package.dispatches) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (generic("#swap, #id", [("%a", D2)], ("%b", D2), COPY), "transposes"),
        (
            generic("affine_map<(i, j) -> (i + j, j)>, #id", [("%a", D2)], ("%b", D2), COPY),
            "computes with loops",
        ),
        (
            generic("affine_map<(i, j) -> (i, i)>, #id", [("%a", D2)], ("%b", D2), COPY),
            "uses a loop twice",
        ),
        (
            generic("#id, #id", [("%a", D2)], ("%b", D2), ADD).replace(
                '"parallel"]', '"reduction"]'
            ),
            "a loop that is not parallel",
        ),
        (f"linalg.powf ins(%a : {D2}) outs(%b : {D2}) -> {D2}", "has 1 input"),
        (
            f"linalg.fill ins(%i : i32) outs(%b : {D2}) -> {D2}",
            "computes i32 to f32",
        ),
        (f"linalg.div_unsigned ins(%a, %a : {D2}, {D2}) outs(%b : {D2}) -> {D2}", "of f32"),
        (
            f"linalg.map {{ math.cosh }} ins(%a : {D2}) outs(%b : {D2})",
            "'math.cosh' is not supported",
        ),
        (f'"linalg.elementwise"(%a, %b) : ({D2}, {D2}) -> {D2}', "'kind' .*, got none"),
        (
            f"linalg.elementwise kind=1 ins(%a : {D2}) outs(%b : {D2}) -> {D2}",
            "'kind' .*, got 1 : i64",
        ),
        (f'"linalg.broadcast"(%a, %b) : ({D2}, {D2}) -> {D2}', "'dimensions' .*, got none"),
        (
            f'"linalg.elementwise"(%a, %b) <{{kind = #linalg.elementwise_kind<exp>, '
            f"indexing_maps = 3 : i32}}> : ({D2}, {D2}) -> {D2}",
            "'indexing_maps' .*, got 3",
        ),
        (f'"linalg.generic"(%a, %b) : ({D2}, {D2}) -> {D2}', "'linalg.generic' is malformed: "),
        (f"linalg.map {{ my.op }} ins(%a : {D2}) outs(%b : {D2})", "unknown operation 'my.op'"),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises(UserError, match=message) as caught:
        program(f"  %0 = {body}\n  return %0 : {D2}", f"%a: {D2}, %b: {D2}, %i: i32", D2)
    assert "error:" in str(caught.value)


@pytest.mark.parametrize("target", ["accel", "tiny", "wide"])
@pytest.mark.parametrize("rank", range(7))
def test_a_scalar_fills_a_tensor_of_any_rank(rank, target):
    """No input has the sizes of the result, and a target has fewer streams than dimensions."""
    shape = (2, 3, 1, 4, 2, 3)[:rank]
    kind = f"tensor<{'?x' * rank}f32>"
    body = f"  %0 = linalg.fill ins(%s : f32) outs(%a : {kind}) -> {kind}\n  return %0 : {kind}"
    filled = program(body, f"%s: f32, %a: {kind}", kind, target)
    for sizes in (shape, (0,) * rank, (1,) * rank):
        (output,) = filled(np.float32(3), np.zeros(sizes, np.float32)).outputs
        np.testing.assert_array_equal(output, np.full(sizes, 3, np.float32), strict=True)
