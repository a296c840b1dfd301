"""The ``loco`` command: a plan without an engine or a cluster."""
