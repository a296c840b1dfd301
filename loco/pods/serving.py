"""Which Service a whole request may be sent to."""

from loco import names
from loco.layers import Resolved


def has_decode_service(resolved: Resolved) -> bool:
    """Whether decode pods have a Service of their own.

    The workload Service selects prefill pods too, which answer with nothing but a first token; only an endpoint picker
    tells the two apart.
    """
    return resolved.spec.prefill is not None and resolved.profile.settings.decode_service == "withPrefill"


def serving_service(resolved: Resolved) -> str:
    """The name of the Service whose every pod answers a whole request."""
    return (
        names.decode_service(resolved.name) if has_decode_service(resolved) else names.workload_service(resolved.name)
    )
