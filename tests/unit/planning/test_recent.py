"""Recent answers take the place of the oldest ones."""

from hwc.planning.recent import Recent


def test_the_oldest_answer_goes_first():
    found: Recent[str, int] = Recent(2)
    found["a"], found["b"] = 1, 2
    found["c"] = 3
    assert found == {"b": 2, "c": 3}


def test_an_answer_that_changes_takes_no_other_place():
    found: Recent[str, int] = Recent(2)
    found["a"], found["b"] = 1, 2
    found["a"] = 3
    assert found == {"a": 3, "b": 2}
