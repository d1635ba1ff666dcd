"""The vocabulary that scripts and people rely on: every code is known, and has a page."""

import re
from collections.abc import Iterable
from itertools import chain

import pytest

from feedtool.areas.offers.changes.guards import GUARDS
from feedtool.areas.offers.sandbox import messages
from feedtool.areas.offers.wire import result_codes
from feedtool.areas.offers.wire.packages import STATES
from feedtool.areas.products.sandbox import messages as reports
from feedtool.areas.products.wire import FINAL
from feedtool.delivery.submitted import REPORTED, TAKEN
from feedtool.feeds.rule import pages_in
from feedtool.ledger import Phase
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.nouns import Severity, Status
from feedtool.model.text import LANGUAGES, Language, Translator, catalogue
from feedtool.report.codes import words_in
from feedtool.report.statuses import state_word
from feedtool.runs.codes import all_codes, explain_code
from feedtool.sandbox.arguments import texts
from tests.pairs import sample

CODES = all_codes()

ERRORS_OF_REQUESTS = "ER400-179 ER400-2108 ER400-9250 ER400-7480 ER400-8614"

ERRORS = """
required-missing gtin-format gtin-checksum precision-lost number-format number-ambiguous
number-range number-precision integer-required enum-value text-control-chars text-too-long
product-reference-format formula-error formula-no-cache duplicate-reference reference-format
origin-price-below-price price-below-taxes field-retired date-in-number-cell boolean-in-cell
delivery-incomplete too-many-columns nothing-to-update preparation-time-required taxes-incomplete
"""

FILE_ERRORS = """
encrypted legacy-xls ods-unsupported xlsb-unsupported html-as-xls xml2003-as-xls not-a-workbook
corrupt-zip corrupt-xml zip-bomb zip-bad-name zip-duplicate-member xml-doctype grid-out-of-range
empty-file no-rows header-not-found header-missing kind-unclear header-duplicate sheet-ambiguous
csv-encoding csv-nul csv-unterminated-quote
"""

WARNINGS = """
hidden-rows unknown-column trimmed gtin-padded percent-read encoding-guessed dimension-wrong
deprecated-delivery-mode deprecated-field length-advised identity-not-sent stock-differs
modes-replaced csv-quotes
"""

VOCABULARY = dict.fromkeys((ERRORS + FILE_ERRORS).split(), Severity.ERROR)
VOCABULARY |= dict.fromkeys(WARNINGS.split(), Severity.WARNING)


def test_every_code_of_the_vocabulary_is_known() -> None:
    assert {name: CODES.pages[name].severity for name in VOCABULARY} == VOCABULARY


def test_every_page_has_a_summary_an_example_and_how_to_fix_it() -> None:
    for name, one in CODES.pages.items():
        summary, blank, rest = one.page.strip().partition("\n\n")
        assert summary == CODES.summary_of(name), name
        assert "\n" not in summary, name
        assert summary.endswith("."), name
        assert blank, name
        *said, last = rest.strip().split("\n\n")
        assert [part for part in said if part.startswith("Example: ")], name
        assert last.startswith(("To ", "To fix it, ", "Nothing needs to be done")), name


def test_every_unreadable_file_has_a_code_with_a_page() -> None:
    problems = [*FileProblem.__subclasses__()]
    for problem in problems:  # which grows meanwhile
        problems += problem.__subclasses__()
    codes = [problem.code for problem in problems if vars(problem).get("code")]
    assert list(CODES.pages) == sorted(CODES.pages)
    assert len(codes) == len(set(codes)) > 25
    assert set(codes) <= set(CODES.pages)


@pytest.mark.parametrize("asked", ["gtin-checksum", " GTIN_Checksum ", "gtin checksum"])
def test_a_page_is_found_in_any_writing(asked: str) -> None:
    page = explain_code(asked)
    assert page.startswith("error[gtin-checksum]\n\nThe check digit is wrong.\n")
    assert "Example:" in page


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("gtin-cheksum", "did you mean gtin-checksum, "),
        ("Rejekted", "did you mean Rejected, "),
        ("ER400-7481", "did you mean ER400-7480, "),
        ("9903", "did you mean "),
        ("??", "did you mean "),
    ],
)
def test_the_error_of_an_unknown_code_names_the_three_nearest(asked: str, hint: str) -> None:
    with pytest.raises(UsageProblem, match="there is no code or status") as caught:
        explain_code(asked)
    assert caught.value.hint.startswith(hint)
    assert caught.value.hint.endswith("? `feedtool explain` lists all")
    assert len(re.findall(", | or ", caught.value.hint)) == 2


RESULTS = {
    "2403": (
        "Offer exists under another reference: Seller reference.",
        "marks the cell",
    ),
    "1324": ("Does not exist: the product.", "feedtool template products"),
    "1428": ("Already known: the offer.", "28 is the offer"),
    "3499": ("Closed to the marketplace: a field that is not known here.", "To fix it, ask"),
    "8000": ("The offer was created.", "Nothing needs to be done."),
}


