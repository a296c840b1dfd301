"""loco as a component package, for Pulumi programs in other languages (docs/other-languages.md)."""

from loco.components.package import serve

serve()
