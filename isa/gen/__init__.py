"""Emitters: one per output, each a pure function from the instruction set to text.

`python -m rtl_models.generate` calls them and writes the files.
"""
