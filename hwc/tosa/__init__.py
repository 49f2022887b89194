"""The front door for models in TOSA: element-wise regions for the machine, the rest for IREE."""
