"""The start scripts of every engine under a real bash: leaders, workers, prefill and decode; the single-node one, on
which they are built, has tests/presets/test_start_script.py."""

from pathlib import Path
from typing import Any

import pytest

from tests.plan.stacks import base, service
from tests.presets.layered import DATA, PIPELINE, container, documents_resolved, resolved
from tests.presets.stand_in import Run, StandIn

OLD_LOG = ["--disable-uvicorn-access-log"]
NEW_LOG = ["--disable-access-log-for-endpoints", "/health,/metrics,/ping"]
SHUTDOWN = ["--shutdown-timeout", "40"]
LATEST = NEW_LOG + SHUTDOWN
BOTH = {"prefill": {}}
SERVED = ["--served-model-name", "tiny", "publishers/llm/models/tiny"]
TLS = [
    "--enable-ssl-refresh",
    "--ssl-certfile",
    "/var/run/kserve/tls/tls.crt",
    "--ssl-keyfile",
    "/var/run/kserve/tls/tls.key",
]


def head(port: int = 8000) -> list[str]:
    return ["vllm", "serve", "/mnt/models", *SERVED, "--port", str(port)]


def ranks(start: int, *, data: int = 4, local: int = 2, port: int = 5555) -> list[str]:
    sizes = ["--data-parallel-size", str(data), "--data-parallel-size-local", str(local)]
    where = ["--data-parallel-address", "10.0.0.9", "--data-parallel-rpc-port", str(port)]
    return [*sizes, *where, "--data-parallel-start-rank", str(start)]


def stage(rank: int, stages: int = 2) -> list[str]:
    sizes = ["--pipeline-parallel-size", str(stages), "--distributed-executor-backend", "mp"]
    return [*sizes, "--nnodes", str(stages), "--node-rank", str(rank), "--master-addr", "10.0.0.9"]


SERVERS = ["--api-server-count", "8"]
# Of each kind of engine: its service, where it stands, and all that it gets before the flags that depend on a version.
ENGINES: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "single": ({}, "main", head()),
    "decode": (BOTH, "main", head(8001)),
    "prefill": (BOTH, "prefill", head()),
    "data leader": (DATA, "main", [*head(), *SERVERS, *ranks(0)]),
    "data worker": (DATA, "worker", [*head(), *ranks(2), "--headless"]),
    "data decode leader": ({**BOTH, **DATA}, "main", [*head(8001), *SERVERS, *ranks(0)]),
    "data decode worker": ({**BOTH, **DATA}, "worker", [*head(8001), *ranks(2), "--headless"]),
    "data prefill leader": ({"prefill": DATA}, "prefill", [*head(), *SERVERS, *ranks(0)]),
    "data prefill worker": ({"prefill": DATA}, "prefill worker", [*head(), *ranks(2), "--headless"]),
    "pipeline leader": (PIPELINE, "main", [*head(), *stage(0)]),
    "pipeline worker": (PIPELINE, "worker", [*head(), *stage(1), "--headless"]),
    "pipeline decode leader": ({**BOTH, **PIPELINE}, "main", [*head(8001), *stage(0)]),
    "pipeline decode worker": ({**BOTH, **PIPELINE}, "worker", [*head(8001), *stage(1), "--headless"]),
    "pipeline prefill leader": ({"prefill": PIPELINE}, "prefill", [*head(), *stage(0)]),
    "pipeline prefill worker": ({"prefill": PIPELINE}, "prefill worker", [*head(), *stage(1), "--headless"]),
}
GROUPS = [kind for kind in ENGINES if kind.startswith(("data", "pipeline"))]


