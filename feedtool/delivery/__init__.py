"""The delivery of rows to the service: packages as transactions, in three protocols.

`plan` puts rows into packages, `dependencies` says which rows wait for which. The state machines
are tables, pure: `staged` (uploads, then a commit), `submitted` (one POST, then a report or a log)
and `direct` (one call for each request); `machine` has them together, `transition` the rules that
they share, `schedule` which step comes next. `engine` is the thin shell that carries the steps out
and writes each to the ledger before its request and after its answer. What differs from area to
area is handed in by package type (`feeds.delivery.Route`).
"""
