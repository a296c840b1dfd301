"""The rule by which an object's name is made of its owner's, as short as Kubernetes wants it.

KServe's rule (knative's child names): parent and suffix joined, and where that is longer than a DNS label allows, the
parent is cut and its MD5 stands in for the rest, so that a long name stays unique and the suffix stays readable.
"""

import hashlib

LONGEST = 63  # a DNS label
HASH = 32  # MD5 as hexadecimal
_HEAD = LONGEST - HASH


def child_name(parent: str, suffix: str) -> str:
    """Name of an object that belongs to ``parent``, at most 63 bytes long.

    Args:
        parent: the owner's name.
        suffix: starts with its own dash, such as ``-kserve``.

    The hash covers the parent alone, except where the suffix by itself fills the place that the hash leaves:
    then it covers both, and the result is padded with the suffix's first characters.
    """
    if len(parent) + len(suffix) <= LONGEST:
        return parent + suffix
    if len(suffix) < _HEAD:
        return parent[: _HEAD - len(suffix)] + md5(parent) + suffix
    name = parent[:_HEAD] + md5(parent + suffix)
    name += suffix[: LONGEST - len(name)]
    while name and not name[-1].isalnum():
        name = name[:-1]
    return name


def md5(text: str) -> str:
    """The hash that stands in for what was cut off, in hexadecimal."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
