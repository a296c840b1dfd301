"""The stack's secrets against what declares and reads them."""

from collections.abc import Iterable

from loco.model import CredentialUse, Finding
from loco.spec import StackSpec
from loco.spec.stack import CONFIG
from loco.spec.tree import Leaf, Path, at, dotted, leaves
from loco.spec.validate import close_to, origin_of


def check_credentials(stack: StackSpec, uses: Iterable[CredentialUse], whole: bool = True) -> list[Finding]:
    """Declared sources that aren't there, Secrets with two owners, secrets that nobody declares or reads.

    ``whole`` is whether ``uses`` are all; if not, a credential that nobody reads may be read by what was refused.
    A secret inside a structured value is an error: the engine hands such a value over in plain text.
    """
    findings = []
    declared = stack.config.credentials
    # Also of an entry that is faulty otherwise: its secret is claimed all the same.
    written = at(stack.config_tree, ("credentials",))
    sources = {
        leaf.value
        for path, leaf in (leaves(written) if written is not None else ())
        if path[-1:] == ("config",) and isinstance(leaf, Leaf)
    }
    for secret, keys in declared.items():
        owners = {"somebody else" if source.existing else "the stack" for source in keys.values()}
        origin = origin_of(at(stack.config_tree, ("credentials", secret)), CONFIG)
        if len(owners) > 1:
            message = f"the Secret {secret} would be kept both by somebody else and by the stack"
            cure = "existing: true for all of its keys, or for none"
            where = dotted(("credentials", secret))
            findings.append(Finding("LOCO-CREDENTIAL", "error", where, message, cure, origin))
        for key, source in keys.items():
            path = dotted(("credentials", secret, key))
            if source.config is not None:
                findings += _unset(stack, source.config, ("credentials", secret, key, "config"))
    read = {(use.secret, use.key) for use in uses}
    for secret, keys in declared.items() if whole else ():
        for key in keys:
            if (secret, key) not in read:
                message = "nothing reads this credential"
                origin = origin_of(at(stack.config_tree, ("credentials", secret, key)), CONFIG)
                path = dotted(("credentials", secret, key))
                cure = "the stack config without it, or a document that refers to it"
                findings.append(Finding("LOCO-NO-EFFECT", "warning", path, message, cure, origin))
    for name in sorted(stack.secrets - sources):
        message = f"{name} is secret, and no credential names it as its source"
        cure = f"credentials: {{SECRET: {{KEY: {{config: {name}}}}}}}; or pulumi config rm {name} if nothing needs it"
        origin = stack.secret_origins.get(name, CONFIG)
        findings.append(Finding("LOCO-SECRET", "error", name, message, cure, origin))
    return findings


def _unset(stack: StackSpec, name: str, path: Path) -> list[Finding]:
    if stack.name is None or name in stack.secrets:
        return []
    origin = origin_of(at(stack.config_tree, path), CONFIG)
    plain = name in stack.config_tree.items
    message = f"{name} stands in the stack config in plain text" if plain else f"the stack config has no secret {name}"
    near = close_to(name, stack.secrets)
    cure = f"pulumi config set --secret {name}" + (f"; or did you mean {near}?" if near else "")
    return [Finding("LOCO-CONFIG", "error", dotted(path), message, cure, origin, value=name)]
