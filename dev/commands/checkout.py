"""Where things are: the checkout, its virtual environment and its state folder."""

import os
from dataclasses import dataclass
from pathlib import Path

EMBEDDED_STACK = "dev"
EMBEDDED_CONTEXT = "loco-dev"


@dataclass(frozen=True)
class Checkout:
    root: Path
    state: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.venv / "bin" / "python"

    @property
    def bin(self) -> Path:
        return self.state / "bin"

    @property
    def cluster(self) -> Path:
        return self.state / "cluster"

    @property
    def kubeconfig(self) -> Path:
        return self.cluster / "kubeconfig"

    @property
    def backend(self) -> Path:
        return self.state / "backend"

    @property
    def pulumi_home(self) -> Path:
        return self.state / "pulumi-home"

    @property
    def passphrase(self) -> Path:
        return self.state / "passphrase"

    @property
    def stacks(self) -> Path:
        """Generated stack files, for clusters that were named on the command line only."""
        return self.state / "stacks"

    def stack_file(self, stack: str) -> Path:
        return self.root / f"Pulumi.{stack}.yaml"


def this_checkout() -> Checkout:
    root = Path(__file__).resolve().parents[2]
    state = Path(os.environ.get("LOCO_STATE") or root / ".loco").expanduser().resolve()
    return Checkout(root, state)
