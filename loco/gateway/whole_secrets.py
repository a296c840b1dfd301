"""Variables from every declared key of a Secret.

They are spelt out one by one instead of ``envFrom``: pods then read no key that nobody has declared, each name is
checked, and each value is in a digest.
"""

import re
from collections.abc import Collection

from loco.gateway.credentials import Credentials, undeclared
from loco.gateway.database import DATABASES
from loco.gateway.documents import Gateway
from loco.gateway.idle_settings import REFUSED
from loco.gateway.variables import Variable
from loco.model import Finding
from loco.spec.external_model import SecretKey
from loco.spec.tree import Path

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")


def whole_secret_variables(
    gateway: Gateway, declared: Credentials, taken: Collection[str]
) -> tuple[list[Variable], list[Finding]]:
    """The variables by Secret and key.

    ``LOCO-CREDENTIAL`` for a Secret of which no key is declared, ``LOCO-VALUE`` for a key that no variable may be
    called, ``LOCO-DUPLICATE`` for one that the gateway has.
    """
    found: list[Variable] = []
    taken = {*taken, *DATABASES, *REFUSED, *(variable.name for variable in gateway.spec.env or [])}
    findings: list[Finding] = []
    for index, whole in enumerate(gateway.spec.env_from or []):
        secret = whole.secret_ref.name
        path: Path = ("envFrom", index, "secretRef")
        if secret not in declared:
            message, cure = undeclared(secret, "KEY", declared)
            findings.append(gateway.finding(path, message, cure, secret, code="LOCO-CREDENTIAL"))
        for key in sorted(declared.get(secret, {})):
            name = f"{whole.prefix or ''}{key}"
            if not _NAME.fullmatch(name):
                message = f"the key {key} of the Secret {secret} would be a variable {name}, which a shell drops"
                cure = "keys of capitals, digits and underscores; or env, which gives each a name"
                findings.append(gateway.finding(path, message, cure, key, code="LOCO-VALUE"))
            elif name in taken:
                message, cure = (
                    f"the gateway has a variable {name} already, a field for it, or must not have it",
                    "another key, or a prefix",
                )
                findings.append(gateway.finding(path, message, cure, name, code="LOCO-DUPLICATE"))
            else:
                found.append(Variable(name, SecretKey(name=secret, key=key), gateway, path))
    return found, findings
