"""The operator of a TFLite model that crashes the converter is found by leaving out others."""

import pytest
from unit.frontend.flatbuffers import write

from hwc.frontend import tflite_schema as schema
from hwc.frontend.flatbuffer import parse
from hwc.frontend.tflite_crash import crashing

NAMES = ("ABS", "ADD", "NEG", "EXP", "SQUARE", "CEIL")
COUNT = len(NAMES)


def file(results=(COUNT,)):
    kinds = [schema.OPERATORS.index(name) for name in NAMES]
    codes = tuple(schema.OperatorCode(kind, "", 1, kind) for kind in kinds)
    made = tuple(schema.Operator(n, (n,), (n + 1,)) for n in range(COUNT))
    tensors = tuple(schema.Tensor((1, 4), 0, 0, f"t{n}") for n in range(COUNT + 1))
    graph = schema.Graph(tensors, (0,), results, made)
    return write(schema.Model(3, codes, (graph,)), b"TFL3")


def found(condition, results=(COUNT,)):
    """What is found if the converter crashes where the condition holds, and what it was given."""
    content, given = file(results), []

    def crashes(edited):
        assert len(edited) == len(content)
        model = parse(edited, schema.Model)
        given.append(([model.codes[o.code].name for o in model.graphs[0].operators], model))
        return condition(*given[-1])

    return crashing(content, parse(content, schema.Model), crashes), given


@pytest.mark.parametrize("name", NAMES)
def test_the_first_operators_with_which_it_crashes(name):
    number, given = found(lambda names, _: name in names)
    assert NAMES[number] == name
    assert len(given) <= 5
    for names, model in given:
        assert names == [*NAMES[: len(names)]]
        assert model.graphs[0].outputs == ((len(names),) if names else ())


def test_nothing_is_said_if_operators_are_not_the_reason():
    assert found(lambda *_: True)[0] is None
    assert found(lambda _, model: model.graphs[0].outputs == (3, 5), (3, 5))[0] is None
    empty = write(schema.Model(3, (), ()), b"TFL3")
    assert crashing(empty, parse(empty, schema.Model), lambda _: True) is None
