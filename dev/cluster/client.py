"""The few API calls that a new cluster needs, with the standard library alone."""

import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from dev.messages import Problem

APPLY = "application/apply-patch+yaml"


class Refused(Problem):
    """The API server answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Client:
    def __init__(self, url: str, token: str, authority: Path) -> None:
        context = ssl.create_default_context(cafile=str(authority))
        # The API server signs its own certificate without the extensions that Python 3.13 wants.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        self._url = url
        self._token = token
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),  # loopback is never behind the user's proxy
            urllib.request.HTTPSHandler(context=context),
        )

    def call(
        self, method: str, path: str, body: bytes | None = None, content: str = "application/json", patience: float = 10
    ) -> str:
        """Send one request and return the answer's text."""
        request = urllib.request.Request(self._url + path, data=body, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        if body is not None:
            request.add_header("Content-Type", content)
        try:
            with self._opener.open(request, timeout=patience) as answer:
                text: str = answer.read().decode()
                return text
        except urllib.error.HTTPError as error:
            detail = error.read().decode(errors="replace")
            raise Refused(error.code, f"{method} {path}: {error.code}: {_reason(detail)}") from error

    def get(self, path: str) -> Any:
        return json.loads(self.call("GET", path))

    def create(self, path: str, document: dict[str, Any]) -> None:
        """Create an object; one that exists already is left as it is."""
        try:
            self.call("POST", path, json.dumps(document).encode())
        except Refused as refused:
            if refused.status != 409:
                raise

    def delete(self, path: str) -> bool:
        """Delete an object and return whether there was one."""
        try:
            self.call("DELETE", f"{path}?propagationPolicy=Background")
        except Refused as refused:
            if refused.status != 404:
                raise
            return False
        return True

    def apply(self, path: str, document: bytes) -> None:
        """Server-side apply of a YAML or JSON document, so that repeating it changes nothing."""
        query = urllib.parse.urlencode({"fieldManager": "loco-dev", "force": "true"})
        self.call("PATCH", f"{path}?{query}", document, APPLY)

    def is_ready(self) -> bool:
        try:
            return self.call("GET", "/readyz", patience=2) == "ok"
        except (Refused, OSError):
            return False


def _reason(detail: str) -> str:
    try:
        return str(json.loads(detail)["message"])
    except (ValueError, KeyError, TypeError):
        return detail.strip()
