"""Tests of the hardware's units and of the whole machine.

The name of a file says what it is:

- `sv/<block>_bench.sv`: a SystemVerilog top with the block and what runs freely around it;
  `sv/machine_cocotb.sv` is the top of the machine for cocotbext-axi. Other files in `sv/` are parts
  that several tops use.
- `<block>_testbench.py`: Python that runs inside the RTL simulator, under cocotb.
- `bench.py`, `<block>_bench.py`: Python that runs under pytest, builds a top and starts it.
- `<block>_cases.py`, `vectors.py`, `random_dispatches.py`, `spoil.py`: stimuli, and the independent
  models of the expected results.
- `test_<block>.py`: what pytest collects.
"""
