"""The embedded cluster and the pinned tools behind `make up` and `make test`.

Not part of the product: everything here runs before `.venv` exists, so it uses the standard
library only.
"""
