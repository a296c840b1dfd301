"""The migration's own command and variables, run by the real LiteLLM: a database that isn't there fails the Job.

Prisma's engines are part of the image and of no package index, so a migration that succeeds can't be run here.
"""

import os
import subprocess
from pathlib import Path

import pytest

from dev.toolchain.litellm import ensure_litellm
from tests.plan.stacks import external, gateway, one, plan_of

pytestmark = pytest.mark.e2e

PASSWORD = "password-of-the-migration-test"
URL = f"postgresql://litellm:{PASSWORD}@127.0.0.1:9/litellm"


def test_a_database_that_is_not_there_fails_it(tmp_path: Path) -> None:
    declared = {"db": {"url": {"existing": True}}}
    spec = {"database": {"secretRef": {"name": "db", "key": "url"}}}
    job = one(plan_of(external(), gateway(spec), credentials=declared), "Job")
    (container,) = job.data["spec"]["template"]["spec"]["containers"]
    environment = {variable["name"]: variable.get("value", URL) for variable in container["env"]}
    assert [name for name, value in environment.items() if value == URL] == ["DATABASE_URL"]
    copied = tmp_path / "migrations"
    environment |= {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LITELLM_MIGRATION_DIR": str(copied)}
    done = subprocess.run(
        [str(ensure_litellm()), *container["args"]],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
    )
    said = done.stdout + done.stderr
    assert done.returncode != 0, said
    assert "Can't reach database server" in said or "connection failed" in said
    assert len(list((copied / "migrations").iterdir())) > 100, "it works on a copy, where it may write"
    assert PASSWORD not in said
