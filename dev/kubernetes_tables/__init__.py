"""Generator of the Kubernetes tables in loco/spec/kubernetes (see generate.py)."""
