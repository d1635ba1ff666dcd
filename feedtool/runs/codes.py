"""Every problem code with its page, collected from all declarations."""

import pkgutil
from collections.abc import Mapping
from functools import cache, partial
from importlib import import_module

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.feeds import columns
from feedtool.feeds.rule import Problems, Rule, pages_in
from feedtool.model.nouns import Code
from feedtool.model.text import Language, Translator, joined, tr
from feedtool.report.codes import REPORT, RESULT, Codes, Word


@cache
def all_codes(language: Language = "en", translator: type[Translator] = Translator) -> Codes:
    """Return every code with its page in a language; collected at the first access."""
    service = load().service
    return Codes(
        partial(_codes_by_name, language),
        service.is_confirmation,
        fixed_by,
        language,
        service.explain,
        summary_of_fix,
        translator,
    )


def _codes_by_name(language: Language) -> dict[str, Code]:
    codes = [rule.code for rule in _rules()]
    codes += guards().values()
    for module in pkgutil.iter_modules(columns.__path__):
        constants = vars(import_module(f"{columns.__name__}.{module.name}")).values()
        codes += [constant for constant in constants if isinstance(constant, Code)]
    for package in ("feedtool.sheets", "feedtool.check"):
        problems = Problems(package)
        codes += map(problems.error, problems.names - {code.name for code in codes})
    pages = pages_in(language)
    return {code.name: replace(code, page=pages.get(code.name, code.page)) for code in codes}


def guards() -> Mapping[str, Code]:
    """Return the codes that `--release` takes, by their names."""
    return {**load().guards, **{rule.code.name: rule.code for rule in _rules() if rule.is_guard}}


def _rules() -> tuple[Rule, ...]:
    from feedtool.check.rules import all_rules

    return all_rules(load())


def summary_of_fix(name: str) -> str:
    from feedtool.check.fixes import all_fixes

    return next(fix.summary for fix in all_fixes(load()) if fix.name == name)


def fixed_by(code: str) -> str:
    """Return a line for each fix of a problem, with the option that makes it."""
    from feedtool.check.fixes import all_fixes

    lines = (
        tr("`validate {option}` can {do_so}.", option=fix.option, do_so=fix.summary)
        for fix in all_fixes(load())
        if code in {known.name for known in fix.codes}
    )
    return joined(lines, "\n")


def explain_code(code: str, language: Language = "en") -> str:
    """Return the page of a problem code, a status, a state, or a code of the service.

    UsageProblem for an unknown code.
    """
    codes, areas = all_codes(language), load()
    words = {
        name: Word(REPORT, text.replace("{}", "…"))
        for area in areas.areas
        for name, text in area.report_words(language).items()
    }
    if page := areas.service.explain(code.strip(), codes.say):
        words[code.strip()] = Word(RESULT, page)
    return codes.explain(code, words, areas.service.known_codes())
