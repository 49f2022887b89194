"""`hwc run`: writing and comparing results needs no memory that grows with them."""

import tracemalloc

import numpy as np
import pytest

from hwc import package as hwx
from hwc.cli.compare import BLOCK
from hwc.cli.main import main

ROWS, COLUMNS = 1024, 4096
ROOM = 100 * BLOCK
"""Bytes: less than one array, which has 16 MiB."""


@pytest.fixture
def peak(tmp_path, binary_package, monkeypatch, capsys):
    """Runs a package with large arrays, with some options; returns the peak of memory in bytes."""
    monkeypatch.chdir(tmp_path)
    hwx.save(binary_package(), "add.hwx")
    np.save("x.npy", np.ones((ROWS, COLUMNS), np.float32))
    np.save("y.npy", np.full((ROWS, COLUMNS), 3, np.float32))
    command = ["run", "add.hwx", "--input", "@x.npy", "--input", "1x1xf32=1"]

    def run(*options):
        tracemalloc.start()
        try:
            main([*command, *options])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    run()  # what is cached by the first run is not of interest
    return run


def test_a_comparison_in_which_every_element_differs(peak, capsys):
    alone = peak()
    capsys.readouterr()
    assert peak("--expected-output", "@y.npy") < alone + ROOM
    elements = ROWS * COLUMNS
    assert f"{elements} of {elements} elements differ" in capsys.readouterr().err


def test_a_result_that_is_written(peak):
    alone = peak()
    assert peak("--output", "@z.npy") < alone + ROOM
    assert (np.load("z.npy") == 2).all()
