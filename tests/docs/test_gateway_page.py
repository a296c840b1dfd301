"""The gateway's page: its example is a stack, and every field that it names is one."""

import re

import yaml

from loco.spec.external_model import ExternalModelSpec
from loco.spec.litellm_gateway import LiteLLMGatewaySpec
from tests.conftest import REPOSITORY
from tests.plan.stacks import plan_of, service

PAGE = (REPOSITORY / "docs/gateway.md").read_text()


def test_the_example_is_planned() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    documents = list(yaml.safe_load_all(block))
    services = [service(name=name, labels={"tier": "gold"}) for name in ("chat", "embed")]
    credentials = {"redis": {"password": {"existing": True}}, "openai": {"token": {"existing": True}}}
    credentials["proxy"] = {"token": {"existing": True}}
    plan = plan_of(*documents, *services, credentials=credentials)
    assert not plan.errors, "\n".join(map(str, plan.errors))


def test_every_field_is_documented() -> None:
    for model in (ExternalModelSpec, LiteLLMGatewaySpec):
        fields = {info.alias or name for name, info in model.model_fields.items()}
        assert {field for field in fields if field not in PAGE} == set()
