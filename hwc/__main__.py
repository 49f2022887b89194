"""`python -m hwc` is the command `hwc`."""

import sys

from hwc.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
