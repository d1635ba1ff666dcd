"""The delivery of rows to the service: packages as transactions, in three protocols.

`plan` puts rows into packages. The state machines are pure tables: `staged`, `submitted`, `direct`;
`transition` has the rules that they share, `machine` has them together, `schedule` says which step
comes next. `engine` carries the steps out and writes each to the ledger before its request and
after its answer. What differs from area to area is declared by each feed (`feeds.delivery`).
"""
