"""What changed between releases of the endpoint picker: config and flags are brought to the form of the stated one.

The release is the picker pod's annotation ``app.kubernetes.io/version``. Follows KServe's migration of the same
config, but for the release's own tokenizer container, which became a Deployment (see ``tokenizer``).
"""

import math
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from loco.routing.picker_config import Config
from loco.routing.picker_flags import without_flags

VERSION = "app.kubernetes.io/version"
FIRST_CHANGE = (0, 7, 0)
DEFAULT_FORM = (0, 9, 0)  # the lowest release that reads the config that loco writes itself
_RELEASE = re.compile(r"v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_METRIC_FLAGS = {
    "total-queued-requests-metric": "queuedRequestsSpec",
    "total-running-requests-metric": "runningRequestsSpec",
    "kv-cache-usage-percentage-metric": "kvUsageSpec",
    "lora-info-metric": "loraSpec",
    "cache-info-metric": "cacheInfoSpec",
}
_SOURCE_FLAGS = {
    "model-server-metrics-scheme": "scheme",
    "model-server-metrics-path": "path",
    "model-server-metrics-https-insecure-skip-verify": "insecureSkipVerify",
}
_DROPPED_FLAG = "model-server-metrics-port"  # the pool's target port says it
_PRECISE = "precise-prefix-cache-scorer"
_PRODUCER = "precise-prefix-cache-producer"
_MODEL_AT = "/mnt/models/base"  # where the tokenizer finds the model's files
_TRUE, _FALSE = ("1", "t", "true"), ("0", "f", "false")

Release = tuple[int, int, int]


@dataclass(slots=True)
class Migration:
    """One picker on its way to the stated release.

    Attributes:
        config: changed in place; None where it stands in a file, so that nothing can be added to it.
        containers: all of the pod's, whose flags are changed in place.
        tokenizer_url: of the tokenizer's Service, where the service has one.
        refused: flags that the release doesn't know, and that can't move into the config; with a wrong value or not.
        changes: what has become of the config's own text, by releases; not what is added to it from elsewhere.
    """

    config: Config | None
    containers: list[dict[str, Any]]
    tokenizer_url: str | None
    refused: list[tuple[str, str]] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    @property
    def plugins(self) -> list[Any]:
        found = (self.config or {}).get("plugins")
        return found if isinstance(found, list) else []

    def of_type(self, kind: str) -> list[Config]:
        return [plugin for plugin in self.plugins if isinstance(plugin, dict) and plugin.get("type") == kind]

    def references(self) -> Iterator[Config]:
        """Every entry of every scheduling profile."""
        for profile in (self.config or {}).get("schedulingProfiles") or []:
            for entry in (profile.get("plugins") if isinstance(profile, dict) else None) or []:
                if isinstance(entry, dict):
                    yield entry

    def add(self, plugin: Config) -> None:
        assert self.config is not None
        self.config["plugins"] = [*self.plugins, plugin]


def release_of(text: str | None) -> Release | None:
    """The release that an annotation names, the lowest for none; None for what is no version.

    A pre-release counts as what comes before it.
    """
    if not text:
        return (0, 0, 0)
    found = _RELEASE.fullmatch(text.strip())
    if found is None:
        return None
    major, minor, patch = int(found[1]), int(found[2]), int(found[3] or 0)
    return (major, minor, patch - 1) if found[4] else (major, minor, patch)


def migrate(migration: Migration, release: Release) -> None:
    """Applies every change up to the release, in the order of the releases."""
    for since, change, says in _CHANGES:
        if release >= since:
            before = deepcopy(migration.config)
            change(migration)
            if says and migration.config != before:
                migration.changes.append(f"{'.'.join(map(str, since[:2]))}: {says}{_types(before, migration.config)}")


