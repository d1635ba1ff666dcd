"""Many sellers, many machines: files that wait as parcels in the ledger are sent by workers.

Nothing that counts is the engine's: each file is sent once because of the ledger alone (the
seller's lock, the claims, the intents). The engine, Procrastinate, hands passes out, schedules and
shows them; it may lose them, or hand one out twice.

Reading order: `queue` (which sellers' passes are due), `presence` (which workers are there, and
what becomes of the passes of those that are gone), `engine` (passes side by side, in one process).
"""
