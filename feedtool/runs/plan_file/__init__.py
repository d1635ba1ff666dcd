"""A plan that is saved, and sent later: exactly that, or nothing (`--save-plan`, `--plan`).

Not to be confused with `feedtool.delivery.plan`, which decides what goes into which upload and
package: a saved plan writes down what that came to. `conditions` says on what a plan was made, and
what of it is other now; `file` is the plan as JSON lines, which a command writes or keeps to.
"""

from feedtool.runs.plan_file.conditions import Account, Conditions, conditions_of
from feedtool.runs.plan_file.file import Hashes, PlanFile, PlanVerifier, PlanWriter, SavedPlan, load

__all__ = [
    "Account",
    "Conditions",
    "Hashes",
    "PlanFile",
    "PlanVerifier",
    "PlanWriter",
    "SavedPlan",
    "conditions_of",
    "load",
]
