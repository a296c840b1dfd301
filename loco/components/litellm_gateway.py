"""The component of one LiteLLMGateway."""

import pulumi

from loco import names


class LiteLLMGateway(pulumi.ComponentResource):
    """Owns the objects of one gateway, so that a preview reads like the stack.

    A ModelServingStack makes one for each gateway of its plan, named ``<namespace>/<name>``.
    """

    def __init__(self, namespace: str, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("loco:index:LiteLLMGateway", names.component_name(namespace, name), None, opts)
        self.register_outputs({})
