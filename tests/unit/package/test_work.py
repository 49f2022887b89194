"""The arithmetic that a package holds: it is stored, read back, and checked."""

import json
from dataclasses import replace

import pytest
from unit.package import test_host

from hwc.errors import PackageError
from hwc.package import OperatorWork, Work, from_bytes, joined, to_bytes
from hwc.package.codec import manifest_to_json, package_from_json, shape_program_to_json
from hwc.package.reader import FormatError
from hwc.package.work import Counted
from hwc.shapes.products import Product

CONV = OperatorWork("Conv", 2, (Product(18, ("n", "s0")), Product(3)))
PACKAGE = replace(test_host.package(), work=Work(((CONV, OperatorWork("If", 1, None)),)))


def damaged(change):
    """What reading the package says if `change` has had the JSON of its arithmetic."""
    members = {}
    manifest = json.loads(json.dumps(manifest_to_json(PACKAGE, members)))
    manifest["work"] = change(manifest["work"])
    with pytest.raises(FormatError) as caught:
        package_from_json(
            manifest, shape_program_to_json(PACKAGE.shape_program), PACKAGE.constants, members
        )
    return str(caught.value)


def test_it_is_read_back():
    assert from_bytes(to_bytes(PACKAGE), "p.hwx") == PACKAGE
    assert from_bytes(to_bytes(replace(PACKAGE, work=None)), "p.hwx").work is None


def test_operations_are_sums_of_products():
    assert PACKAGE.work.counted({"n": 5, "s0": 2}) == [Counted(18 * 5 * 2 + 3, {"If": 1})]


def test_an_unknown_size_leaves_the_nodes_uncounted():
    assert PACKAGE.work.counted({"n": 5}) == [Counted(0, {"Conv": 2, "If": 1})]


def test_nodes_are_joined_if_they_need_the_same_sizes():
    def add(*symbols):
        return OperatorWork("Add", 1, (Product(2, symbols),))

    unknown = OperatorWork("Add", 1, None)
    assert joined([add("n"), add(), add("n"), unknown, unknown]) == (
        OperatorWork("Add", 2, (Product(4, ("n",)),)),
        OperatorWork("Add", 1, (Product(2),)),
        OperatorWork("Add", 2, None),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda work: {}, "manifest: work is not a list"),
        (lambda work: [3], "manifest: work[0] is not a list"),
        (lambda work: [["Conv"]], "manifest: work[0][0] is not an object"),
        (lambda work: [[{"operator": "Conv", "nodes": 1}]], "work[0][0] lacks 'operations'"),
        (lambda work: [[work[0][0] | {"cycles": 1}]], "work[0][0]: unknown key 'cycles'"),
        (lambda work: [[work[0][0] | {"nodes": -1}]], "work[0][0]: 'nodes' is negative"),
        (lambda work: [[work[0][0] | {"operator": 1}]], "work[0][0]: 'operator' is not a string"),
        (lambda work: [[work[0][0] | {"operations": 1}]], "work[0][0]: operations is not a list"),
        (
            lambda work: [[work[0][0] | {"operations": [[]]}]],
            "work[0][0]: operations[0] is not a list of a number and of names of symbols",
        ),
        (
            lambda work: [[work[0][0] | {"operations": [[-1]]}]],
            "work[0][0]: operations[0][0] is not a number from 0",
        ),
        (
            lambda work: [[work[0][0] | {"operations": [[True]]}]],
            "work[0][0]: operations[0][0] is not a number from 0",
        ),
        (
            lambda work: [[work[0][0] | {"operations": [[1, 2]]}]],
            "work[0][0]: operations[0] has a symbol that is not a name",
        ),
    ],
)
def test_a_damaged_field_is_named(change, message):
    assert damaged(change).endswith(message)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((), "the arithmetic is that of 0 steps, and there are 1"),
        (
            ((OperatorWork("Conv", 1, (Product(1, ("m",)),)),),),
            "the arithmetic of Conv names symbol 'm', which is undefined",
        ),
    ],
)
def test_arithmetic_that_does_not_fit_the_package(steps, message):
    with pytest.raises(PackageError, match=message):
        to_bytes(replace(PACKAGE, work=Work(steps)))
