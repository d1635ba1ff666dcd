import pytest

from tests.catalogues import PROPERTIES, catalog_of, judging, product
from tests.rules.conftest import Find

CODE = "language-differs"


@pytest.mark.parametrize(
    ("language", "written"), [("en", "en-US"), ("en", "English"), ("en", ""), ("fr", "fr")]
)
def test_passes(find: Find, language: str, written: str) -> None:
    dialect = judging(catalog_of(PROPERTIES, language=language))
    assert find(CODE, product(language=written), dialect=dialect) == []


def test_fails_once_for_a_sheet_and_keeps_no_row_back(find: Find) -> None:
    rows = [product(1), product(2, language="es"), product(3, language="fr")]
    (problem,) = find(CODE, *rows, dialect=judging())
    assert (problem.row, problem.field, problem.severity) == (None, "language", "warning")
    assert "rows in es-ES" in problem.message
    assert "--language es" in problem.hint
