"""The cache of what was used last."""

import pytest

from hwc.recent import Recent


def test_what_was_used_longest_ago_goes_first():
    made = []
    recent = Recent(2)

    def get(key):
        return recent.get(key, lambda: made.append(key) or key.upper())

    assert [get(key) for key in "abac"] == ["A", "B", "A", "C"]
    assert made == ["a", "b", "c"]
    assert [get(key) for key in "acb"] == ["A", "C", "B"]
    assert made == ["a", "b", "c", "b"]


def test_nothing_is_kept_of_an_error():
    recent = Recent(1)
    with pytest.raises(ZeroDivisionError):
        recent.get(1, lambda: 1 // 0)
    assert recent.get(1, lambda: 3) == 3
