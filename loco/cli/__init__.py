"""The ``loco`` command: a plan without an engine, and without a cluster unless one is named."""
