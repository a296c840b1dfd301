"""The environment in which Pulumi runs, so that it never touches what the user has set up."""

import os
import shlex
from collections.abc import Mapping

from dev.commands.checkout import Checkout

# Protects nothing: the embedded stack has no secrets worth keeping, and its committed
# Pulumi.dev.yaml must be readable by everybody who clones the repository.
DEV_PASSPHRASE = "loco-dev"

# Settings of the user's own that would win over the ones below.
OVERRIDING = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_STACK")

QUIET = {"PULUMI_SKIP_UPDATE_CHECK": "true"}


def local_backend(checkout: Checkout) -> dict[str, str]:
    """Return a backend in the state folder; the user's ~/.pulumi is neither read nor written."""
    checkout.backend.mkdir(parents=True, exist_ok=True)
    checkout.pulumi_home.mkdir(parents=True, exist_ok=True)
    return {
        "PULUMI_BACKEND_URL": f"file://{checkout.backend}",
        "PULUMI_HOME": str(checkout.pulumi_home),
        **QUIET,
    }


def dev_passphrase(checkout: Checkout) -> dict[str, str]:
    checkout.state.mkdir(parents=True, exist_ok=True)
    if not checkout.passphrase.exists() or checkout.passphrase.read_text() != DEV_PASSPHRASE:
        checkout.passphrase.write_text(DEV_PASSPHRASE)
    return {"PULUMI_CONFIG_PASSPHRASE_FILE": str(checkout.passphrase)}


def in_venv(checkout: Checkout, in_front: tuple[str, ...] = ()) -> dict[str, str]:
    """Return what activating `.venv` would set; `in_front` are folders for the start of PATH."""
    ours = [*in_front, str(checkout.venv / "bin")]
    rest = [part for part in os.environ.get("PATH", "").split(os.pathsep) if part not in ours]
    return {"VIRTUAL_ENV": str(checkout.venv), "PATH": os.pathsep.join([*ours, *rest])}


def embedded(checkout: Checkout) -> dict[str, str]:
    """Return what the embedded cluster's stack needs, KUBECONFIG always included."""
    return {
        **local_backend(checkout),
        **dev_passphrase(checkout),
        **in_venv(checkout, (str(checkout.bin),)),
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "KUBECONFIG": str(checkout.kubeconfig),
    }


def over_own(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment with `settings` winning over the user's."""
    kept = {name: value for name, value in os.environ.items() if name not in OVERRIDING}
    return {**kept, **settings}


def as_shell(settings: Mapping[str, str]) -> str:
    """Write settings for `eval`: unsets only what is set and would win over them."""
    lines = [f"unset {name}" for name in OVERRIDING if name in os.environ]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in settings.items()]
    return "\n".join(lines)
