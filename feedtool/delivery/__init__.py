"""The package as a transaction: uploads are staged, PATCH Ready is the commit.

`decide` (pure: which step comes next) and `learn` (pure: what an answer makes of a package) are
tables; `deliver` is the thin shell that carries the steps out and writes each to the ledger
before its request and after its answer. Products have no package: what differs is in `batches`.
"""
