"""feedtool: spreadsheets in, the marketplace's answer back beside every row.

A cell becomes a value (`columns`), a row of values becomes an Item or some Problems (`check`, by
`feeds`, `schemas`, `rules`), Items become uploads of 100 in packages of 50,000 (`plan`), an upload
becomes a Call (`model.call`), the Call comes back as a Reply (`service.client`), what a Reply
means is written down (`delivery`, `ledger`), each row's RowResult is read from there (`verdicts`),
and each RowResult is written beside the row that it came from (`sheets`). The row number travels in
every noun; nothing is looked up again.

To read the code, begin with `model` (the nouns) and `run` (the only module that sequences the
hops), then follow a row: `sheets`, `check`, `columns`, `feeds`, `rules`, `plan`, `delivery`,
`service`, `ledger`.
"""

__version__ = "0.1.0"
