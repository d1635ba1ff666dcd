"""A plan that is saved, and sent later: exactly that, or nothing (`--save-plan`, `--plan`).

Not to be confused with `feedtool.plan`, which decides what goes into which upload and package: a
saved plan writes down what that came to.

Reading order: `conditions` (on what a plan was made, and what of it is other now), `file` (the plan
as JSON lines, with a digest), `effects` (what its numbers mean: how many offers are made, changed
and removed) and `known` (what the ledger knows of these offers), then `promise` (what a
command has to do with a plan: it saves one, or it keeps to one).
"""

from feedtool.saved_plan.conditions import Account, Conditions, conditions_of
from feedtool.saved_plan.effects import Effects, Known, nothing_known, told
from feedtool.saved_plan.file import SavedPlan, load
from feedtool.saved_plan.known import known_of
from feedtool.saved_plan.promise import Hashes, Keeping, Promise, Saving

__all__ = [
    "Account",
    "Conditions",
    "Effects",
    "Hashes",
    "Keeping",
    "Known",
    "Promise",
    "SavedPlan",
    "Saving",
    "conditions_of",
    "known_of",
    "load",
    "nothing_known",
    "told",
]
