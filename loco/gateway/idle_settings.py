"""What a gateway's spec says and its pods would not do, or do to its secrets' harm."""

from collections.abc import Iterable, Mapping

from loco.gateway.documents import Gateway, Observability
from loco.gateway.entries import Entry
from loco.model import Finding
from loco.spec.tree import Path

_LIMITS = {"rpm", "tpm"}
ENFORCED = "enforce_model_rate_limits"
# LiteLLM reads these where its arguments don't say the same; loco's arguments do.
_ARGUMENTS = ("HOST", "NUM_WORKERS", "PORT")
_OTHER_CONFIGS = ("CONFIG_FILE_PATH", "LITELLM_CONFIG_BUCKET_NAME")
_TALKATIVE = ("DEBUG", "DETAILED_DEBUG")
REFUSED = frozenset({*_OTHER_CONFIGS, *_TALKATIVE})


def idle_settings(gateway: Gateway, entries: Iterable[Entry]) -> list[Finding]:
    """Findings about variables and settings of the user's own: ``idle_variables``, and ``LOCO-NO-EFFECT`` for limits of
    models that a list of the user's own no longer enforces.
    """
    return [*idle_variables(gateway), *_unenforced_limits(gateway, entries)]


def idle_variables(document: Gateway | Observability) -> list[Finding]:
    """Findings about ``env``, of a gateway or for all of them.

    ``LOCO-NO-EFFECT`` for a variable that an argument of the pods overrules; ``LOCO-VALUE`` for one that puts another
    config in the place of loco's, or with which requests and keys are written into the log.
    """
    findings = []
    for index, variable in enumerate(document.spec.env or []):
        path: Path = ("env", index, "name")
        if variable.name in _ARGUMENTS:
            message, cure = f"an argument of the pods says what {variable.name} would", "env without it"
            findings.append(
                document.finding(path, message, cure, variable.name, code="LOCO-NO-EFFECT", severity="warning")
            )
        elif variable.name in _OTHER_CONFIGS:
            message = f"with {variable.name} LiteLLM reads another config than loco's, and is ready without any model"
            findings.append(document.finding(path, message, "extraConfig in the gateway's spec", variable.name))
        elif variable.name in _TALKATIVE:
            message = f"with {variable.name} LiteLLM writes requests and their keys into the log"
            findings.append(document.finding(path, message, "env without it", variable.name))
    return findings


def _unenforced_limits(gateway: Gateway, entries: Iterable[Entry]) -> list[Finding]:
    path: Path = ("extraConfig", "router_settings", "optional_pre_call_checks")
    router = (gateway.spec.extra_config or {}).get("router_settings")
    checks = router.get("optional_pre_call_checks") if isinstance(router, Mapping) else None
    limited = sorted({entry.name for entry in entries if entry.params.keys() & _LIMITS})
    if not limited or not isinstance(checks, list) or ENFORCED in checks:
        return []
    message = f"without {ENFORCED} among them nothing holds requests to the limits of {', '.join(limited)}"
    cure = f"[{', '.join([ENFORCED, *map(str, checks)])}]"
    return [gateway.finding(path, message, cure, checks, code="LOCO-NO-EFFECT", severity="warning")]
