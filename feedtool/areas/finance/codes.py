"""The codes of problems with money; their pages for users are in `problems.md`."""

from feedtool.feeds.rule import Problems, Rule
from feedtool.model.nouns import Code
from feedtool.model.text import MessageText, tr

PROBLEMS = Problems("feedtool.areas.finance")

ACCOUNT_MISSING = PROBLEMS.error("account-missing")
AMOUNTS_DO_NOT_ADD_UP = PROBLEMS.error("amounts-do-not-add-up")
TOTALS_DIFFER = PROBLEMS.error("totals-differ")


def explained(code: Code) -> MessageText:
    """The way to a code's page."""
    return tr("`feedtool explain {code}` says what to do", code=code.name)


RULES = tuple(
    Rule(code, kinds=()) for code in (ACCOUNT_MISSING, AMOUNTS_DO_NOT_ADD_UP, TOTALS_DIFFER)
)
"""Found when money is exported."""
