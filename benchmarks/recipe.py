"""A recipe for a workbook of the corpus, and its stock: `python -m benchmarks.recipe BOOK ROWS`."""

import sys
from pathlib import Path

from benchmarks.corpus import COLUMNS, offer

RECIPE = """
[match]
kind = "offers-upsert"
headers = ["sellerExternalReference", "product.gtin"]

[columns]
{columns}
Title = false

[names]
eco = "taxes.EcoPart"

[values.condition]
"As new" = "UsedLikeNew"
"New" = "New"

[values."taxes.VAT"]
"5.5" = 5.5
"10" = 10

[compute]
"price.price" = "ends(price.price * 1.02, 0.99)"
"taxes.EcoPart" = "round(eco * 1.1, 2)"
quantity = "max(0, min(quantity - 2, 400))"
preparationTime = "preparationTime + 1 if quantity < 5 else preparationTime"

[join.stock]
file = "bench-stock-*.csv"
key = {{ sellerExternalReference = "ref" }}
take = {{ quantity = "free" }}
at_least = 0.9
"""


def main(book: Path, count: int) -> None:
    """Writes both files; prints the folder."""
    columns = "\n".join(f'"{key}" = "{key}"' for key in COLUMNS if key != "Title")
    (book.parent / "bench.toml").write_text(RECIPE.format(columns=columns), "utf-8")
    stock = (
        f"{row['sellerExternalReference']};{row['quantity']}"
        for row in map(offer, range(1, count + 1))
    )
    (book.parent / "bench-stock-1.csv").write_text("\n".join(["ref;free", *stock, ""]), "utf-8")
    print(book.parent)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
