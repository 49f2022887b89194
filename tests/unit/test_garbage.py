"""The thresholds of the garbage collector while programs are compiled, and afterwards."""

import gc

import pytest

from hwc.garbage import THRESHOLDS, fewer_collections


@pytest.fixture
def usual():
    """The thresholds as they are, which are the same again after the test."""
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


def test_the_last_user_brings_the_thresholds_back(usual):
    first, second = fewer_collections(), fewer_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == THRESHOLDS
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_an_error_brings_the_thresholds_back(usual):
    with pytest.raises(ValueError, match="bad"), fewer_collections():
        raise ValueError("bad")
    assert gc.get_threshold() == usual


def test_a_collector_that_is_switched_off_stays_so(usual):
    gc.set_threshold(0)
    with fewer_collections():
        assert gc.get_threshold()[0] == 0
