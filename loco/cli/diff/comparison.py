"""Two stacks, compared: their config, and their documents after merging."""

from dataclasses import dataclass

from loco.cli.diff.documents import Pair, Side, compare_documents
from loco.cli.diff.stack_config import config_in_effect
from loco.cli.diff.trees import NOWHERE, Difference, differences
from loco.model import Finding, errors_of


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs.

    Attributes:
        names: of the two stacks.
        config: values of the stacks' config that differ.
        documents: those that differ, or that could not be compared.
        errors: of each stack, in that order.
    """

    names: tuple[str, str]
    config: tuple[Difference, ...]
    documents: tuple[Pair, ...]
    errors: tuple[tuple[Finding, ...], tuple[Finding, ...]]

    @property
    def count(self) -> int:
        """How many differences there are: what follows from another is none, a document that one stack lacks is one."""
        found = (*self.config, *(each for pair in self.documents for each in pair.differences))
        alone = sum(pair.only_in is not None for pair in self.documents)
        return alone + sum(not (each.same or each.derived) for each in found)


def compare(first: Side, second: Side, origins: bool = False) -> Comparison:
    """Compares two stacks. With ``origins`` also what is the same and comes from different layers."""
    return Comparison(
        (first.name, second.name),
        tuple(differences(config_in_effect(first.stack), config_in_effect(second.stack), "", NOWHERE, origins)),
        tuple(compare_documents(first, second, origins)),
        (errors_of(first.plan.findings), errors_of(second.plan.findings)),
    )
