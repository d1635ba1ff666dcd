"""Update the list of countries from CLDR: `python -m tests.countries`.

The list is a file in the package, so that a newer library changes no template and no check. A name
that CLDR has changed is kept as another spelling, since older workbooks have it in their cells.
"""

import re

from babel import Locale

from feedtool.feeds.columns.choice import COUNTRIES, country_names
from feedtool.model.text import LANGUAGES

NO_COUNTRY = frozenset(
    ("EU", "EZ", "UN", "QO", "XA", "XB", "XK", "ZZ", "AC", "CP", "DG", "EA", "IC", "TA", "CQ")
)
"""Codes of two letters that ISO 3166-1 does not give to a country."""


def main() -> None:
    before = country_names() if COUNTRIES.exists() else {}
    territories = [dict(Locale(language).territories.items()) for language in LANGUAGES]
    codes = sorted(code for code in territories[0] if re.fullmatch("[A-Z]{2}", code))
    lines = []
    for code in codes:
        if code not in NO_COUNTRY:
            names = [names[code] for names in territories]
            former = [name for name in before.get(code, ()) if name not in names]
            lines.append("\t".join([code, *names, *former]) + "\n")
    COUNTRIES.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
