"""What the endpoint picker is started with: the user's own words, leader election, and its config for its release."""

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
from loco.routing.picker_versions import FIRST_CHANGE, VERSION, Migration, Release, migrate, release_of
from loco.spec.tree import at, plain

_INLINE = ("router", "scheduler", "config", "inline")


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
    release = release_of(((scheduler.annotations if scheduler else None) or {}).get(VERSION))
    if release is None:
        where = ("router", "scheduler", "annotations", VERSION)
        message = "this is no version of the endpoint picker, which says what form its config has"
        cure, origin = "0.10.0, or the release that the image holds", resolved.origin_at(*where)
        path = f'spec.router.scheduler.annotations["{VERSION}"]'
        value = resolved.spec.router.scheduler.annotations.get(VERSION)  # type: ignore[union-attr]
        return [Finding("LOCO-VALUE", "error", path, message, cure, origin, resolved.subject, value)]
    arguments = without_open_config([str(word) for word in picker.get("args") or []])
    command = [str(word) for word in picker.get("command") or []]
    findings = []
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
    if config is not None:
        arguments += ["--config-text", as_json(config)]
    picker["args"] = arguments
    if release >= FIRST_CHANGE:
        findings += _migrate(pod, number, release, resolved, tokenizer_url, config)
    drop_empty_words(picker, resolved)
    return findings


def _kind_of(resolved: Resolved) -> tuple[bool, bool]:
    """Whether prefill and decode are apart, and whether there are LoRA adapters."""
    model = resolved.spec.model
    adapters = model.lora.adapters if model is not None and model.lora is not None else None
    return resolved.spec.prefill is not None, bool(adapters)


def _migrate(
    pod: dict[str, Any],
    number: int,
    release: Release,
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
    migrate(migration, release)
    if holder and config is not None:
        picker[holder] = with_config_text(picker[holder], as_yaml(config))
    return [
        in_template(
            resolved,
            ("containers", number, "args"),
            f"the picker of release {'.'.join(map(str, release))} has no flag --{flag}: {why}",
            "the setting in the picker's config (router.scheduler.config.inline), and the flag removed",
            place=PICKER_TEMPLATE,
            value=flag,
        )
        for flag, why in sorted(migration.refused)
    ]
