"""RoCE discovery against a made-up /sys: which devices and which gid index NCCL, NVSHMEM and UCX are told."""

from pathlib import Path

import pytest

from tests.plan.stacks import container_of, planned
from tests.presets.stand_in import Run, StandIn

MAPPED = "0000:0000:0000:0000:0000:ffff:0a00:0001"
LOCAL = "fe80:0000:0000:0000:0a00:27ff:fe00:0001"
ZERO = "0000:0000:0000:0000:0000:0000:0000:0000"
V1, V2 = "IB/RoCE v1", "RoCE v2"
INDEXES = ("NCCL_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX", "UCX_IB_GID_INDEX")
HCAS = ("NCCL_IB_HCA", "NVSHMEM_HCA_LIST", "UCX_NET_DEVICES")
USUAL = [(LOCAL, V1), (LOCAL, V2), (MAPPED, V1), (MAPPED, V2)]

Gids = list[tuple[str, str]]


def device(root: Path, name: str, gids: Gids, state: str = "4: ACTIVE") -> None:
    port = root / "sys/class/infiniband" / name / "ports/1"
    (port / "gids").mkdir(parents=True)
    (port / "gid_attrs/types").mkdir(parents=True)
    (port / "state").write_text(state + "\n")
    for index, (gid, kind) in enumerate(gids):
        (port / "gids" / str(index)).write_text(gid + "\n")
        (port / "gid_attrs/types" / str(index)).write_text(kind + "\n")


def at_index(index: int) -> Gids:
    """A device whose first matching gid has this index."""
    return [(LOCAL, V1)] * index + [(MAPPED, V2)]


def discover(stand_in: StandIn, root: Path, env: dict[str, str] | None = None) -> Run:
    container = container_of(planned())
    script = [part.replace("/sys/", f"{root}/sys/").replace("/proc/", f"{root}/proc/") for part in container["command"]]
    assert script != container["command"]
    container["command"] = script
    result = stand_in.run_container(container, env={"KSERVE_INFER_ROCE": "true", **(env or {})})
    assert result.status == 0
    assert result.argv is not None
    assert result.argv[:3] == ["vllm", "serve", "/mnt/models"]
    return result


def told(run: Run, names: tuple[str, ...]) -> list[str | None]:
    return [run.env.get(name) for name in names]


