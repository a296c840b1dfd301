"""The component of a stack's Observability."""

import pulumi

from loco import names


class Observability(pulumi.ComponentResource):
    """Owns what watches a stack, so that a preview reads like the stack.

    A ModelServingStack makes it where the stack is watched, named ``<namespace>/<name>``.
    """

    def __init__(self, namespace: str, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("loco:index:Observability", names.component_name(namespace, name), None, opts)
        self.register_outputs({})
