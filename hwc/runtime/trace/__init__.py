"""Traces: what every engine did in a call, strip by strip; docs/tracing.md describes them."""

from hwc.runtime.trace.model import CounterTrack, Slice, SliceTrack, Trace

__all__ = ["CounterTrack", "Slice", "SliceTrack", "Trace"]
