"""Settings of every test."""

from hypothesis import settings

# How long an example takes says something of the machine, not of the code.
settings.register_profile("default", deadline=None)
settings.load_profile("default")
