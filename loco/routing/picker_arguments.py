"""What the endpoint picker is started with: the user's own words, leader election, and its config for its release."""

from collections.abc import Sequence
from typing import Any

from loco import names
from loco.layers import Resolved
from loco.model import Finding
from loco.pods.arguments import drop_empty_words
from loco.pods.reading import PICKER_TEMPLATE, in_template
from loco.routing.picker_config import Config, as_json, as_yaml, default_config, parsed
from loco.routing.picker_flags import (
    config_flag_in,
    config_text_in,
    has_flag,
    with_config_text,
    without_open_config,
)
from loco.routing.picker_release import CODE, PickerRelease, picker_release, unread_default
from loco.routing.picker_versions import FIRST_CHANGE, VERSION, Migration, migrate
from loco.spec.tree import Path, at, plain

_INLINE = ("router", "scheduler", "config", "inline")
_WORDS = ("command", "args")


def assemble_arguments(
    pod: dict[str, Any], number: int, resolved: Resolved, tokenizer_url: str | None
) -> list[Finding]:
    """Completes the command and args of a picker's pod.

    The args are the user's own, then leader election where there are several pickers, then the config: the inline
    one, else what a flag of the container brings, else the default of the service's kind.

    Args:
        pod: the picker's pod; changed in place.
        number: of the picker among its containers.
        resolved: the service.
        tokenizer_url: of the tokenizer's Service, where there is one.
    """
    picker = pod["containers"][number]
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    release, findings = picker_release(picker, number, resolved)
    if release is None:
        return findings
    arguments = without_open_config([str(word) for word in picker.get("args") or []])
    command = [str(word) for word in picker.get("command") or []]
    replicas = scheduler.replicas if scheduler else None
    if (replicas or 1) > 1 and not has_flag([*command, *arguments], "ha-enable-leader-election"):
        arguments.append("--ha-enable-leader-election")
    if resolved.pool_api != "v1" and not has_flag([*command, *arguments], "pool-group"):
        arguments += ["--pool-group", names.pool_group(resolved.pool_api)]  # it looks for its pool in v1's else
    config: Config | None = None
    inline = at(resolved.tree, _INLINE)
    if inline is not None:
        if config_flag_in([*command, *arguments]):
            message = "the picker gets its config by a flag of its own too, and would obey only one of them"
            cure = "one of the two: this, or the flag in the container's command or args"
            path = ".".join(("spec", *_INLINE))
            findings.append(Finding("LOCO-VALUE", "error", path, message, cure, inline.origin, resolved.subject))
        config = plain(inline)
    elif not config_flag_in([*command, *arguments]):
        config = default_config(*_kind_of(resolved))
        findings += unread_default(release, resolved, number)
    if config is not None:
        arguments += ["--config-text", as_json(config)]
    picker["args"] = arguments
    if release.number >= FIRST_CHANGE:
        findings += _migrate(pod, number, release, resolved, tokenizer_url, config)
    drop_empty_words(picker, resolved)
    return findings


def _kind_of(resolved: Resolved) -> tuple[bool, bool]:
    """Whether prefill and decode are apart, and whether there are LoRA adapters."""
    return resolved.spec.prefill is not None, bool(resolved.spec.adapters)


def _migrate(
    pod: dict[str, Any],
    number: int,
    release: PickerRelease,
    resolved: Resolved,
    tokenizer_url: str | None,
    config: Config | None,
) -> list[Finding]:
    """``config`` is the one of the arguments, where it isn't a flag of the user's own."""
    picker = pod["containers"][number]
    holder = next((key for key in ("args", "command") if config_text_in(picker.get(key) or []) is not None), None)
    text = config_text_in(picker[holder]) if holder else None
    if config is None and text is not None:
        config = parsed(text)
    elif config is not None and not config.get("kind"):
        config = None  # no config of the picker's, and so not to be changed
    migration = Migration(config, pod["containers"], tokenizer_url)
    written = [(index, key, container.get(key)) for index, container in enumerate(pod["containers"]) for key in _WORDS]
    migrate(migration, release.number)
    moved = [
        (index, key)
        for index, key, before in written
        if pod["containers"][index].get(key) != before and _by_user(resolved, "containers", index, key)
    ]
    if holder and config is not None:
        picker[holder] = with_config_text(picker[holder], as_yaml(config))
    refused = [
        in_template(
            resolved,
            ("containers", number, "args"),
            f"the picker of release {release.text} has no flag --{flag}: {why}",
            "the setting in the picker's config (router.scheduler.config.inline), and the flag removed",
            place=PICKER_TEMPLATE,
            value=flag,
        )
        for flag, why in sorted(migration.refused)
    ]
    return refused or _told(migration, moved, number, holder, release, resolved)


def _told(
    migration: Migration,
    moved: Sequence[tuple[int, str]],
    number: int,
    holder: str | None,
    release: PickerRelease,
    resolved: Resolved,
) -> list[Finding]:
    """A warning for what of the user's own text is not passed on as it is written."""
    findings = []
    for index, key in moved:
        message = f"flags that the picker of {release.text} no longer has moved into its config, or are left out"
        cure = "the settings in router.scheduler.config.inline, and these flags removed"
        where = ("containers", index, key)
        findings.append(
            in_template(resolved, where, message, cure, place=PICKER_TEMPLATE, code=CODE, severity="warning")
        )
    if not migration.changes:
        return findings
    since = "; since ".join(migration.changes)
    message = f"the picker of {release.text} reads another form of this config, so it is changed. Since {since}"
    cure = f"the config in that form, or among the scheduler's annotations {VERSION} with the release that it is for"
    if at(resolved.tree, _INLINE) is not None:
        if not _is_presets(resolved, _INLINE):
            path, origin = ".".join(("spec", *_INLINE)), resolved.origin_at(*_INLINE)
            findings.append(Finding(CODE, "warning", path, message, cure, origin, resolved.subject))
    elif holder and _by_user(resolved, "containers", number, holder):
        where = ("containers", number, holder)
        findings.append(
            in_template(resolved, where, message, cure, place=PICKER_TEMPLATE, code=CODE, severity="warning")
        )
    return findings


def _is_presets(resolved: Resolved, path: Path) -> bool:
    return resolved.origin_at(*path).layer.startswith("preset:")


def _by_user(resolved: Resolved, *path: str | int) -> bool:
    """Whether what stands at ``path`` of the picker's pod is there, and not a preset's."""
    where = (*PICKER_TEMPLATE, *path)
    return at(resolved.tree, where) is not None and not _is_presets(resolved, where)
