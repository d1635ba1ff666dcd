"""The result messages, by code and language: part "Offer package and offer request".

The specification does not list the codes. As observed, a code has two digits for the error and two
for its property: 10|05 is "required" on the stock.
"""

from feedtool.sandbox.arguments import texts

CREATED = "8000"
UPDATED = "9000"
DOUBLED = "2801"
PACKAGE_EMPTY = "1023"
PACKAGE_FULL = "1723"


def message(code: str, language: str) -> dict[str, str]:
    return {"resultCode": code, "message": texts(__name__, language)[code]}
