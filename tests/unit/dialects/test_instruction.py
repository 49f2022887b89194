"""Instructions in the same registers are verified once; an invalid one is refused every time."""

import pytest
from work import calls_in
from xdsl.dialects.builtin import UnitAttr, f32
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException

from hwc.dialects.strip import IMMEDIATE, INSTRUCTIONS, ImmediateOp, InstructionOp, register

ADD = INSTRUCTIONS["add.f32"]


def add(*types, result="v2") -> InstructionOp:
    return ADD(*Block(arg_types=types).args, result=result)


def test_an_instruction_in_the_same_registers_is_verified_once():
    given = register("v0"), register("v1")
    first = calls_in(lambda: add(*given).verify())
    again = calls_in(lambda: add(*given).verify())
    assert again < first / 2


def created(**options: object) -> InstructionOp:
    block = Block(arg_types=(register("v0"), register("v1")))
    return ADD.create(**{"operands": block.args, "result_types": [register("v2")], **options})


REFUSED = {
    "one operand": lambda: add(register("v0")),
    "three operands": lambda: add(*(register(f"v{i}") for i in range(3))),
    "an operand that is no register": lambda: add(register("v0"), f32),
    "an immediate as the result": lambda: add(register("v0"), register("v1"), result=IMMEDIATE),
    "no result": lambda: created(result_types=()),
    "two immediates": lambda: ADD(ImmediateOp(1).result, ImmediateOp(2).result, result="v2"),
    "a property": lambda: created(properties={"a": UnitAttr()}),
    "a region": lambda: created(regions=[Region(Block())]),
}


@pytest.mark.parametrize("build", REFUSED.values(), ids=REFUSED)
def test_an_invalid_instruction_is_refused_after_a_valid_one(build):
    add(register("v0"), register("v1")).verify()
    for _ in range(2):
        with pytest.raises(VerifyException):
            build().verify()


def test_one_immediate_read_twice_is_valid():
    one = ImmediateOp(1).result
    ADD(one, one, result="v2").verify()
