"""The endpoint picker's own config, where nobody writes one."""

from typing import Any

import yaml

_SCORERS = (
    ("queue-scorer", 2),
    ("kv-cache-utilization-scorer", 2),
    ("prefix-cache-scorer", 3),
    ("no-hit-lru-scorer", 2),
)
_PICKER = "max-score-picker"


def default_config(tls: bool) -> str:
    """For engines that serve whole requests: load, KV cache and prefixes are weighed against each other.

    With TLS the picker scrapes the engines' metrics over HTTPS. The text has sorted keys, as KServe writes it.
    """
    plugins: list[dict[str, Any]] = [{"type": "single-profile-handler"}]
    plugins += [{"type": scorer} for scorer, _ in _SCORERS]
    plugins.append({"type": _PICKER})
    if tls:
        plugins.append({"parameters": {"scheme": "https"}, "type": "metrics-data-source"})
    chosen: list[dict[str, Any]] = [{"pluginRef": scorer, "weight": weight} for scorer, weight in _SCORERS]
    chosen.append({"pluginRef": _PICKER})
    config = {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": [{"name": "default", "plugins": chosen}],
    }
    return yaml.safe_dump(config, sort_keys=True, default_flow_style=False, width=4096)
