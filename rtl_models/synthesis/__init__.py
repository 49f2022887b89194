"""Synthesis of the machine with Yosys: cells, memories and deepest paths of each module."""