def _disaggregation(migration: Migration) -> None:
    """0.7: handlers for prefill and decode have other names, and name a decider instead of a threshold."""
    _rename(migration, "prefill-header-handler", "disagg-headers-handler")
    _rename(migration, "pd-profile-handler", "disagg-profile-handler")
    for plugin in migration.plugins:
        if isinstance(plugin, dict) and isinstance(parameters := plugin.get("parameters"), dict):
            parameters.pop("hashBlockSize", None)
            _drop_if_empty(plugin)
    for handler in migration.of_type("disagg-profile-handler"):
        parameters = handler.get("parameters")
        if not isinstance(parameters, dict) or "deciders" in parameters:
            continue
        threshold = parameters.pop("threshold", None)
        if named := parameters.pop("deciderPluginName", None):
            parameters["deciders"] = {"prefill": named}
        elif isinstance(threshold, (int, float)) and not isinstance(threshold, bool):
            decider: Config = {"type": "always-disagg-pd-decider"}
            if threshold > 0:
                tokens = max(1, math.ceil(threshold / 4))
                decider = {"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": tokens}}
            parameters["deciders"] = {"prefill": decider["type"]}
            if not migration.of_type(decider["type"]):
                position = next(index for index, plugin in enumerate(migration.plugins) if plugin is handler)
                migration.plugins.insert(position, decider)


def _engine_metrics(migration: Migration) -> None:
    """0.7: which metrics of the engines are read moves from flags into a plugin."""
    found = _take(migration, _METRIC_FLAGS)
    given = {_METRIC_FLAGS[flag]: value for flag, value in found.items() if value}
    if not given or _refuse_without_config(migration, found):
        return
    kind = "model-server-protocol-metrics"
    if not migration.of_type(kind) and not migration.of_type("core-metrics-extractor"):
        engine = {"name": "vllm", **given}
        label = "inference.networking.k8s.io/engine-type"
        parameters = {"engineLabelKey": label, "defaultEngine": "vllm", "engineConfigs": [engine]}
        migration.add({"name": kind, "type": kind, "parameters": parameters})


def _extractor(migration: Migration) -> None:
    """0.8: that plugin has another name."""
    _rename(migration, "model-server-protocol-metrics", "core-metrics-extractor")


def _tokenization(migration: Migration) -> None:
    """0.9: prompts are tokenized by a Deployment of their own, and the precise scorer falls into three plugins."""
    if migration.config is None:
        return
    if migration.config.get("apiVersion") == "inference.networking.x-k8s.io/v1alpha1":
        migration.config["apiVersion"] = "llm-d.ai/v1alpha1"
    for scorer in migration.of_type("prefix-cache-scorer"):
        parameters = scorer.get("parameters")
        if isinstance(parameters, dict):
            scorer["parameters"] = {k: v for k, v in parameters.items() if k == "prefixMatchInfoProducerName"}
            _drop_if_empty(scorer)
    for scorer in migration.of_type(_PRECISE)[:1] if migration.tokenizer_url is not None else ():
        _decompose(migration, scorer)


def _token_source(migration: Migration) -> None:
    """0.9: a plugin that needs tokens is told where the service's tokenizer is."""
    if migration.tokenizer_url is None:
        return
    for producer in migration.of_type("token-producer"):
        parameters = producer.setdefault("parameters", {})
        parameters.setdefault("modelName", _MODEL_AT)
        engine = parameters.setdefault("vllm", {})
        if isinstance(engine, dict):
            engine.setdefault("url", migration.tokenizer_url)