@pytest.mark.parametrize(("code", "said"), RESULTS.items(), ids=RESULTS)
def test_a_result_code_is_explained_by_its_halves(code: str, said: tuple[str, str]) -> None:
    head, blank, first, *rest = explain_code(f" {code}").splitlines()
    assert (head, blank) == (f"{code}, result code of the service", "")
    assert first.startswith(said[0])
    assert said[1] in " ".join(rest)


PRINTED = {
    "statuses": Status,
    "states of packages": STATES,
    "our own steps": Phase,
    "states of batches": (TAKEN, REPORTED),
    "statuses of products": [one.capitalize() for one in FINAL],
    "what reports say": ["Validated", "Creation", "Modification", "Identical", "QuotaExceeded"],
    "errors of the specification": re.findall(r"ER400-\d+", ERRORS_OF_REQUESTS),
    "results of the sandbox": texts(messages.__name__, "en-US"),
    "reports of the sandbox": texts(reports.__name__, "en-US"),
    "guards": GUARDS,
}


@pytest.mark.parametrize("words", PRINTED.values(), ids=PRINTED)
def test_every_word_that_is_printed_is_explained(words: Iterable[str]) -> None:
    for word in words:
        head, blank, first, *_ = explain_code(word).splitlines()
        assert word.casefold() in head.casefold()
        assert (blank, first[-1]) == ("", ".")


@pytest.mark.parametrize("state", [*STATES, *Phase, TAKEN, REPORTED])
def test_a_state_is_read_in_each_language(state: str) -> None:
    words = [Translator(language)(state_word(state)) for language in LANGUAGES]
    assert len(set(words)) == len(words)


FIXES = {
    "gtin-checksum": "compare the number with the package.",
    "legacy-xls": 'open it in a spreadsheet program and save it as "Excel workbook (.xlsx)".',
    "1324": "",  # of the service, whose codes have no page
}


def test_the_end_of_a_page_explains_the_fix() -> None:
    assert all("To fix it, " in explain_code(f"{error}06") for error in result_codes.ERRORS)
    assert {name: CODES.fix_of(name) for name in FIXES} == FIXES
    assert CODES.summary_of("1324") == ""


OTHERS: dict[Language, tuple[str, str, tuple[str, ...]]] = {
    "fr": ("Exemple : ", "Pour corriger, ", ("Pour ", "Il n'y a rien à faire")),
    "es": ("Ejemplo: ", "Para corregirlo, ", ("Para ", "No hay ")),
}
"""The beginnings of an example, an advice, and any last paragraph, by language."""


def values(page: str) -> set[str]:
    return {" ".join(value.split()) for value in re.findall(r"`([^`]+)`", page)}


def check_translation(english: str, translated: str, language: Language) -> None:
    """Checks that a page says the same values, and has an example and an end as the English one."""
    example, advice, ends = OTHERS[language]
    first, *rest = english.strip().split("\n\n")
    summary, *others = translated.strip().split("\n\n")
    assert values(translated) == values(english)
    assert "\n" not in summary
    assert summary.endswith(".")
    assert summary != first
    assert bool(rest) == bool(others)
    for part, expected in (("Example: ", example), ("To fix it, ", advice)):
        assert any(it.startswith(part) for it in rest) == any(
            it.startswith(expected) for it in others
        )
    assert not others or others[-1].startswith(ends)


@pytest.mark.parametrize("language", OTHERS)
def test_pages_have_the_same_parts_in_each_language(language: Language) -> None:
    translated = all_codes(language).pages
    for name, one in CODES.pages.items():
        check_translation(one.page, translated[name].page, language)


@pytest.mark.parametrize("language", OTHERS)
def test_no_other_page_is_there(language: Language) -> None:
    assert pages_in(language).keys() == CODES.pages.keys()


@pytest.mark.parametrize("language", OTHERS)
def test_each_word_is_explained_in_each_language(language: Language) -> None:
    for name, one in words_in("en").items():
        check_translation(one.page, words_in(language)[name].page, language)


@pytest.mark.parametrize("language", OTHERS)
def test_no_other_word_is_explained(language: Language) -> None:
    assert list(words_in(language)) == list(words_in("en"))
    assert all(explain_code(name, language) != explain_code(name) for name in words_in("en"))


# A code is explained by its halves, whose texts are all compared in any case.
@pytest.mark.parametrize("step", sample((5, 1), 1))
def test_the_services_codes_are_explained_in_each_language(step: int) -> None:
    codes = result_codes.known_codes()
    confirming = [code for code in codes if code[:2] in result_codes.CONFIRMATIONS]
    for code in dict.fromkeys([*codes[::step], *confirming]):
        english, *others = (explain_code(code, it).partition("\n\n")[2] for it in ("en", *OTHERS))
        for translated, (_, advice, _) in zip(others, OTHERS.values(), strict=True):
            if code[:2] in result_codes.CONFIRMATIONS:
                assert translated != english
            else:
                assert values(translated) == values(english)
                assert translated.split("\n\n")[-1].startswith(advice)
    texts = [*chain(*result_codes.ERRORS.values()), *result_codes.SUBJECTS.values()]
    texts += result_codes.CONFIRMATIONS.values()
    for language in OTHERS:
        assert [text for text in texts if text not in catalogue(language)] == []
