"""Runs the hardware: the machine with a memory and a host, built by Verilator, in a process."""
