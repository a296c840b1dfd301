"""One stack with every kind of model that a gateway serves, all of them answered by the stand-in upstream."""

from typing import Any

from loco.plan import Plan
from tests.gateway.configs import header, key
from tests.plan.stacks import external, gateway, plan_of, service

MASTER_KEY = "sk-master-of-the-litellm-test"
SECRETS = {
    ("main-litellm-master-key", "master-key"): MASTER_KEY,
    ("api", "token"): "sk-api-key-of-the-test",
    ("bearer", "token"): "bearer-token-of-the-test",
    ("header", "token"): "header-secret-of-the-test",
    ("whole", "token"): "Basic whole-header-of-the-test",
    ("cloud", "token"): "cloud-secret-of-the-test",
}
CREDENTIALS = {name: {"token": {"existing": True}} for name in ("api", "bearer", "header", "whole", "cloud", "absent")}
ROUTED = {"router": {"route": {}, "scheduler": {}}}
ADAPTERS = {"adapters": [{"name": "legal", "uri": "hf://org/legal"}]}


def wide_stack(url: str) -> Plan:
    """The plan of all of them, with the upstream's URL."""

    def at(name: str, place: str | None = None, **spec: Any) -> dict[str, Any]:
        return external({"url": f"{url}/{place or name}/v1", "model": f"{name}-id", **spec}, name)

    def managed(name: str, **model: Any) -> dict[str, Any]:
        return service({**ROUTED, "model": {"uri": "hf://org/m", "name": f"{name}-model", **model}}, name)

    bearer = {"bearerToken": {"name": "bearer", "key": "token"}}
    documents = [
        managed("chat", lora=ADAPTERS),
        managed("embed"),
        managed("rank"),
        managed("speak"),
        at("api-key", auth=key("api")),
        at("bearer", auth=bearer),
        at("headers", auth={"headers": [header("X-Api-Token", "header"), header("X-Team", value="blue")]}),
        at("key-and-header", auth={**key("api"), "headers": [header("X-Api-Token", "header")]}),
        at("whole-header", auth={"headers": [header("Authorization", "whole")]}),
        at("no-auth"),
        at("absent-key", auth=key("absent")),
        external(
            {
                "provider": "azure",
                "url": f"{url}/azure",
                "model": "deployment",
                "auth": key("api"),
                "params": {"api_version": "2024-10-21"},
            },
            "azure",
        ),
        external({"provider": "anthropic", "url": f"{url}/anthropic", "model": "claude", "auth": key("api")}, "claude"),
        at("vllm", provider="hosted_vllm", auth=key("api")),
        at("complete", mode="completion"),
        at("embedding", mode="embedding", auth={**key("api"), "headers": [header("X-Api-Token", "header")]}),
        at("reranker", provider="hosted_vllm", mode="rerank", auth=key("api")),
        at("speech", mode="audio_speech", auth=key("api")),
        at("listen", mode="audio_transcription", auth=key("api")),
        at("paint", mode="image_generation", auth=key("api")),
        at("respond", mode="responses", auth=key("api")),
        at("even-a", names=["even"]),
        at("even-b", names=["even"]),
        at("weighted-a", names=["weighted"], weight=3),
        at("weighted-b", names=["weighted"], weight=1),
        at("rated-a", names=["rated"], limits={"requestsPerMinute": 1000}),
        at("rated-b", names=["rated"]),
        at("first", names=["ordered"], order=1),
        at("second", names=["ordered"], order=2),
        at("down", "fail/500"),
        at("stubborn", "fail/500/stubborn", retries=0),
        at("ping", "fail/500/ping", retries=0),
        at("pong", "fail/500/pong", retries=0),
        at("limited", limits={"requestsPerMinute": 2}),
        at("late", "slow/3", timeoutSeconds=1, retries=0),
        at("slow", "slow/2"),
        at(
            "tuned",
            params={"temperature": 0.25, "organization": "os.environ/ORGANIZATION"},
            info={"max_input_tokens": 4096},
        ),
        at("cloud", provider="bedrock", params={"aws_secret_access_key": "os.environ/CLOUD"}),
        at("odd", names=["123", "yes", "null", "a/b:c", "mit Leerzeichen ü"]),
        external({"url": f"{url}/any/v1", "model": "*", "names": ["any/*"], "wildcard": True}, "any"),
        gateway(
            {
                "services": {
                    "embed": {"mode": "embedding"},
                    "rank": {"mode": "rerank"},
                    "speak": {"mode": "audio_speech"},
                },
                "fallbacks": [{"down": ["api-key"]}, {"ping": ["pong"]}, {"pong": ["ping"]}],
                "aliases": {"gpt-4": "api-key"},
                "env": [
                    {"name": "ORGANIZATION", "value": "org-of-the-test"},
                    {"name": "CLOUD", "valueFrom": {"secretKeyRef": {"name": "cloud", "key": "token"}}},
                ],
                "extraConfig": {
                    "litellm_settings": {"callbacks": ["prometheus"], "request_timeout": 30},
                    "router_settings": {"cooldown_time": 1},
                },
            }
        ),
    ]
    platform = {"gateway": {"name": "shared", "internalURL": f"{url}/inside"}}
    return plan_of(*documents, credentials=CREDENTIALS, platform=platform)
