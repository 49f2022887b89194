"""The commands, one per file. No other code prints."""