def changed(spec: dict[str, Any], word: str, main: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """The spec with the engine's container at ``word`` changed by ``main``, and its side by ``fields``."""
    side = dict(spec.get("prefill", {}) if word.startswith("prefill") else spec)
    pod = "worker" if word.endswith("worker") else "template"
    side |= fields
    if main is not None:
        side[pod] = {"containers": [{"name": "main", **main}]}
    return {**spec, "prefill": side} if word.startswith("prefill") else side


def run(stand_in: StandIn, spec: dict[str, Any], word: str, tls: bool = False, **options: Any) -> Run:
    service = resolved(spec, platform={"tls": tls})
    return stand_in.run_container(container(service, word), **options)


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize(
    ("version", "flags"),
    [
        ("0.15.1\n", OLD_LOG),
        ("0.16.0\n", NEW_LOG),
        ("0.17.1\n", NEW_LOG),
        ("0.18.0\n", LATEST),
        ("0.21.0\n", LATEST),
        ("0.22.0\n", LATEST),
    ],
)
def test_flags_of_every_engine_follow_the_version(stand_in: StandIn, kind: str, version: str, flags: list[str]) -> None:
    spec, word, before = ENGINES[kind]
    result = run(stand_in, spec, word, version=version)
    assert result.argv == [*before, *flags]
    assert result.errors == ""


@pytest.mark.parametrize("kind", ENGINES)
def test_tls_and_what_users_write_come_last(stand_in: StandIn, tmp_path: Path, kind: str) -> None:
    spec, word, before = ENGINES[kind]
    args = ["--port", "9", "$$(touch x)", "two words", "'{\"a\": 1}'"]
    env = [{"name": "VLLM_ADDITIONAL_ARGS", "value": """--kv-events '{"b": "c d"}' $$(touch y)"""}]
    result = run(stand_in, changed(spec, word, {"args": args, "env": env}), word, tls=True, cwd=tmp_path)
    users = ["--kv-events", '{"b": "c d"}', "$(touch", "y)", "--port", "9", "$(touch x)", "two words", '{"a": 1}']
    assert result.argv == [*before, *LATEST, *TLS, *users]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("name", ["""it's a "b" $(HOME) `touch x` \\""", "{{ x }} $$ ünï → 模型;touch x"])
def test_model_names_reach_every_engine(stand_in: StandIn, tmp_path: Path, kind: str, name: str) -> None:
    spec, word, before = ENGINES[kind]
    service = resolved({**spec, "model": {"uri": "hf://org/tiny", "name": name}})
    result = stand_in.run_container(container(service, word), cwd=tmp_path)
    assert result.argv is not None
    expected = [argument.replace("tiny", name) for argument in before]
    assert result.argv[: len(expected)] == expected
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ENGINES)
def test_shutdown_fits_the_grace_period_of_the_pod_itself(stand_in: StandIn, kind: str) -> None:
    spec, word, _ = ENGINES[kind]
    pod = "worker" if word.endswith("worker") else "template"
    result = run(stand_in, changed(spec, word, **{pod: {"terminationGracePeriodSeconds": 120}}), word)
    assert result.argv is not None
    assert result.argv[result.argv.index("--shutdown-timeout") + 1] == "100"


@pytest.mark.parametrize("kind", ENGINES)
def test_parallelism_is_the_sides_own(stand_in: StandIn, kind: str) -> None:
    spec, word, before = ENGINES[kind]
    own = (spec.get("prefill") or {}) if word.startswith("prefill") else spec
    more = {**own.get("parallelism", {}), "tensor": 3, "expert": True, "dataRPCPort": 5600}
    changes = {"dataRPCPort"} if "data" not in kind else set()
    more = {key: value for key, value in more.items() if key not in changes}
    argv = run(stand_in, changed(spec, word, parallelism=more), word).argv
    assert argv is not None
    assert argv[argv.index("--tensor-parallel-size") + 1] == "3"
    assert ("--enable-expert-parallel" in argv) is (kind in GROUPS)
    if kind.startswith("data"):
        at = before.index("--data-parallel-size")
        assert argv[at : at + 3] == ["--enable-expert-parallel", "--tensor-parallel-size", "3"]
        assert argv[argv.index("--data-parallel-rpc-port") + 1] == "5600"
    other = "main" if word.startswith("prefill") else "prefill"
    if spec.get("prefill") is not None:
        argv = run(stand_in, changed(spec, word, parallelism=more), other).argv
        assert argv is not None
        assert "--tensor-parallel-size" not in argv


def test_no_parallelism_of_a_base_config_is_lost(stand_in: StandIn) -> None:
    group = {"worker": {}, "parallelism": {"data": 16, "dataLocal": 8, "expert": True}}
    documents = base({**group, "prefill": {}}), service({"baseRefs": [{"name": "base"}]})
    (found,) = documents_resolved(*documents)
    argv = stand_in.run_container(container(found, "worker")).argv
    assert argv == [*head(8001), "--enable-expert-parallel", *ranks(8, data=16, local=8), "--headless", *LATEST]
    documents = base(group), service({"baseRefs": [{"name": "base"}], "parallelism": {"expert": False}})
    (found,) = documents_resolved(*documents)
    argv = stand_in.run_container(container(found)).argv
    assert argv == [*head(), *SERVERS, *ranks(0, data=16, local=8), *LATEST]


@pytest.mark.parametrize("index", ["1", "3", "07"])
def test_workers_start_where_those_before_them_end(stand_in: StandIn, index: str) -> None:
    env = {"LWS_WORKER_INDEX": index}
    spec = {"worker": {}, "parallelism": {"data": 64, "dataLocal": 8}}
    argv = run(stand_in, spec, "worker", env=env).argv
    assert argv == [*head(), *ranks(int(index) * 8, data=64, local=8), "--headless", *LATEST]
    argv = run(stand_in, {"worker": {}, "parallelism": {"pipeline": 8}}, "worker", env=env).argv
    assert argv == [*head(), *stage(int(index), 8), "--headless", *LATEST]


@pytest.mark.parametrize("spec", [DATA, PIPELINE])
@pytest.mark.parametrize("index", ["", "0", "a[$(touch x)]", "-1", "1.5", "RANDOM"])
def test_a_worker_without_a_number_stops(stand_in: StandIn, tmp_path: Path, spec: dict[str, Any], index: str) -> None:
    result = run(stand_in, spec, "worker", env={"LWS_WORKER_INDEX": index}, cwd=tmp_path)
    assert (result.status, result.argv) == (64, None)
    assert "which is no worker's" in result.errors
    assert not list(tmp_path.iterdir())
    assert run(stand_in, spec, "main", env={"LWS_WORKER_INDEX": index}).argv is not None


