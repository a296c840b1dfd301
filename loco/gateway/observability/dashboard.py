"""The Grafana dashboard: JSON in a ConfigMap, the same bytes for the same stack."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from loco import names
from loco.gateway.documents import Observability
from loco.gateway.observability.panels import Panel, panel_rows
from loco.gateway.observability.queries import of
from loco.model import Manifest, ManifestId
from loco.spec.observability import Dashboard

_SCHEMA = 39  # of Grafana 11's dashboards; later versions read it
_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_NAMESPACE = "$namespace"
_SIDECAR = {"grafana_dashboard": "1"}  # for which Grafana's sidecar looks by default


def dashboard(
    observability: Observability,
    component: str,
    settings: Dashboard,
    namespaces: Sequence[str],
    sorts: Sequence[str],
    workloads: Collection[ManifestId],
) -> Manifest:
    """The ConfigMap, labelled for the sidecar that hands dashboards to Grafana."""
    metadata: dict[str, Any] = {
        "name": names.monitor(observability.name, "dashboard"),
        "namespace": observability.namespace,
        "labels": {**names.observability_labels(observability.name), **_SIDECAR, **(settings.labels or {})},
    }
    if settings.annotations:
        metadata["annotations"] = dict(settings.annotations)
    text = json.dumps(_dashboard(observability, namespaces, _panels(sorts, workloads)), indent=2, sort_keys=True) + "\n"
    file = f"{observability.namespace}.{observability.name}.json"  # sidecars write all dashboards into one folder
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {file: text}}
    return Manifest(data, component, observability.origin_at("dashboard"))


def _dashboard(
    observability: Observability, namespaces: Sequence[str], panels: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    stack = observability.name.removeprefix("observability-")
    identity = f"{observability.namespace}/{observability.name}"
    return {
        "title": f"LLM serving: {stack} ({observability.namespace})",
        "uid": hashlib.sha256(identity.encode()).hexdigest()[:32],
        "tags": ["llm", "loco"],
        "editable": False,
        "refresh": "30s",
        "schemaVersion": _SCHEMA,
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": [_source_choice(), _namespace_choice(namespaces)]},
        "panels": list(panels),
    }


def _panels(sorts: Sequence[str], workloads: Collection[ManifestId]) -> Iterable[dict[str, Any]]:
    """Rows one under the other, the panels of each two by two."""
    number, top = 0, 0
    for row in panel_rows(of([_NAMESPACE]), sorts, workloads):
        number += 1
        place = {"x": 0, "y": top, "w": _WIDTH * _COLUMNS, "h": 1}
        yield {"id": number, "type": "row", "title": row.title, "collapsed": False, "panels": [], "gridPos": place}
        top += 1
        for index, panel in enumerate(row.panels):
            number += 1
            line, column = divmod(index, _COLUMNS)
            place = {"x": column * _WIDTH, "y": top + line * _HEIGHT, "w": _WIDTH, "h": _HEIGHT}
            yield {**_panel(panel), "id": number, "gridPos": place}
        top += -(-len(row.panels) // _COLUMNS) * _HEIGHT


def _panel(panel: Panel) -> dict[str, Any]:
    targets = [
        {"datasource": dict(_SOURCE), "expr": query, "legendFormat": legend, "refId": chr(ord("A") + index)}
        for index, (query, legend) in enumerate(panel.queries)
    ]
    return {
        "type": "timeseries",
        "title": panel.title,
        "datasource": dict(_SOURCE),
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": targets,
    }


def _source_choice() -> dict[str, Any]:
    return {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _namespace_choice(namespaces: Sequence[str]) -> dict[str, Any]:
    """The stack's namespaces and no others; all of them at first."""
    every = "|".join(namespaces)
    options = [{"text": "All", "value": "$__all", "selected": True}]
    options += [{"text": each, "value": each, "selected": False} for each in namespaces]
    return {
        "name": "namespace",
        "label": "Namespace",
        "type": "custom",
        "query": ",".join(namespaces),
        "multi": True,
        "includeAll": True,
        "allValue": every,
        "current": {"text": ["All"], "value": ["$__all"]},
        "options": options,
    }
