"""Makes docs/differences.md from the list that the tests hold the reference's recorded objects against.

Run it as `python -m dev.differences_page` after the list has changed.
"""

from pathlib import Path

import yaml

_REPOSITORY = Path(__file__).resolve().parent.parent
_LIST = _REPOSITORY / "tests/goldens/differences.yaml"
_PAGE = _REPOSITORY / "docs/differences.md"

_HEAD = """# Differences from KServe

loco under the profile `kserve` makes the objects that the KServe controller makes, as a real API server reads them back. Where it is deliberately different, it is listed here.

| id | object | path | why |
|---|---|---|---|
"""


def page() -> str:
    """The page's text."""
    rows = []
    for entry in yaml.safe_load(_LIST.read_text()):
        path = entry["path"].replace("[[]", "[").replace("[]]", "]")
        rows.append(f"| {entry['id']} | `{entry['object']}` | `{path}` | {entry['reason']} |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    _PAGE.write_text(page())
