"""The watched folder: a file that is dropped into its inbox is sent, answered and filed away.

    inbox/        what is to be sent; a subfolder may name a profile, a kind, or both
    processing/   what is being sent
    results/      the answers, each complete before it appears
    done/DATE/    what was answered
    error/        what nobody could read, or had before, each with its reason

Reading order: `decisions` (whose a file is, what is done next) is pure, as `places.sightings` is
(which files are whole); `folder` (files and their places), `session` (the account that sends a
file), `processor` (a file from step to step), `work` (a seller's files, one after the other) and
`watcher` (all sellers, again and again) carry it out; `messages` has the texts.

Who may touch a seller's files is decided by the seller's lock of the ledger, which ends with its
process: a claim that is not ended is free to whoever holds the lock. So there is nothing that could
expire, and no clock of one machine that another has to believe.
"""
