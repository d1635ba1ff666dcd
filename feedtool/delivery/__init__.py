"""The delivery of rows to the service: packages as transactions, in three protocols.

`plan` puts rows into packages. The state machines are pure tables: `staged`, `submitted`, `direct`;
`transition` has the rules that they share, `machine` joins them, `schedule` chooses the next steps.
`engine` carries the steps out and writes each to the ledger before its request and after its
answer. Each feed declares how its area differs (`feeds.delivery`).
"""
