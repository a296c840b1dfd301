"""What differs between two pod templates, as causes: image, flags, environment, resources, credentials."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from loco import names
from loco.cli.report.cause import SHIPPED, Cause, cause_between, flag_text, value_text
from loco.cli.report.flags import flags_in_script, flags_in_text, flags_of, is_script
from loco.cli.report.normal_form import normal
from loco.cli.report.structure import ORDER, Difference, Path, differences
from loco.model import Origin

Find = Callable[[Path], Origin | None]  # a path in the template, such as spec, containers, main, image
_CONTAINERS = ("containers", "initContainers")
_WORDS = ("args", "command")
_MAIN = ("main", "litellm")
ADDITIONAL = "VLLMADDITIONAL_ARGS"
_DIGESTS = {
    names.CONFIG_DIGEST: "config of the gateway",
    names.AUTHORITIES_DIGEST: "certificate authorities that it trusts",
    names.CERTIFICATE_DIGEST: "rotation of certificates",
    f"{names.DIGEST_PREFIX}master-key": "master key",
    f"{names.DIGEST_PREFIX}salt-key": "salt key",
}


def template_causes(old: Mapping[str, Any], new: Mapping[str, Any], now: Find, then: Find) -> list[Cause]:
    """Why pods of the new template are others, the most telling first.

    Args:
        now: who sets what stands at a path of the new template.
        then: the same of the old one, where its files are known.
    """
    found = [*differences(normal(old), normal(new))]
    causes = list(dict.fromkeys(cause for each in _joined(found, old, new) for cause in _causes(each, now, then)))
    causes = _without_combined(_without_generated_names(causes))
    return sorted(causes, key=lambda cause: (cause.detail, _is_shipped(cause), _rank(cause)))


def credential_of(annotation: str) -> str | None:
    """What a digest on a pod template stands for, in words; None for another annotation."""
    if annotation in _DIGESTS:
        return _DIGESTS[annotation]
    if not annotation.startswith(names.DIGEST_PREFIX):
        return None
    name = annotation.removeprefix(names.DIGEST_PREFIX)
    for prefix, kind in (("ConfigMap-", "ConfigMap"), ("Secret-", "credential")):
        if name.startswith(prefix):
            return f"{kind} {name.removeprefix(prefix)}"
    return f"credential {name}"


def _joined(found: list[Difference], old: Any, new: Any) -> Iterator[Difference]:
    """Differences within one environment variable, command or volume as one difference of the whole."""
    seen = set()
    for each in found:
        path = each.path
        whole = 0
        if len(path) > 3 and path[1] in _CONTAINERS:
            whole = (
                5 if path[3] in ("env", "volumeMounts", "ports") and len(path) > 5 else 4 if path[3] in _WORDS else 0
            )
        elif len(path) > 3 and path[1] == "volumes":
            whole = 3
        if not whole or path[-1] == ORDER:
            yield each
        elif path[:whole] not in seen:
            seen.add(path[:whole])
            yield Difference(path[:whole], _at(old, path[:whole]), _at(new, path[:whole]))


def _causes(each: Difference, now: Find, then: Find) -> Iterator[Cause]:
    path, old, new = each.path, each.old, each.new

    def cause(what: str, values: bool, detail: bool) -> Cause:
        texts = (value_text(value, what) if values else None for value in (old, new))
        return cause_between(what, texts, (now(path), then(path)), detail)

    if path[-1] == ORDER:
        yield Cause(f"order of {path[-2]}", None, None, detail=True)
    elif path[:2] == ("metadata", "annotations") and len(path) == 3:
        yield from _annotation(each, now, then)
    elif path[:2] == ("metadata", "labels") and len(path) == 3:
        yield cause(
            "role" if path[2] == names.ROLE else f"label {path[2]}", path[2] == names.ROLE, path[2] != names.ROLE
        )
    elif len(path) > 2 and path[0] == "spec" and path[1] in _CONTAINERS:
        whose = "" if path[2] in _MAIN else f" of {path[2]}"
        yield from _of_container(each, whose, now, then)
    elif path[:2] == ("spec", "volumes") and len(path) >= 3:
        yield cause(f"volume {path[2]}", False, True)
    else:
        what = ".".join(path[1:] if path[0] == "spec" else path)
        yield cause(what, True, _follows(now(path)))


def _of_container(each: Difference, whose: str, now: Find, then: Find) -> Iterator[Cause]:
    path, old, new = each.path, each.old, each.new
    field = path[3] if len(path) > 3 else ""

    def cause(what: str, shown: str | None, detail: bool = False) -> Cause:
        texts = (value_text(value, shown) if shown else None for value in (old, new))
        return cause_between(what + whose, texts, (now(path), then(path)), detail)

    if not field:
        verb = "added" if old is None else "removed" if new is None else "changed"
        yield Cause(f"container {path[2]} {verb}", None, None, now(path), then(path), detail=now(path) is None)
    elif field == "image":
        yield cause("image", "image")
    elif field in _WORDS:
        yield from _words(path, old or [], new or [], whose, now, then)
    elif field == "env" and len(path) > 4:
        if path[4] == ADDITIONAL and _is_text(old) and _is_text(new):
            before, after = (flags_in_text((variable or {}).get("value") or "") for variable in (old, new))
            yield from _flags(before, after, path, whose, now, then)
            return
        places = [find((*path, "value")) or find(path) for find in (now, then)]
        texts = (_variable(variable, path[4]) for variable in (old, new))
        yield cause_between(f"environment variable {path[4]}{whose}", texts, places, detail=not any(places))
    elif field == "resources" and len(path) > 5:
        yield cause(
            f"{path[4].removesuffix('s')} of {path[5]}", "resources", detail=now(path) is None and new is not None
        )
    elif field in ("volumeMounts", "ports"):
        what = "mount" if field == "volumeMounts" else "port"
        yield cause(f"{what} {path[4] if len(path) > 4 else ''}".strip(), None, detail=True)
    else:
        yield cause(".".join(path[3:]), ".".join(path[3:]), detail=_follows(now(path)))


def _annotation(each: Difference, now: Find, then: Find) -> Iterator[Cause]:
    """A digest names its source and never a value; the engine's own annotations say nothing."""
    name = each.path[2]
    what = credential_of(name)
    if what is not None:
        verb = " (new)" if each.old is None else " (no longer read)" if each.new is None else ""
        yield Cause(what + verb, None, None, now(each.path), then(each.path))
    elif name == names.COMBINED_DIGEST:
        yield Cause(_COMBINED)
    else:
        yield Cause(f"annotation {name}", None, None, now(each.path), then(each.path))


