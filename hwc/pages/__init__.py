"""Pages for a browser without a network: one file with style, script and data."""

from hwc.pages.page import Page

__all__ = ["Page"]
