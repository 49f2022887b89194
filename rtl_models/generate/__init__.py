"""Everything in the checkout that a program writes: `python -m rtl_models.generate`.

An emitter is a pure function to the text of a file. The emitters of what follows from the
instruction set alone are in `isa.gen`, the others here. `__main__.py` lists the files.
"""
