"""Whole models: cuts a graph into regions for the machine and parts for the host.

Only `hwc.onnx` and `hwc.tosa` know what a node means: they supply the graph, and turn regions into
programs and parts into models. Nothing here depends on either of them.
"""
