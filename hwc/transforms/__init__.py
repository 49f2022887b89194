"""Passes over the intermediate representation, one per file; a pass is a frozen dataclass."""
