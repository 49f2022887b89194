"""Emitters: one per output language, each a pure function from the instruction set to text."""
