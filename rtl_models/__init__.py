"""The machine in SystemVerilog, what builds it, and its benches."""
