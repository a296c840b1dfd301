"""The InferencePool of a service, as its own pods and the route to it must call it."""

from loco import names
from loco.layers import Resolved


def has_own_pool(resolved: Resolved) -> bool:
    """Whether the service has a pool of its own; ``pool.ref`` names one that somebody else runs, picker and all."""
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    return scheduler is not None and pool_reference(resolved) is None


def pool_reference(resolved: Resolved) -> str | None:
    """The name of the pool that ``pool.ref`` names."""
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    pool = scheduler.pool if scheduler else None
    return pool.ref.name if pool and pool.ref else None


def pool_api(resolved: Resolved) -> str:
    """The apiVersion of pools on the service's platform."""
    return f"{names.pool_group(resolved.pool_api)}/{resolved.pool_api}"


def pool_name(resolved: Resolved) -> str:
    """The pool that requests go through: its own, or the one that ``pool.ref`` names."""
    return pool_reference(resolved) or names.inference_pool(resolved.name)


def picker_service_name(resolved: Resolved) -> str | None:
    """The endpoint picker's Service, if there is one: its name is taken from the pool's reference, so they agree."""
    if not has_own_pool(resolved):
        return None
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    spec = scheduler.pool.spec if scheduler and scheduler.pool else None
    reference = spec.endpoint_picker_ref if spec else None
    return (reference.name if reference else None) or names.picker_service(resolved.name)
