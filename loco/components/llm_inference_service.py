"""The component of one LLMInferenceService."""

import pulumi

from loco import names


class LLMInferenceService(pulumi.ComponentResource):
    """Owns the objects of one service, so that a preview reads like the stack.

    A ModelServingStack makes one for each service of its plan, named ``<namespace>/<name>``. By itself it makes nothing;
    programs need the class to find such components among resources, as a transform does.
    """

    def __init__(self, namespace: str, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        """Registers the component.

        Args:
            namespace: of the document.
            name: of the document.
            opts: options of the component, its parent among them.
        """
        super().__init__("loco:index:LLMInferenceService", names.component_name(namespace, name), None, opts)
        self.register_outputs({})
