"""HTML pages that need no network: one file with style, script and data."""

from hwc.pages.page import Page

__all__ = ["Page"]
