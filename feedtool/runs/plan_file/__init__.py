"""A plan that is saved, and sent later: exactly that, or nothing (`--save-plan`, `--plan`).

Not to be confused with `feedtool.delivery.plan`, which decides what goes into which upload and
package: a saved plan writes down what that came to.

Reading order: `conditions` (on what a plan was made, and what of it is other now), `file` (the plan
as JSON lines, with a digest), `effects` (what its numbers mean: how many offers are made, changed
and removed) and `known` (what the ledger knows of these offers), then `promise` (what a
command has to do with a plan: it saves one, or it keeps to one).
"""

from feedtool.areas.offers.changes.effects import Effects, Known, nothing_known, told
from feedtool.runs.plan_file.conditions import Account, Conditions, conditions_of
from feedtool.runs.plan_file.file import SavedPlan, load
from feedtool.runs.plan_file.known import known_of
from feedtool.runs.plan_file.promise import Hashes, Keeping, Promise, Saving

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
