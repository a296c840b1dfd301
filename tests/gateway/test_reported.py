"""What users of LiteLLM on Kubernetes have reported, each with the outcome that it must have here.

Reports are named by repository and number. Those that only a running LiteLLM or a cluster can show are in
tests/e2e/test_litellm.py and tests/e2e/test_gateway_config.py too.
"""

from typing import Any

import pytest

from tests.gateway.configs import EXISTING, config_of, entries, env_of, header, key, secrets, text_of
from tests.plan.stacks import external, found, gateway, one, plan_of, service


def template(*documents: dict[str, Any], **config: Any) -> dict[str, Any]:
    plan = plan_of(*documents, **config)
    assert not plan.errors
    made: dict[str, Any] = one(plan, "Deployment", "main-litellm").data["spec"]["template"]
    return made


def container(spec: dict[str, Any] | None = None) -> dict[str, Any]:
    (made,) = template(external(), gateway(spec))["spec"]["containers"]
    return dict(made)


def warnings_of(*documents: dict[str, Any], **config: Any) -> list[str]:
    return [f"{finding.severity} {finding.code} {finding.path}" for finding in plan_of(*documents, **config).findings]


def test_litellm_4910_and_20409_a_config_that_changes_starts_new_pods() -> None:
    """Nothing watches the file and no call reloads it, so a new process is the only way."""
    before, after = template(external(), gateway()), template(external({"model": "other"}), gateway())
    assert before["metadata"]["annotations"] != after["metadata"]["annotations"]
    assert template(external(), gateway()) == before


def test_open_bank_oss_2209_a_missing_credential_is_told_and_does_not_block() -> None:
    plan = plan_of(external({"auth": key("openai")}), gateway(), credentials=EXISTING)
    reference = env_of(plan)["EXTERNALMODEL__GPT"]["valueFrom"]["secretKeyRef"]
    assert reference["optional"] is True
    (use,) = (use for use in plan.credential_uses if use.secret == "openai")
    assert not use.required, "so what reads it warns, and goes on"


def test_k8sgpt_operator_137_and_its_like_digests_sit_on_the_pods_that_read_the_secret() -> None:
    documents = [
        external({"auth": key("openai")}, labels={"of": "a"}),
        external({}, "plain", labels={"of": "b"}),
        gateway({"models": {"matchLabels": {"of": "a"}}}),
        gateway({"models": {"matchLabels": {"of": "b"}}}, "other"),
    ]
    plan = plan_of(*documents, credentials=EXISTING)
    assert {use.reader.name for use in plan.credential_uses if use.secret == "openai"} == {"main-litellm"}
    assert all(use.rolls for use in plan.credential_uses)


def test_litellm_9147_and_8954_a_managed_master_key_makes_no_secret() -> None:
    declared = {"mine": {"k": {"existing": True}}}
    plan = plan_of(
        external(), gateway({"masterKey": {"secretRef": {"name": "mine", "key": "k"}}}), credentials=declared
    )
    assert secrets(plan) == []
    assert env_of(plan)["LITELLM_MASTER_KEY"]["valueFrom"]["secretKeyRef"] == {"name": "mine", "key": "k"}


def test_litellm_13369_10624_and_19408_only_a_folder_for_passing_files_is_writable() -> None:
    pod = template(external(), gateway())["spec"]
    writable = [volume["name"] for volume in pod["volumes"] if "emptyDir" in volume]
    (made,) = pod["containers"]
    assert {mount["mountPath"] for mount in made["volumeMounts"] if not mount.get("readOnly")} == {"/tmp"}
    assert writable == ["tmp"]
    assert made["securityContext"]["readOnlyRootFilesystem"] is True
    assert made["image"].startswith("ghcr.io/berriai/litellm-non_root:")
    env = {variable["name"]: variable.get("value") for variable in made["env"]}
    assert env["HOME"] == "/tmp"
    assert "DATABASE_URL" not in env


