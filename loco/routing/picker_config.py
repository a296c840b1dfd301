"""The endpoint picker's own config, where nobody writes one."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import yaml

from loco.spec.rules.scheduler import picker_faults
from loco.spec.tree import plain
from loco.spec.yaml_reader import read_yaml

Config = dict[str, Any]
_Profile = Sequence[tuple[str, int | None]]

_LORA = ("lora-affinity-scorer", 4)
_BEST: tuple[str, None] = ("max-score-picker", None)
_WHOLE: _Profile = (
    ("queue-scorer", 2),
    ("kv-cache-utilization-scorer", 2),
    ("prefix-cache-scorer", 3),
    ("no-hit-lru-scorer", 2),
    _BEST,
)
_PREFILL: _Profile = (
    ("prefill-filter", None),
    ("prefix-cache-scorer", 3),
    ("queue-scorer", 2),
    ("kv-cache-utilization-scorer", 2),
    _BEST,
)
_DECODE: _Profile = (
    ("decode-filter", None),
    ("active-request-scorer", 2),
    ("prefix-cache-scorer", 3),
    _BEST,
)
_DECIDER = "always-disagg-pd-decider"


def default_config(prefill: bool, adapters: bool) -> Config:
    """The reference's two defaults.

    Args:
        prefill: whether prefill and decode are apart. If so, each has a profile; if not, there is one, in which load,
            KV cache and prefixes are weighed against each other.
        adapters: whether the model has LoRA adapters, so that engines which hold the right one are preferred.
    """
    if not prefill:
        plugins = [_plugin("single-profile-handler"), *(_plugin(name) for name, _ in _WHOLE)]
        profiles = [_profile("default", _WHOLE, adapters)]
    else:
        # The loader registers plugins in list order: the decider stands before the handler that names it.
        scorers = ("queue-scorer", "kv-cache-utilization-scorer", "active-request-scorer", "prefix-cache-scorer")
        first = ("disagg-headers-handler", "prefill-filter", "decode-filter", *scorers, _BEST[0], _DECIDER)
        handler = {"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": _DECIDER}}}
        plugins = [*(_plugin(name) for name in first), handler]
        profiles = [_profile("prefill", _PREFILL, adapters), _profile("decode", _DECODE, adapters)]
    if adapters:
        plugins.append(_plugin(_LORA[0]))
    return {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": profiles,
    }


def as_yaml(config: Mapping[str, Any]) -> str:
    """The text as KServe writes it: block style, sorted keys."""
    try:
        text = json.dumps(config, sort_keys=True)
    except TypeError:  # a user's own text may hold what JSON has no form for, such as a date
        return _dump(config)
    return _dumped(text) if json.loads(text) == config else _dump(config)


@lru_cache(maxsize=256)
def _dumped(config: str) -> str:
    """The same of a config as JSON; most services of a stack have the same one, and writing YAML takes long."""
    return _dump(json.loads(config))


def _dump(config: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(config), sort_keys=True, default_flow_style=False, allow_unicode=True, width=2**31)


def as_json(config: Mapping[str, Any]) -> str:
    """The text of an inline config that nothing changes: of one line, sorted keys."""
    return json.dumps(config, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def parsed(text: str) -> Config | None:
    """The config that a text holds; None where it is no mapping with a ``kind``
    or has another shape, and so not the picker's config."""
    trees, findings = read_yaml(text, "", "")
    config = plain(trees[0]) if len(trees) == 1 and not findings else None
    is_picker = isinstance(config, dict) and config.get("kind") and not any(picker_faults(config))
    return config if is_picker else None


def _plugin(name: str) -> Config:
    return {"type": name}


def _profile(name: str, members: _Profile, adapters: bool) -> Config:
    chosen = list(members)
    if adapters:
        position = 1 if chosen[0][1] is None else 0  # behind the filter, before the other scorers
        chosen.insert(position, _LORA)
    plugins = [{"pluginRef": plugin} | ({} if weight is None else {"weight": weight}) for plugin, weight in chosen]
    return {"name": name, "plugins": plugins}
