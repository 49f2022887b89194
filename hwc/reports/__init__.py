"""Reports: a page about one call, and a page about the differences between two."""
