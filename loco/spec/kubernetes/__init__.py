"""Kubernetes as its schema describes it: fields, types and merge keys of one version, and a check against them.

The Pulumi provider drops an unknown key of a built-in kind without a word, so loco checks every manifest, and every pod
spec that a user writes, against these tables first. `dev/kubernetes_tables` generates them.
"""

from loco.spec.kubernetes.check import Problem, Reason, problems
from loco.spec.kubernetes.tables import (
    KUBERNETES_VERSION,
    ONE_OF,
    Field,
    definition,
    definition_of,
    is_known_definition,
)

__all__ = [
    "KUBERNETES_VERSION",
    "ONE_OF",
    "Field",
    "Problem",
    "Reason",
    "definition",
    "definition_of",
    "is_known_definition",
    "problems",
]
