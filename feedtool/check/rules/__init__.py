"""Rules about any sheet: a module each; its docstring is the user's page."""

from functools import cache

from feedtool.feeds.area import Areas
from feedtool.feeds.rule import Rule, rules_of


@cache
def generic_rules() -> tuple[Rule, ...]:
    """The rules of any sheet."""
    return tuple(rules_of(__name__))


def all_rules(areas: Areas) -> tuple[Rule, ...]:
    """The rules of any sheet and of these areas, in the order of their codes."""
    rules = (*generic_rules(), *areas.rules)
    return tuple(sorted(rules, key=lambda rule: rule.code.name))


def rules_for(areas: Areas, kind: str) -> list[Rule]:
    """Those of them that are about a kind of feed."""
    return [rule for rule in all_rules(areas) if rule.kinds is None or kind in rule.kinds]
