"""The only room that imports Pulumi: component resources that transcribe a plan, and decide nothing."""

from loco.components.awaited_outputs import stack_outputs
from loco.components.config import stack_from_config
from loco.components.llm_inference_service import LLMInferenceService
from loco.components.model_serving_stack import ModelServingStack
from loco.components.provider import make_provider

__all__ = ["LLMInferenceService", "ModelServingStack", "make_provider", "stack_from_config", "stack_outputs"]