def test_off_by_default(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", USUAL)
    for value in ("", "false", "TRUE", "1"):
        run = discover(stand_in, tmp_path, {"KSERVE_INFER_ROCE": value})
        assert told(run, HCAS + INDEXES) == [None] * 6
        assert "RoCE" not in run.output + run.errors


def test_active_devices_are_named(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", USUAL)
    device(tmp_path, "mlx5_1", USUAL, state="1: DOWN")
    device(tmp_path, "mlx5_2", [(LOCAL, V1)])
    device(tmp_path, "mlx5_3", USUAL)
    device(tmp_path, "irdma0", USUAL)
    run = discover(stand_in, tmp_path)
    assert told(run, HCAS) == ["mlx5_0,mlx5_3", "mlx5_0:1,mlx5_3:1", "mlx5_0:1,mlx5_3:1"]
    assert told(run, INDEXES) == ["3", "3", "3"]
    assert run.errors == ""


def test_node_is_shown_in_the_log(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", USUAL)
    (tmp_path / "proc/driver/nvidia").mkdir(parents=True)
    (tmp_path / "proc/driver/nvidia/params").write_text("EnableStreamMemOPs: 1\n")
    run = discover(stand_in, tmp_path)
    assert f"ports/1/gids/3:{MAPPED}" in run.output
    assert f"ports/1/gid_attrs/types/1:{V2}" in run.output
    assert "EnableStreamMemOPs: 1" in run.output


@pytest.mark.parametrize(
    ("first", "chosen"),
    [
        ([1], "1"),
        ([3], "3"),
        ([5, 3], "3"),
        ([1, 3], "3"),
        ([1, 1, 3], "1"),
        ([1, 1, 3, 3], "3"),
        ([5, 1], "1"),
        ([10, 10, 2], "10"),
        ([5, 5, 1, 1], "1"),
        ([200], "200"),
    ],
)
def test_index_seen_most_often_wins_and_three_among_equals(
    stand_in: StandIn, tmp_path: Path, first: list[int], chosen: str
) -> None:
    for number, index in enumerate(first):
        device(tmp_path, f"mlx5_{number}", at_index(index))
    assert told(discover(stand_in, tmp_path), INDEXES) == [chosen] * 3


def test_first_matching_gid_of_a_device_counts(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", [(MAPPED, V1), (LOCAL, V2), (ZERO, V2), (MAPPED, V2), (MAPPED, V2), (MAPPED, V2)])
    assert told(discover(stand_in, tmp_path), INDEXES) == ["3"] * 3


def test_wanted_text_is_taken_literally(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", [(MAPPED, V2), (MAPPED, V1)])
    device(tmp_path, "mlx5_1", [(MAPPED, "-x.*[")])
    env = {"KSERVE_INFER_IB_GID_INDEX_GREP": "IB/RoCE v1"}
    assert told(discover(stand_in, tmp_path, env), ("NCCL_IB_HCA", *INDEXES)) == ["mlx5_0", "1", "1", "1"]
    env = {"KSERVE_INFER_IB_GID_INDEX_GREP": "-x.*["}
    assert told(discover(stand_in, tmp_path, env), ("NCCL_IB_HCA", *INDEXES)) == ["mlx5_1", "0", "0", "0"]


@pytest.mark.parametrize("name", HCAS + INDEXES[1:])
def test_what_is_set_stays(stand_in: StandIn, tmp_path: Path, name: str) -> None:
    device(tmp_path, "mlx5_0", USUAL)
    run = discover(stand_in, tmp_path, {name: "mine"})
    usual = dict(zip(HCAS + INDEXES, ["mlx5_0", "mlx5_0:1", "mlx5_0:1", "3", "3", "3"], strict=True))
    assert {key: run.env.get(key) for key in usual} == {**usual, name: "mine"}


def test_preset_index_is_copied(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", USUAL)
    assert told(discover(stand_in, tmp_path, {"NCCL_IB_GID_INDEX": "7"}), INDEXES) == ["7", "7", "7"]
    env = {"NCCL_IB_GID_INDEX": "7", "UCX_IB_GID_INDEX": "1"}
    assert told(discover(stand_in, tmp_path, env), INDEXES) == ["7", "7", "1"]


@pytest.mark.parametrize("node", ["none", "down", "no-types"])
def test_without_an_active_device_there_is_a_warning_and_vllm_starts(
    stand_in: StandIn, tmp_path: Path, node: str
) -> None:
    if node == "down":
        device(tmp_path, "mlx5_0", USUAL, state="1: DOWN")
    if node == "no-types":
        device(tmp_path, "mlx5_0", [])
    run = discover(stand_in, tmp_path)
    assert told(run, HCAS + INDEXES) == [None] * 6
    assert "no active device has a gid of type RoCE v2" in run.errors
    assert "no gid index found" in run.errors
    copied = discover(stand_in, tmp_path, {"NCCL_IB_GID_INDEX": "7"})
    assert told(copied, INDEXES) == ["7", "7", "7"]


def test_active_device_without_a_mapped_gid_leaves_the_index_alone(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", [(LOCAL, V2)])
    run = discover(stand_in, tmp_path)
    assert told(run, HCAS) == ["mlx5_0", "mlx5_0:1", "mlx5_0:1"]
    assert told(run, INDEXES) == [None] * 3
    assert "no gid index found" in run.errors


def test_lists_are_separated_as_usual_afterwards(stand_in: StandIn, tmp_path: Path) -> None:
    device(tmp_path, "mlx5_0", USUAL)
    run = discover(stand_in, tmp_path, {"VLLM_ADDITIONAL_ARGS": "--a b,c"})
    assert run.argv is not None
    assert run.argv[-2:] == ["--a", "b,c"]