def _decompose(migration: Migration, scorer: Config) -> None:
    assert migration.config is not None
    position = next(index for index, plugin in enumerate(migration.plugins) if plugin is scorer)
    gone = [*migration.of_type(_PRECISE), *migration.of_type("prefix-cache-scorer")]
    names = {str(plugin.get("name") or plugin["type"]) for plugin in gone}
    kept = [plugin for plugin in migration.plugins if not any(plugin is removed for removed in gone)]
    parameters = dict(scorer.get("parameters") or {})
    indexer = dict(parameters.pop("indexerConfig", None) or {})
    indexer.pop("tokenizersPoolConfig", None)
    processor = indexer.pop("tokenProcessorConfig", None)
    if processor:
        parameters.setdefault("tokenProcessorConfig", processor)
    if indexer:
        parameters["indexerConfig"] = indexer
    producer: Config = {"type": _PRODUCER} | ({"parameters": parameters} if parameters else {})
    prefix = {"type": "prefix-cache-scorer", "parameters": {"prefixMatchInfoProducerName": _PRODUCER}}
    tokens = [] if migration.of_type("token-producer") else [{"type": "token-producer"}]
    kept[min(position, len(kept)) : min(position, len(kept))] = [*tokens, producer, prefix]
    migration.config["plugins"] = kept
    for profile in migration.config.get("schedulingProfiles") or []:
        if not isinstance(profile, dict) or not isinstance(entries := profile.get("plugins"), list):
            continue
        chosen, seen = [], False
        for entry in entries:
            if isinstance(entry, dict) and entry.get("pluginRef") in names:
                if seen:
                    continue
                seen, entry["pluginRef"] = True, "prefix-cache-scorer"
            chosen.append(entry)
        profile["plugins"] = chosen


def _metrics_source(migration: Migration) -> None:
    """0.10: where the metrics of the engines are read moves from flags into a plugin."""
    found = _take(migration, (*_SOURCE_FLAGS, _DROPPED_FLAG))
    found.pop(_DROPPED_FLAG, None)
    parameters: Config = {}
    for flag, value in found.items():
        if flag.endswith("skip-verify"):
            said = (value or "true").lower()
            if said not in (*_TRUE, *_FALSE):
                migration.refused.append((flag, f"{said} is neither true nor false"))
            parameters[_SOURCE_FLAGS[flag]] = said in _TRUE
        elif value:
            parameters[_SOURCE_FLAGS[flag]] = value
    if not parameters or _refuse_without_config(migration, found):
        return
    if not migration.of_type("metrics-data-source"):
        migration.add({"type": "metrics-data-source", "parameters": parameters})


# Since when, and what it does to the text of a config; None for what only adds to it.
_CHANGES: tuple[tuple[Release, Callable[[Migration], None], str | None], ...] = (
    (FIRST_CHANGE, _disaggregation, "handlers of prefill and decode name a decider; hashBlockSize is gone"),
    (FIRST_CHANGE, _engine_metrics, None),
    ((0, 8, 0), _extractor, "the plugin for the engines' metrics has another name"),
    ((0, 9, 0), _tokenization, "another apiVersion; prefix scorers take what a producer of their own finds"),
    ((0, 9, 0), _token_source, None),
    ((0, 10, 0), _metrics_source, None),
)


def _types(before: Config | None, after: Config | None) -> str:
    """The plugins that are gone, and those that have come."""
    old, new = (
        {str(p.get("type")) for p in (config or {}).get("plugins") or [] if isinstance(p, dict)}
        for config in (before, after)
    )
    gone, come = ", ".join(sorted(old - new)), ", ".join(sorted(new - old))
    words = " and ".join(filter(None, (gone and f"without {gone}", come and f"with {come}")))
    return f" ({words})" if words else ""


def _rename(migration: Migration, old: str, new: str) -> None:
    for plugin in migration.of_type(old):
        plugin["type"] = new
    for plugin in migration.plugins:
        if isinstance(plugin, dict) and plugin.get("name") == old:
            plugin["name"] = new
    for entry in migration.references():
        if entry.get("pluginRef") == old:
            entry["pluginRef"] = new


def _take(migration: Migration, flags: Any) -> dict[str, str | None]:
    """The flags' values, taken out of every container's command and args."""
    found: dict[str, str | None] = {}
    for container in migration.containers:
        for key in ("command", "args"):
            if container.get(key):
                container[key], values = without_flags(container[key], flags)
                found |= values
    return found


def _refuse_without_config(migration: Migration, found: dict[str, str | None]) -> bool:
    if migration.config is None:
        migration.refused += [(flag, "the config stands in a file, to which nothing can be added") for flag in found]
    return migration.config is None


def _drop_if_empty(plugin: Config) -> None:
    if not plugin.get("parameters"):
        plugin.pop("parameters", None)
