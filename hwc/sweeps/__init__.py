"""Sweeps: the cycles of a program for many shapes on many targets, computed with Dask."""