_COMBINED = "what it reads of config and credentials"


def _without_combined(causes: list[Cause]) -> list[Cause]:
    """The combined digest says something only where no other does."""
    single = [cause for cause in causes if cause.what != _COMBINED]
    digests = [*_DIGESTS.values(), "credential ", "ConfigMap "]
    return single if any(cause.what.startswith(tuple(digests)) for cause in single) else causes


def _without_generated_names(causes: list[Cause]) -> list[Cause]:
    """The name of a config's edition is another whenever the config is."""
    if not any(cause.what.startswith(_DIGESTS[names.CONFIG_DIGEST]) for cause in causes):
        return causes
    return [cause for cause in causes if cause.what != "volume config"]


def _words(path: Path, old: list[Any], new: list[Any], whose: str, now: Find, then: Find) -> Iterator[Cause]:
    """Of arguments and commands: flags by name, then what else there is."""
    sides = []
    for words in (old, new):
        of_flags = [str(previous).startswith("--") for previous in ("", *words)]
        scripts = "\n".join(
            word for word, of_flag in zip(words, of_flags, strict=False) if is_script(word) and not of_flag
        )
        flags, rest = flags_of(
            [str(w) for w, of_flag in zip(words, of_flags, strict=False) if of_flag or not is_script(w)]
        )
        sides.append((flags, flags_in_script(scripts), rest, scripts))
    (own, made, rest, script), (own_new, made_new, rest_new, script_new) = sides
    found = [*_flags(own, own_new, path, whose, now, then), *_flags(made, made_new, path, whose, now, then)]
    yield from found
    if script != script_new and made == made_new:
        where = now((*path, "script"))
        yield Cause(f"start script{whose}", None, None, where, then((*path, "script")))
    if rest == rest_new and not found and script == script_new:
        yield Cause(f"{path[3]}{whose}, with the same flags", None, None, now(path), then(path))
    elif rest != rest_new:
        yield Cause(
            f"{path[3]}{whose}", value_text(rest, path[3]), value_text(rest_new, path[3]), now(path), then(path)
        )


def _flags(
    old: Mapping[str, str], new: Mapping[str, str], path: Path, whose: str, now: Find, then: Find
) -> Iterator[Cause]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            texts = (flag_text(name, flags.get(name)) for flags in (old, new))
            origin = now((*path, name)) if name in new else None
            yield cause_between(f"flag {name}{whose}", texts, (origin, then((*path, name)) if name in old else None))


def _follows(origin: Origin | None) -> bool:
    """Whether a value is none that a user has written."""
    return origin is None or origin.layer.startswith(SHIPPED)


def _is_text(variable: Any) -> bool:
    return variable is None or "valueFrom" not in variable


def _variable(variable: Any, name: str) -> str | None:
    """What a variable is set to, or from which Secret or field."""
    if not isinstance(variable, Mapping):
        return value_text(variable, name)
    if "valueFrom" not in variable:
        return value_text(str(variable.get("value", "")), f"env.{name}")
    source = variable["valueFrom"]
    for kind, called in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
        if kind in source:
            return f"key {source[kind].get('key')} of the {called} {source[kind].get('name')}"
    return value_text(source, "valueFrom")


def _at(data: Any, path: Path) -> Any:
    """What stands at a path of ``differences``, as it was written."""
    for key in path:
        if isinstance(data, Mapping):
            data = data.get(key)
        elif isinstance(data, list):
            data = next((i for i in data if isinstance(i, Mapping) and key in [str(v) for v in _names(i)]), None)
    return data


def _names(item: Mapping[str, Any]) -> list[Any]:
    return [item[key] for key in ("name", "mountPath", "containerPort") if key in item]


def _is_shipped(cause: Cause) -> bool:
    """Whether a preset or profile of loco's sets it: mostly it follows from something that a user has written."""
    return _follows(cause.origin)


def _rank(cause: Cause) -> int:
    for number, beginning in enumerate(("image", "credential", "master key", "config", "flag", "environment", "limit")):
        if cause.what.startswith(beginning):
            return number
    return 99
