"""Lets the tests of planning import their helpers beside them by name."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
