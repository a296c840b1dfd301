"""The workflow of pull requests, and the job for GitLab that the page has."""

import re
from typing import Any

import yaml

from tests.conftest import REPOSITORY

FILE = REPOSITORY / ".github/workflows/preview.yml"
PAGE = REPOSITORY / "docs/pull-requests.md"
WORKFLOW: dict[str, Any] = yaml.safe_load(FILE.read_text())


def of_gitlab() -> str:
    [found] = re.findall(r"```yml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)
