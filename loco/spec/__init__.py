"""Everything that a user may write, read into frozen models and trees that know their lines."""

from loco.spec.document import (
    BASE_CONFIG,
    COMPANION_KINDS,
    CONFIG_MAP,
    EXTERNAL_MODEL,
    GATEWAY,
    OBSERVABILITY,
    SERVICE,
    Document,
)
from loco.spec.read import read_files, read_stack
from loco.spec.service import LLMInferenceServiceSpec
from loco.spec.stack import Platform, StackConfig, StackSpec

__all__ = [
    "BASE_CONFIG",
    "COMPANION_KINDS",
    "CONFIG_MAP",
    "EXTERNAL_MODEL",
    "GATEWAY",
    "OBSERVABILITY",
    "SERVICE",
    "Document",
    "LLMInferenceServiceSpec",
    "Platform",
    "StackConfig",
    "StackSpec",
    "read_files",
    "read_stack",
]
