"""The registry: complete, pure, and at home with every kind of array."""

import warnings

import numpy as np
import pytest

import isa
from sim.semantics import INSTRUCTIONS, execute

CORNERS = np.array([-(2**31), -1, 0, 1, 2**31 - 1, 0x7F800000, 0x7FA00000, 0x3F800000], np.int32)
VECTOR = {name: i for name, i in isa.load().instructions.items() if i.format == "vector"}


def operands(name: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Draw as many operands as the instruction takes, one shape after another."""
    rng = np.random.default_rng(5)
    count = len(VECTOR[name].operands)
    return [rng.choice(CORNERS, shapes[k % len(shapes)]) for k in range(count)]


def test_registry_is_the_instruction_set() -> None:
    assert set(INSTRUCTIONS) == set(VECTOR)


@pytest.mark.parametrize("name", sorted(VECTOR))
def test_operand_count_is_the_isa_s(name: str) -> None:
    given = operands(name, (3,))
    with pytest.raises(TypeError):
        execute(name, given[:-1])
    with pytest.raises(TypeError):
        execute(name, [*given, given[0]])


def test_unknown_name() -> None:
    with pytest.raises(KeyError):
        execute("add.i7", [np.zeros(1, np.int32)] * 2)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (4, 5), (2, 1, 3, 1, 2, 2)])
@pytest.mark.parametrize("name", sorted(VECTOR))
def test_any_shape_without_warnings_and_pure(name: str, shape: tuple[int, ...]) -> None:
    given = operands(name, shape)
    kept = [a.copy() for a in given]
    for a in given:
        a.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = execute(name, given)
    assert isinstance(result, np.ndarray)
    assert result.dtype == np.int32
    assert result.shape == shape
    assert not any(np.shares_memory(result, a) for a in given)
    assert result.flags.writeable
    for a, b in zip(given, kept, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", sorted(VECTOR))
def test_views_broadcasts_and_pieces_agree(name: str) -> None:
    given = operands(name, (7, 1, 6), (5, 1), (1,))
    dense = [np.ascontiguousarray(a) for a in np.broadcast_arrays(*given)]
    whole = execute(name, dense)
    np.testing.assert_array_equal(execute(name, given), whole)
    np.testing.assert_array_equal(execute(name, list(np.broadcast_arrays(*given))), whole)
    swapped = [a.transpose(2, 0, 1)[::-1] for a in dense]
    np.testing.assert_array_equal(execute(name, swapped), whole.transpose(2, 0, 1)[::-1])
    for index in np.ndindex(whole.shape):
        np.testing.assert_array_equal(execute(name, [a[index] for a in dense]), whole[index])


@pytest.mark.parametrize("name", sorted(n for n, i in VECTOR.items() if i.unit == "sfu"))
def test_long_operands_do_not_depend_on_the_cut(name: str) -> None:
    rng = np.random.default_rng(6)
    count = len(VECTOR[name].operands)
    given = [rng.integers(-(2**31), 2**31, 20000).astype(np.int32) for _ in range(count)]
    whole = execute(name, given)
    for start, stop in ((0, 1), (16382, 16387), (19999, 20000), (3, 16391)):
        part = execute(name, [a[start:stop] for a in given])
        np.testing.assert_array_equal(part, whole[start:stop])


RESULT_RANGE = {t.name: t.range for t in isa.load().types.values() if t.kind != "float"}


@pytest.mark.parametrize(
    "name", sorted(n for n, i in VECTOR.items() if i.result_type in RESULT_RANGE)
)
def test_results_stay_in_the_type_s_range(name: str) -> None:
    low, high = RESULT_RANGE[str(VECTOR[name].result_type)]
    result = execute(name, operands(name, (500,)))
    assert result.min() >= low
    assert result.max() <= high


@pytest.mark.parametrize(
    "name",
    sorted(n for n, i in VECTOR.items() if i.result_type == "f32"),
)
def test_every_nan_is_the_canonical_one(name: str) -> None:
    rng = np.random.default_rng(7)
    nans = rng.integers(1, 1 << 23, 300) | 0x7F800000 | rng.integers(0, 2, 300) << 31
    count = len(VECTOR[name].operands)
    pool = np.concatenate([nans.astype(np.uint32).view(np.int32), CORNERS])
    result = execute(name, [rng.choice(pool, 4000) for _ in range(count)])
    found = np.isnan(result.view(np.float32))
    if VECTOR[name].operand_types != ("i32",):  # no integer converts to a NaN
        assert found.any()
    assert set(result[found].tolist()) <= {0x7FC00000}
