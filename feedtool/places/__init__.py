"""Places that hold files by name: a folder, a prefix of a bucket, a folder of an SFTP server.

Files come from such places, answers go there, and machines share their snapshots in one. What is
done there is done in steps, each of which may be the last before a crash.

Reading order: `contract` (what every place can do), `folder`, `bucket` and `sftp` (those that
there are; the libraries of the last two are extras), `opening` (the place of a URL, which imports
what that needs); then what is done in a place: `sightings` (which files are whole; pure),
`arrivals` (take them) and `answers` (put what came of them).
"""

from feedtool.places.contract import Entry, Moved, Place, PlaceRefused
from feedtool.places.opening import open_place

__all__ = ["Entry", "Moved", "Place", "PlaceRefused", "open_place"]
