"""The vocabulary of a dispatch: comparison, and the text for a person."""

from isa.dispatch import Fault, Job, Outcome
from isa.load import load
from isa.operands import O


def test_the_text_of_a_fault_is_not_compared():
    fault = Fault("overlap", 3, O(0), 1, "o0 overlaps s1")
    assert fault == Fault("overlap", 3, O(0), 1)
    assert hash(fault) == hash(Fault("overlap", 3, O(0), 1, "another text"))
    assert fault != Fault("overlap", 4, O(0), 1)
    assert Outcome("fault", fault) == Outcome("fault", Fault("overlap", 3, O(0), 1))


def test_a_fault_in_words():
    assert str(Fault("overlap", 3, O(0), 1, "same bytes")) == (
        "overlap at word 3, stream o0, dimension 1: same bytes"
    )
    assert str(Fault("bad_structure", 0, text="no halt")) == "bad_structure at word 0: no halt"
    assert str(Fault("bad_structure", 7)) == "bad_structure at word 7"


def test_a_fault_with_an_operand_that_does_not_exist():
    """Only hardware with a defect reports one; the report must not break down over it."""
    code = next(n for n in range(64) if load().operand_class(n) is None)
    assert str(Fault("overlap", 3, code)) == f"overlap at word 3, operand code {code}, dimension 0"


def test_the_code_of_a_fault():
    assert [Fault(name, 0).code for name in load().faults] == [
        entry.code for entry in load().faults.values()
    ]


def test_the_images_of_a_job():
    assert Job(0x1000, 5, 0x2000, 3, (0, 4096)).images == ((0x1000, 5), (0x2000, 3))
