"""Secret values that LiteLLM takes for something else, or that no header can carry. The values are never shown."""

import re
from functools import partial

import pulumi

from loco.components.findings import warn
from loco.model import CredentialUse, Finding

# LiteLLM 1.108.7 refuses to start with this master key, which its own documents use.
_EXAMPLE = "sk-1234"
_TEXTUAL = re.compile(r"[\n\r\t]")
_CURE = {
    "empty": "a value",
    "blank at its end": "the value without it, as from printf '%s' rather than echo",
    "a boolean": "another value",
    "a NUL": "a value without it",
    "a control character": "a value without it",
    "the example": "a key of your own, or masterKey: {generate: true}",
}


def oddity(value: str, master_key: bool) -> str | None:
    """What is odd about a value, None where nothing is.

    A key that is ``true`` becomes a boolean: its model is left out without a word, and a master key keeps LiteLLM from
    starting. With a line break at its end a key can't be sent, and a master key fits no client's. No container starts
    with a NUL in its environment. Line breaks and tabs may stand inside of a value, as in a certificate.
    """
    if not value:
        return "empty"
    if "\0" in value:
        return "a NUL"
    if value != value.strip():
        return "blank at its end"
    if value.lower() in ("true", "false"):
        return "a boolean"
    if any(ord(character) < ord(" ") or character == "\x7f" for character in _TEXTUAL.sub("", value)):
        return "a control character"
    return "the example" if master_key and value == _EXAMPLE else None


def warn_of_odd(use: CredentialUse, value: pulumi.Output[str], parent: pulumi.Resource) -> pulumi.Output[str]:
    """The value, with a warning; for a key without which the pods don't start, or nobody can sign in, an error.

    The error comes with the value, so that whoever waits for one sees the other: a component package waits for nothing else.
    """
    return value.apply(partial(_warn, use, parent))


def _warn(use: CredentialUse, parent: pulumi.Resource, value: str) -> str:
    odd = oddity(value, use.credential == "master-key")
    if odd is None or (odd == "empty" and not use.required and not use.made_here):
        return value  # that it isn't there has been said
    what = {
        "empty": "is empty",
        "blank at its end": "begins or ends with a blank or a line break",
        "a boolean": "reads true or false, which LiteLLM takes for a boolean",
        "a NUL": "holds a NUL, with which no container starts",
        "a control character": "holds a control character, which no header can carry",
        "the example": "is the example of LiteLLM's documents, with which it doesn't start",
    }[odd]
    message = f"the value of key {use.key} of the Secret {use.namespace}/{use.secret} {what}"
    where, cure = f"credentials.{use.secret}.{use.key}", _CURE[odd]
    fatal = use.required or odd == "a NUL"
    finding = Finding("LOCO-CREDENTIAL", "error" if fatal else "warning", where, message, cure)
    if fatal:
        raise pulumi.RunError(str(finding))
    warn([finding], parent)
    return value
