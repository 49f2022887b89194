"""Who observes tasks is told of them: in time, not too often, and that they end."""

import pytest

from isa import progress
from isa.progress import FIRST, PERIOD, Task, tracked


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def found():
    """The tasks that an observer is told of, as texts, one for each time."""
    texts = []

    def observe(tasks):
        texts.append(" > ".join(f"{t.name} {t.done}/{t.of} {t.unit}" for t in tasks))

    progress.observe(observe)
    yield texts
    progress.ignore(observe)


def test_a_short_task_tells_nothing(clock, found):
    with Task("adding", 3, "numbers") as adding:
        clock[0] += 0.9 * FIRST
        adding.advance()
    assert found == []


def test_a_long_task_is_told_now_and_then_and_at_its_end(clock, found):
    with Task("adding", 1000, "numbers") as adding:
        for _ in range(1000):
            clock[0] += 1 / 512
            adding.advance()
    seconds = 1000 / 512
    assert found[0] == "adding 256/1000 numbers"
    assert found[1] == "adding 384/1000 numbers"
    assert len(found) == 1 + (seconds - FIRST) // PERIOD + 1
    assert found[-1] == ""


def test_tasks_within_tasks(clock, found):
    with Task("outer", 2, "files") as outer:
        with Task("inner", None, "cycles") as inner:
            clock[0] += FIRST
            inner.reach(7)
        outer.advance()
    assert found == [
        "outer 0/2 files > inner 7/None cycles",
        "outer 0/2 files",
        "outer 1/2 files",
        "",
    ]


def test_a_task_ends_with_an_error(clock, found):
    with pytest.raises(ZeroDivisionError), Task("dividing", 2, "numbers") as dividing:
        clock[0] += FIRST
        dividing.advance()
        raise ZeroDivisionError
    assert found == ["dividing 1/2 numbers", ""]


def test_items_are_counted_when_the_caller_is_done_with_them(clock, found):
    for number in tracked("adding", [1, 2, 3], "numbers"):
        clock[0] += FIRST
        if number == 3:
            break
    assert found == ["adding 1/3 numbers", "adding 2/3 numbers", ""]


def test_a_single_item_is_no_task(clock, found):
    with Task("comparing", 2, "runs"):
        for _ in tracked("adding", ["the only one"], "numbers"):
            clock[0] += FIRST
            with Task("reading", 8, "lines") as reading:
                clock[0] += FIRST
                reading.advance()
    assert found[0] == "comparing 0/2 runs > reading 1/8 lines"


def test_without_an_observer_nobody_is_told(clock):
    with Task("adding", 2, "numbers") as adding:
        clock[0] += FIRST
        adding.advance()
        assert not adding.told
