"""Benches of the RTL: drivers, monitors, reference models and one test module per block."""