def test_litellm_13369_and_10624_a_migration_writes_there_too_and_generates_nothing() -> None:
    declared = {"db": {"url": {"existing": True}}}
    spec = {"database": {"secretRef": {"name": "db", "key": "url"}}}
    job = one(plan_of(external(), gateway(spec), credentials=declared), "Job").data["spec"]["template"]["spec"]
    (made,) = job["containers"]
    assert {mount["mountPath"] for mount in made["volumeMounts"]} == {"/tmp"}
    assert made["securityContext"]["readOnlyRootFilesystem"] is True
    env = {variable["name"]: variable.get("value") for variable in made["env"]}
    assert env["HOME"] == "/tmp"
    assert env["LITELLM_MIGRATION_DIR"].startswith("/tmp/")
    assert made["args"] == ["--skip_server_startup"], "the module for migrations would generate Prisma's client"


def test_litellm_11264_no_debug_log_and_no_key_in_the_config() -> None:
    plan = plan_of(external({"auth": key("openai")}), gateway(), credentials=EXISTING)
    env = env_of(plan)
    assert env["LITELLM_LOG"]["value"] == "INFO"
    assert not env.keys() & {"DEBUG", "DETAILED_DEBUG"}
    assert not {"--debug", "--detailed_debug"} & set(container()["args"])
    keys = [config_of(plan)["general_settings"]["master_key"], entries(plan)[0]["litellm_params"]["api_key"]]
    assert all(value.startswith("os.environ/") for value in keys)


@pytest.mark.parametrize("probe", ["startupProbe", "readinessProbe", "livenessProbe"])
def test_litellm_9998_and_35497_probes_wait_longer_than_a_second(probe: str) -> None:
    assert container()[probe]["timeoutSeconds"] >= 5


