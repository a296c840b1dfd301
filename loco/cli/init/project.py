"""The files of a new project, as text by path."""

import json
import re

import yaml

from loco.cli.init.choices import NO_CLUSTER, NO_CONTEXT, Choices

_PLAIN = re.compile(r"[A-Za-z][\w./-]{2,}", re.ASCII)

_PROJECT = """\
name: <NAME>
description: An LLM serving stack on Kubernetes
runtime:
  name: python
  options:
    toolchain: pip
    virtualenv: .venv
"""

_PROGRAM = '''\
"""The stack: its config in, its objects registered, its outputs exported."""

import pulumi

from loco import ModelServingStack, stack_from_config


async def main() -> pulumi.Inputs:
    return ModelServingStack("loco", await stack_from_config()).outputs


pulumi.run(main)
'''

_STACK = """\
config:
  <KEY>:files: [models/*.yaml]
  <KEY>:namespace: <NAMESPACE>
<PRESETS>  <KEY>:cluster:
    context: <CONTEXT>   # of your kubeconfig: kubectl config get-contexts
    identifier: <IDENTIFIER>   # any name that stays the cluster's own when its context is renamed
    createNamespaces: true
"""

_PRESETS = """\
  <KEY>:presets: "<VERSION>"   # a newer loco doesn't change pods until this line does
"""

_MODEL = """\
# A small model on CPUs. For one on GPUs leave the image out and ask for them: limits: {nvidia.com/gpu: 1, …}.
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata:
  name: chat
spec:
  model:
    uri: hf://Qwen/Qwen2.5-0.5B-Instruct
    name: qwen2.5-0.5b
  replicas: 1
  template:
    containers:
      - name: main
        image: docker.io/vllm/vllm-openai-cpu:v0.23.0
        resources:
          requests: {cpu: "1", memory: 8Gi}
          limits: {cpu: "4", memory: 10Gi}
"""

_GATEWAY = """\
# One OpenAI-compatible endpoint over every model of the stack.
apiVersion: locostack.com/v1alpha1
kind: LiteLLMGateway
metadata:
  name: main
spec:
  replicas: 1
  masterKey: {generate: true}
"""

_IGNORED = """\
/.venv
__pycache__/
"""

_README = """\
# <TITLE>

LLM serving on Kubernetes by [Pulumi](https://www.pulumi.com) and loco. Models stand in `models/`, what is the environment's own in `Pulumi.<STACK>.yaml`.

```console
$ python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && . .venv/bin/activate
$ loco check --stack <STACK>          # what is wrong, with file and line; asks no cluster
$ pulumi stack init <STACK>
<CLUSTER>$ pulumi preview -s <STACK>
$ pulumi up -s <STACK>
```

`.github/workflows/preview.yml` shows in every pull request what it would change, and every night whether the cluster is still what was applied. From the files alone it needs nothing; for the engine's own
preview give the repository the secrets `PULUMI_ACCESS_TOKEN` or `PULUMI_BACKEND_URL`, `PULUMI_CONFIG_PASSPHRASE` where the stack has one, and `KUBECONFIG`.
"""

_CLUSTER = """\
$ pulumi config set -s <STACK> --path cluster.context NAME       # a context of your kubeconfig
$ pulumi config set -s <STACK> --path cluster.identifier NAME    # a name that stays the cluster's own
"""


def project_files(choices: Choices, workflow: str, presets: str) -> dict[str, str]:
    """Every file of the project by its path, in the order in which a reader would open them.

    Args:
        workflow: the text of the pull requests' workflow.
        presets: the newest version of the presets, which stacks other than dev pin.
    """
    values = {
        "NAME": _scalar(choices.name),
        "TITLE": choices.name,
        "KEY": choices.name,
        "STACK": choices.stack,
        "NAMESPACE": _scalar(choices.namespace),
        "CONTEXT": _scalar(choices.context or NO_CONTEXT),
        "IDENTIFIER": _scalar(choices.identifier or choices.context or NO_CLUSTER),
        "VERSION": presets,
    }
    pinned = _PRESETS if choices.stack != "dev" else ""
    to_name = _CLUSTER if choices.context is None else ""
    return {
        "Pulumi.yaml": _filled(_PROJECT, values),
        f"Pulumi.{choices.stack}.yaml": _filled(_STACK.replace("<PRESETS>", pinned), values),
        "__main__.py": _PROGRAM,
        "models/chat.yaml": _MODEL,
        "models/gateway.yaml": _GATEWAY,
        "requirements.txt": f"{choices.requirement}\n",
        ".gitignore": _IGNORED,
        ".github/workflows/preview.yml": workflow,
        "README.md": _filled(_README.replace("<CLUSTER>", to_name), values),
    }


def _filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"<([A-Z]+)>", lambda found: values[found[1]], text)


def _scalar(text: str) -> str:
    """Text that every reader of YAML takes for that text; JSON's escapes of signs beyond 16 bits aren't YAML's."""
    return text if _PLAIN.fullmatch(text) and yaml.safe_load(text) == text else json.dumps(text, ensure_ascii=False)
