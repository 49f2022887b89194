"""Reports: a page about one call, and a page about the differences of two."""