def test_litellm_37271_no_probe_asks_for_a_model_by_name() -> None:
    paths = {container()[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert paths == {"/health/readiness", "/health/liveliness"}
    assert entries(plan_of(external({"names": ["mistralai/x"]}), gateway()))[0]["model_name"] == "mistralai/x"


def test_litellm_18457_and_36179_one_worker_for_each_pod() -> None:
    arguments = container()["args"]
    assert arguments[arguments.index("--num_workers") + 1] == "1"


@pytest.mark.parametrize(
    ("provider", "mode", "told"),
    [
        ("hosted_vllm", "rerank", True),
        ("cohere", "rerank", True),
        ("openai", "audio_speech", True),
        ("openai", "embedding", False),
        ("openai", "chat", False),
    ],
)
def test_litellm_28882_headers_that_are_not_sent(provider: str, mode: str, told: bool) -> None:
    spec = {"provider": provider, "mode": mode, "auth": {"headers": [header("X-Team", value="a")]}}
    assert warnings_of(external(spec), gateway()) == (["warning LOCO-VALUE spec.auth.headers[0]"] if told else [])


def test_litellm_33329_weights_on_some_only() -> None:
    documents = [external({"names": ["x"]}, "a"), external({"names": ["x"], "weight": 1}, "b"), gateway()]
    assert warnings_of(*documents) == ["error LOCO-VALUE spec.weight"]


def test_litellm_14334_a_roll_lets_streams_end() -> None:
    pod = template(external(), gateway())["spec"]
    (made,) = pod["containers"]
    pause = int(made["lifecycle"]["preStop"]["exec"]["command"][1])
    drain = int(next(v["value"] for v in made["env"] if v["name"] == "GRACEFUL_SHUTDOWN_TIMEOUT"))
    assert pause >= 5
    assert drain >= 60
    assert pod["terminationGracePeriodSeconds"] > pause + drain


def test_litellm_27502_metrics_stay_behind_the_key() -> None:
    config = config_of(
        plan_of(external(), gateway({"extraConfig": {"litellm_settings": {"callbacks": ["prometheus"]}}}))
    )
    assert "require_auth_for_metrics_endpoint" not in config["litellm_settings"]


def test_litellm_6882_the_file_is_named_and_mounted_where_it_is_named() -> None:
    made = container()
    path = made["args"][made["args"].index("--config") + 1]
    folder, _, file = path.rpartition("/")
    assert folder in {mount["mountPath"] for mount in made["volumeMounts"]}
    assert file in one(plan_of(external(), gateway()), "ConfigMap").data["data"]
    assert file.endswith(".yaml"), "of any other, CONFIG_FILE_PATH would make an empty gateway"


def test_litellm_3548_no_price_list_is_fetched() -> None:
    assert {"name": "LITELLM_LOCAL_MODEL_COST_MAP", "value": "True"} in container()["env"]


@pytest.mark.parametrize(("provider", "known"), [("opnai", False), ("google", False), ("gemini", True)])
def test_litellm_14595_providers_that_it_does_not_know(provider: str, known: bool) -> None:
    assert warnings_of(external({"provider": provider}), gateway()) == (
        [] if known else ["error LOCO-VALUE spec.provider"]
    )


def test_litellm_8334_no_variables_of_services_and_a_port_of_its_own() -> None:
    assert template(external(), gateway())["spec"]["enableServiceLinks"] is False
    arguments = container()["args"]
    assert arguments[arguments.index("--port") + 1] == "4000"


def test_bearer_before_a_reference_can_not_be_written() -> None:
    plan = plan_of(external({"auth": {"headers": [header("X-Key", value="Bearer os.environ/X")]}}), gateway())
    assert [error.path for error in plan.errors] == ["spec.auth.headers[X-Key].value"]


def test_authorization_with_hosted_vllm_is_told() -> None:
    spec = {"provider": "hosted_vllm", "auth": {"headers": [header("Authorization", "openai")]}}
    assert warnings_of(external(spec), gateway(), credentials=EXISTING) == ["warning LOCO-VALUE spec.auth.headers[0]"]


def test_the_address_is_never_a_reference() -> None:
    """An unset one would send the key to the public OpenAI."""
    plan = plan_of(external({"url": "os.environ/URL"}), gateway())
    assert [error.path for error in plan.errors] == ["spec.url"]


def test_compatible_servers_get_chat_completions() -> None:
    (entry,) = entries(plan_of(external({"url": "http://vllm.example.com/v1"}), gateway()))
    assert entry["litellm_params"]["use_chat_completions_api"] is True


def test_every_reference_of_the_config_is_a_variable_and_the_other_way_round() -> None:
    auth = {**key("openai"), "headers": [header("X-Key", "openai")]}
    env = [{"name": "REGION", "value": "a"}]
    documents = [
        external({"auth": auth}),
        external({"auth": auth}, namespace="far"),
        external({"params": {"user": "os.environ/REGION"}}, "c"),
        service(),
        gateway({"env": env}),
    ]
    plan = plan_of(*documents, credentials=EXISTING)
    assert not plan.errors
    referred = {word.strip("'\"") for word in text_of(plan).split() if "os.environ/" in word}
    given = {name for name, variable in env_of(plan).items() if "valueFrom" in variable} | {"REGION"}
    assert {word.removeprefix("os.environ/") for word in referred} == given


def test_no_models_at_all_is_a_gateway_that_starts() -> None:
    plan = plan_of(gateway())
    assert [finding.code for finding in plan.findings] == ["LOCO-NO-EFFECT"]
    assert config_of(plan)["model_list"] == []


def test_no_model_of_the_stacks_own() -> None:
    plan = plan_of(external(), gateway())
    assert not plan.findings
    assert [entry["model_name"] for entry in entries(plan)] == ["gpt"]


def test_gateway_in_another_namespace_than_its_models() -> None:
    documents = [service(), external({"auth": key("openai")}), gateway(namespace="front")]
    plan = plan_of(*documents, credentials={"openai": {"token": {"config": "x"}}})
    assert not plan.findings
    assert {secret.namespace for secret in secrets(plan)} == {"front"}
    assert "EXTERNALMODEL__LLM__GPT" in env_of(plan)
    managed = next(entry for entry in entries(plan) if entry["model_name"] == "tiny")
    assert ".llm.svc" in managed["litellm_params"]["api_base"]


def test_a_secret_looking_header_in_plain_text_is_told() -> None:
    plan = plan_of(external({"auth": {"headers": [header("X-Api-Key", value="x")]}}), gateway())
    assert [finding.path for finding in found(plan, "LOCO-SECRET", "warning")] == ["spec.auth.headers[0]"]
