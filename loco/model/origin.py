"""Where a value was written: the layer, and within it the file and line."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The place that a value came from.

    Attributes:
        layer: the layer of the merge, low to high one of ``profile:NAME``, ``preset:NAME`` (``config:NAME`` where a
            document replaces it), ``defaults``, ``baseRef:NAME``, ``service``, ``overrides``; or ``config`` (the stack
            config), ``presets`` (a folder of them that is being read) or ``loco`` (derived).
        file: the path as the user named it, relative to the project where possible; ``documents[N]`` for a
            program's Nth; None where nothing is written.
        line: 1-based line of the value in that file; None where it isn't known.
    """

    layer: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        if self.file is None:
            return self.layer
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place} ({self.layer})"

    def as_dict(self) -> dict[str, object]:
        """The form that the command line prints as JSON."""
        return {"layer": self.layer, "file": self.file, "line": self.line}


DERIVED = Origin("loco")
