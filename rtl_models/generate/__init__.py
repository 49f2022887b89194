"""Everything in the checkout that a program writes: `python -m rtl_models.generate`.

An emitter is a pure function that returns the text of a file. Emitters that need the instruction
set alone are in `isa.gen`, the others are here. `__main__.py` lists the files.
"""
