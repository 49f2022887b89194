"""What all tests share: hypothesis, reproducible and without limits on time."""

from hypothesis import settings

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("default")
