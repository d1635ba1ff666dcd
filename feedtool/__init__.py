"""feedtool: spreadsheets in, the marketplace's answer back beside every row.

A row passes these modules, and its number travels with it:

1. `sheets.read.xlsx` or `sheets.read.csv_source` reads its cells, in blocks of rows.
2. `check.headers` finds the meaning of the columns, `check.sheet_selection` the kind of sheet.
3. `check.sheet` makes values of the cells (`feeds.columns`), and applies the rules of its area,
   such as `areas.offers.rules`. `check.requests` makes an Item with the body of its request, or
   Problems.
4. `delivery.plan` puts Items into uploads of 100, and these into packages of 50,000.
5. `delivery.engine` takes each package from step to step. Most steps make a Call (`model.call`),
   which the area builds, such as `areas.offers.wire.packages`; `service.client` sends it, and
   `ledger.store` notes the intent before it and the answer after it.
6. `runs.row_results` reads the result of the row from the ledger.
7. `sheets.annotate` writes it beside the row in a copy of the user's file, and `report.text`
   counts it.

`runs.submit` takes these steps in order for a command. To read the code, begin with `model.nouns`,
then `runs.submit`, then follow the row.
"""

__version__ = "0.1.0"
