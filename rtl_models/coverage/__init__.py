"""Coverage of the hardware over the lockstep suite: `python -m rtl_models.coverage`."""
