"""Whole models: cutting a graph into regions for the machine and parts for the host.

What a node means is a matter of the front doors, `hwc.onnx` and `hwc.tosa`: they give a graph, and
make programs of regions and models of parts. Nothing here knows one of them.
"""
