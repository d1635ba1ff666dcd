"""Workers send the files that wait in the ledger as parcels, from any number of machines.

    bring → store, then parcel → the seller's pass is queued → a worker takes it → claim, run,
    answers → way out → the parcel is marked as told

The ledger alone ensures that each file is sent once: by the seller's lock, the claims and the
intents. The engine, Procrastinate, hands passes out, schedules and lists them. It may lose a pass,
or hand one out twice; neither does harm.

Reading order: `rests` (when a seller's next pass is due) is pure; `bringing` (a file becomes a
parcel), `queue` (the passes that are queued), `parcel_work` (a seller's parcels, one after the
other, by the watcher's own work), `telling` (answers go to their place) and `passes` (all passes of
one process) know the engine as a queue at most; `engine` (passes side by side) and `presence`
(which workers are alive, and which of them recovers lost passes) run it, `library` imports
it. `listing` shows parcels, `beat` keeps `health.json` fresh.
"""
