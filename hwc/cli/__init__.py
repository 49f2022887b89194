"""The commands, one per file; the only code that prints."""
