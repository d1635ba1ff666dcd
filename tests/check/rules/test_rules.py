"""Every rule is found by being there, and is what it says it is."""

from pathlib import Path

import pytest

import feedtool
from feedtool.areas.registry import load
from feedtool.check.rules import all_rules
from feedtool.feeds.rule import Rule

MODULES = sorted(
    path.stem
    for path in Path(feedtool.__file__).parent.rglob("rules/*.py")
    if path.stem != "__init__"
)


def test_each_module_is_a_rule_named_after_it() -> None:
    assert [rule.code.name for rule in all_rules(load())] == [
        name.replace("_", "-") for name in MODULES
    ]


def test_each_rule_is_tested() -> None:
    tests = Path(__file__).parents[2]
    files = {path.stem.removeprefix("test_") for path in tests.rglob("rules/test_*.py")}
    tables = "".join(path.read_text("utf-8") for path in tests.rglob("areas/*/test_*.py"))
    codes = (rule.code.name for rule in all_rules(load()))
    assert [
        code for code in codes if code.replace("-", "_") not in files and f'"{code}"' not in tables
    ] == []


@pytest.mark.parametrize("rule", all_rules(load()), ids=lambda rule: rule.code.name)
def test_its_docstring_is_a_page_that_says_how_to_mend_it(rule: Rule) -> None:
    summary, _, rest = rule.code.page.strip().partition("\n")
    assert summary.endswith(".")
    assert any(
        f"\n{words}" in rest for words in ("To mend it", "Nothing needs", "To leave", "To offer")
    )


@pytest.mark.parametrize("rule", all_rules(load()), ids=lambda rule: rule.code.name)
def test_it_is_about_kinds_that_exist(rule: Rule) -> None:
    assert rule.kinds is None or set(rule.kinds) <= set(load().feeds)
