"""A StackSpec becomes a Plan: everything that is to exist, in what order, who reads what, and what there is to say.

Pure: the same spec gives the same plan, byte for byte. No engine, no cluster, no secret value.
"""

from loco.plan.plan import Plan
from loco.plan.stack import plan_stack

__all__ = ["Plan", "plan_stack"]
