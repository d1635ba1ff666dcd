"""The watched folder: files that are dropped into its inbox are sent, answered and filed away.

    inbox/        files to send; a subfolder may name a profile, a kind, or both
    processing/   files that are being sent
    results/      the answers, each complete before it appears
    done/DATE/    answered files
    error/        unreadable or repeated files, each with its reason

Reading order: `folder` (files and their places, the account of a file and its next step), `session`
(the account that sends a file), `processor` (a file from step to step, a seller's files one after
the other), `outbox` (exports into the folder) and `watcher` (all sellers, again and again);
`reporting` has the texts.

The seller's lock of the ledger, which ends with its process, decides which process may touch a
seller's files: a claim that is not ended belongs to the holder of the lock. So nothing can expire,
and no machine has to trust the clock of another.
"""
