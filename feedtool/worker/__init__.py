"""Workers send the files that wait in the ledger as parcels, from any number of machines.

    bring → store, then parcel → the seller's pass is queued → a worker takes it → claim, run,
    answers → way out → the parcel is marked as told

The ledger alone ensures that each file is sent once: by the seller's lock, the claims and the
intents. The engine, Procrastinate, hands passes out, schedules and lists them. It may lose a pass,
or hand one out twice; neither does harm.

Reading order: `inbox` (files become parcels), `parcel_work` (a seller's parcels, one after the
other, by the watcher's own work), `answers` (answers go to their place, and parcels are listed),
`passes` (all passes of one process, and when a seller's next one is due), `queue` (the passes that
are queued, and the workers that are alive) and `engine` (passes side by side).
"""
