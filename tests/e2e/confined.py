"""A command as a pod's container runs it: its user, no capabilities, a root that nobody can write, its own folders."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

_CONFIG = "/mnt/config"
_SCRIPT = """\
#!/bin/sh
# Mounts of its own, gone with the process. What it has to read comes first, then the root is closed.
exec unshare --mount --propagation private sh -eu -c '
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir {config}
mount --bind {folder} {config}
mount -o remount,bind,ro {config}
{program}
mount -o remount,ro /mnt
mount -o remount,bind,ro /
{writable}
cd /
exec setpriv --reuid {user} --regid {group} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
' sh {command} "$@"
"""


def confined(template: Mapping[str, Any], command: Path, folder: Path, script: Path) -> Path:
    """Writes a script that runs a command so, and returns it. Skips the test where that can't be done.

    Args:
        template: the pod's, which says who it is and what it may write.
        command: of a virtual environment, whose folder it may read.
        folder: what stands at ``in_the_pod`` of it.
        script: where to write it.
    """
    if os.geteuid() or not shutil.which("setpriv") or subprocess.run(["unshare", "--mount", "true"]).returncode:
        pytest.skip("only root may give a process mounts and a user of its own")
    pod, [container] = template["spec"], template["spec"]["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    program = (command.parent.parent, (command.parent / "python").resolve().parent.parent)
    text = _SCRIPT.format(
        command=command,
        config=_CONFIG,
        folder=folder,
        program="\n".join(_readable(program)),
        user=pod["securityContext"]["runAsUser"],
        group=pod["securityContext"]["runAsGroup"],
        writable="\n".join(_writable(pod["volumes"], container["volumeMounts"])),
    )
    script.write_text(text)
    script.chmod(0o755)
    return script


def in_the_pod(file: Path) -> str:
    """Where a file of the folder is found there."""
    return f"{_CONFIG}/{file.name}"


def _readable(folders: Sequence[Path]) -> Iterable[str]:
    """Shows the folders, and nothing beside them, where only their owner may pass, as in a home folder."""
    tops = {Path("/", *folder.parts[1:2]) for folder in folders}
    shut = sorted(top for top in tops if not top.stat().st_mode & 1)
    hidden = [(number, folder) for number, folder in enumerate(folders) if any(top in folder.parents for top in shut)]
    for number, folder in hidden:
        yield f"mkdir /mnt/{number}\nmount --bind {folder} /mnt/{number}"
    for top in shut:
        yield f"mount -t tmpfs -o mode=755 tmpfs {top}"
    for number, folder in hidden:
        yield f"mkdir -p {folder}\nmount --move /mnt/{number} {folder}\nmount -o remount,bind,ro {folder}"
    for top in shut:
        yield f"mount -o remount,ro {top}"


def _writable(volumes: Iterable[Mapping[str, Any]], mounts: Sequence[Mapping[str, str]]) -> Iterable[str]:
    for volume in volumes:
        if "emptyDir" in volume:
            size = volume["emptyDir"]["sizeLimit"].replace("Mi", "m")
            yield from (
                f"mount -t tmpfs -o mode=1777,size={size} tmpfs {mount['mountPath']}"
                for mount in mounts
                if mount["name"] == volume["name"]
            )