@pytest.mark.parametrize("spec", [DATA, PIPELINE])
@pytest.mark.parametrize("word", ["main", "worker"])
def test_outside_a_group_nothing_starts(stand_in: StandIn, spec: dict[str, Any], word: str) -> None:
    result = run(stand_in, spec, word, env={"LWS_LEADER_ADDRESS": ""})
    assert (result.status, result.argv) == (64, None)
    assert "LWS_LEADER_ADDRESS is not set" in result.errors


@pytest.mark.parametrize("spec", [DATA, PIPELINE])
def test_the_leader_is_asked_for_until_it_is_known(stand_in: StandIn, tmp_path: Path, spec: dict[str, Any]) -> None:
    asked = tmp_path / "asked"
    asked.write_text("")
    env = {"LWS_LEADER_ADDRESS": "leader.late", "ASKED": str(asked)}
    result = run(stand_in, spec, "worker", env=env)
    assert result.argv is not None
    assert "10.0.0.9" in result.argv
    assert asked.read_text() == "xxx\n"
    assert result.errors == ""


@pytest.mark.parametrize("attempts", ["1", "0", "2"])
def test_an_unknown_leader_is_used_by_its_name(stand_in: StandIn, attempts: str) -> None:
    env = {"LWS_LEADER_ADDRESS": "leader.unknown", "DP_ADDRESS_RESOLVE_ATTEMPTS": attempts}
    for spec, flag in ((DATA, "--data-parallel-address"), (PIPELINE, "--master-addr")):
        result = run(stand_in, spec, "worker", env=env)
        assert result.argv is not None
        assert result.argv[result.argv.index(flag) + 1] == "leader.unknown"
        assert "no address was found for leader.unknown" in result.errors


def test_number_of_attempts_is_no_program(stand_in: StandIn, tmp_path: Path) -> None:
    env = {"DP_ADDRESS_RESOLVE_ATTEMPTS": "a[$(touch x)]"}
    assert run(stand_in, DATA, "main", env=env, cwd=tmp_path).argv is not None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("count", ["1", "16"])
def test_api_servers_are_the_leaders(stand_in: StandIn, count: str) -> None:
    argv = run(stand_in, DATA, "main", env={"VLLM_API_SERVER_COUNT": count}).argv
    assert argv == [*head(), "--api-server-count", count, *ranks(0), *LATEST]
    assert run(stand_in, DATA, "worker", env={"VLLM_API_SERVER_COUNT": count}).argv == [
        *ENGINES["data worker"][2],
        *LATEST,
    ]


@pytest.mark.parametrize("word", ["main", "worker"])
@pytest.mark.parametrize(
    ("version", "starts"),
    [
        ("0.9.2", False),
        ("0.11.0", False),
        ("0.11.1", True),
        ("0.23.0+cu130", True),
        ("1.0", True),
        ("0.1.dev12345+g0123", True),
        ("nightly", True),
        ("", True),
    ],
)
def test_pipelines_need_a_vllm_that_spans_pods(stand_in: StandIn, word: str, version: str, starts: bool) -> None:
    result = run(stand_in, PIPELINE, word, version=version)
    assert (result.argv is not None) is starts
    if not starts:
        assert result.status == 64
        assert f"needs vLLM 0.11.1 or later, and this image has {version}" in result.errors


@pytest.mark.parametrize("kind", GROUPS)
def test_roce_is_looked_for_in_every_pod_of_a_group(stand_in: StandIn, tmp_path: Path, kind: str) -> None:
    port = tmp_path / "sys/class/infiniband/mlx5_7/ports/1"
    (port / "gids").mkdir(parents=True)
    (port / "gid_attrs/types").mkdir(parents=True)
    (port / "state").write_text("4: ACTIVE\n")
    (port / "gids/0").write_text("0000:0000:0000:0000:0000:ffff:0a00:0001\n")
    (port / "gid_attrs/types/0").write_text("RoCE v2\n")
    spec, word, before = ENGINES[kind]
    engine = container(resolved(spec), word)
    engine["command"] = [part.replace("/sys/", f"{tmp_path}/sys/") for part in engine["command"]]
    result = stand_in.run_container(engine, env={"KSERVE_INFER_ROCE": "true"})
    assert result.argv == [*before, *LATEST]
    assert (result.env["NCCL_IB_HCA"], result.env["NCCL_IB_GID_INDEX"]) == ("mlx5_7", "0")


@pytest.mark.parametrize("tls", [False, True])
def test_tokenizer(stand_in: StandIn, tls: bool) -> None:
    mine = {"template": {"containers": [{"name": "main", "args": ["--max-model-len", "1 2"]}]}}
    result = run(stand_in, {"router": {"scheduler": {"tokenizer": mine}}}, "tokenizer", tls=tls)
    flags = TLS if tls else []
    assert result.argv == [
        "vllm",
        "launch",
        "render",
        "/mnt/models/base",
        "--port=8000",
        *flags,
        "--max-model-len",
        "1 2",
    ]
