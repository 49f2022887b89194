"""`hwc sweep` with chunks of a given number of points, each of which takes longer.

    python slow_sweep.py POINTS SECONDS [arguments of hwc sweep]

The workers of Dask get the function below, so their chunks take longer as well.
"""

import sys
import time

import hwc.sweeps.job
from hwc.cli.main import main
from hwc.sweeps import work

hwc.sweeps.job.CHUNK, pause = int(sys.argv[1]), float(sys.argv[2])
timed = work.timed


def slow(*arguments):
    time.sleep(pause)
    return timed(*arguments)


work.timed = slow
if __name__ == "__main__":
    sys.exit(main(["sweep", *sys.argv[3:]]))
