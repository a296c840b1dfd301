"""Reads of a real cluster, through the official Python client. Nothing here can write.

Imported only where a cluster is to be asked: the client takes half a second to load, and need not be installed.
"""

import json
from urllib.parse import quote, urlencode

import urllib3
from kubernetes.client import ApiClient, ApiException

from loco import names
from loco.cli.cluster.need import Thing
from loco.cli.cluster.reader import Absent, Found, Unreachable, Unreadable
from loco.cli.cluster.shapes import Data, mapping, text

_SECONDS = (5.0, 30.0)  # to connect, to answer
_PAGE = 500
_NO_VALUES = ("Secret", "ConfigMap")

_Answer = Found[Data] | Absent | Unreadable


class ClusterReader:
    """A Reader. Asks for each thing once; of Secrets and ConfigMaps it keeps the names of the keys alone."""

    def __init__(self, client: ApiClient, headers: list[tuple[str, str]]) -> None:
        self._client = client
        self._headers = headers
        self._answers: dict[str, _Answer] = {}

    def versions(self, group: str) -> Found[list[str]] | Absent | Unreadable:
        """The versions of a group that are served, the preferred one first."""
        if not group:
            return Found(["v1"])
        answer = self._read(f"/apis/{quote(group, safe='')}")
        if not isinstance(answer, Found):
            return answer
        preferred = mapping(answer.data.get("preferredVersion")).get("version")
        found = [str(entry.get("version")) for entry in answer.data.get("versions") or []]
        return Found(sorted(found, key=lambda version: version != preferred))

    def kinds(self, group: str, version: str) -> Found[frozenset[str]] | Absent | Unreadable:
        """The kinds that are served at a version."""
        answer = self._resources(group, version)
        return Found(frozenset(answer.data)) if isinstance(answer, Found) else answer

    def get(self, thing: Thing) -> _Answer:
        """One object, read at the preferred version of those that have its kind."""
        place = self._collection(thing.group, thing.kind, thing.namespace)
        if not isinstance(place, Found):
            return place
        if thing.name in (".", ".."):  # which the path of a URL would swallow
            return Absent()
        return self._read(f"{place.data}/{quote(thing.name, safe='')}", keys_only=thing.kind in _NO_VALUES)

    def all(self, group: str, kind: str) -> Found[list[Data]] | Absent | Unreadable:
        """All objects of a kind, page by page."""
        place = self._collection(group, kind, "")
        if not isinstance(place, Found):
            return place
        found: list[Data] = []
        more: str | None = ""
        while more is not None:
            query = {"limit": _PAGE, **({"continue": more} if more else {})}
            page = self._read(f"{place.data}?{urlencode(query)}")
            if not isinstance(page, Found):
                return page
            found += page.data.get("items") or []
            more = text(mapping(page.data.get("metadata")).get("continue"))
        return Found(found)

    def _collection(self, group: str, kind: str, namespace: str) -> Found[str] | Absent | Unreadable:
        """The URL path of a kind's objects."""
        versions = self.versions(group)
        if isinstance(versions, Absent):
            return Absent(served=False)
        if isinstance(versions, Unreadable):
            return versions
        for version in versions.data:
            resources = self._resources(group, version)
            if isinstance(resources, Unreadable):
                return resources
            if isinstance(resources, Found) and kind in resources.data:
                plural, namespaced = resources.data[kind]
                inside = f"/namespaces/{quote(namespace, safe='')}" if namespaced and namespace else ""
                return Found(f"{_root(group, version)}{inside}/{plural}")
        return Absent(served=False)

    def _resources(self, group: str, version: str) -> Found[dict[str, tuple[str, bool]]] | Absent | Unreadable:
        """By kind, its plural and whether its objects stand in namespaces."""
        answer = self._read(_root(group, version))
        if not isinstance(answer, Found):
            return answer
        return Found(
            {
                str(item.get("kind")): (str(item.get("name")), bool(item.get("namespaced")))
                for item in answer.data.get("resources") or []
                if "/" not in str(item.get("name"))  # such as pods/log
            }
        )

    def _read(self, path: str, *, keys_only: bool = False) -> _Answer:
        if path not in self._answers:
            self._answers[path] = self._ask(path, keys_only)
        return self._answers[path]

    def _ask(self, path: str, keys_only: bool) -> _Answer:
        method, url, given, _, _ = self._client.param_serialize(
            "GET", path, header_params={"Accept": "application/json"}, auth_settings=["BearerToken"]
        )
        headers = urllib3.HTTPHeaderDict(given)
        for name, value in self._headers:
            headers.add(name, value)
        try:
            answer = self._client.call_api(method, url, headers, _request_timeout=_SECONDS)
            body: bytes = answer.read()  # type: ignore[no-untyped-call]
        except (urllib3.exceptions.HTTPError, ApiException, OSError) as error:
            told = str(error.reason if isinstance(error, ApiException) else error).rpartition("): ")[2]
            cure = "a context whose cluster answers, or start the cluster"
            raise Unreachable(f"{self._client.configuration.host} doesn't answer: {told}", cure) from None
        try:
            data = json.loads(body)
        except ValueError:
            data = None
        if answer.status == 401:
            why = f"{self._client.configuration.host} doesn't accept the credentials of the kubeconfig"
            raise Unreachable(why, "a fresh login, or a context whose user the cluster knows")
        if answer.status == 404:
            return Absent()
        if answer.status != 200 or not isinstance(data, dict):
            reason = text(mapping(data).get("message")) or f"the API server answered {answer.status}"
            return Unreadable(reason if answer.status != 200 else "the answer isn't JSON")
        return Found(_without_values(data) if keys_only else data)


def _without_values(data: Data) -> Data:
    """Key names, and who has made it. All other annotations go: kubectl keeps a copy of what was applied there."""
    keys = {**mapping(data.get("data")), **mapping(data.get("binaryData"))}
    given = mapping(data.get("metadata"))
    metadata = {"deletionTimestamp": gone} if (gone := given.get("deletionTimestamp")) else {}
    if (maker := text(mapping(given.get("annotations")).get(names.MADE_BY))) is not None:
        metadata["annotations"] = {names.MADE_BY: maker}
    return {"metadata": metadata, "data": dict.fromkeys(keys)}


def _root(group: str, version: str) -> str:
    version = quote(version, safe="")
    return f"/apis/{quote(group, safe='')}/{version}" if group else f"/api/{version}"
